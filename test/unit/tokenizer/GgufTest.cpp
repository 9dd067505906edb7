// Tokenizers from GGUF metadata: models, flags, and what is refused; gguf_against_libraries.py compares them at large.
#include "Fixtures.h"
#include "SmallCharsmap.h"
#include "compiler/import/tokenizer/Tokenizer.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <deque>

using namespace fixtures;
using headrace::GgufMetadata;
using headrace::GgufType;
using headrace::GgufValue;

namespace {

/// Metadata and the bytes that it points into.
class Metadata {
public:
  Metadata &text(const std::string &name, const std::string &value) { return put(name, GgufType::String, {value}, false); }
  Metadata &texts(const std::string &name, const std::vector<std::string> &values) {
    return put(name, GgufType::String, values, true);
  }
  template <typename T> Metadata &numbers(const std::string &name, GgufType type, const std::vector<T> &values, bool isArray = true) {
    std::string bytes(values.size() * sizeof(T), '\0');
    if (!values.empty())
      std::memcpy(bytes.data(), values.data(), bytes.size());
    return add(name, type, bytes, values.size(), isArray);
  }
  Metadata &id(const std::string &name, uint32_t value) { return numbers<uint32_t>(name, GgufType::U32, {value}, false); }
  Metadata &flag(const std::string &name, bool value) { return numbers<uint8_t>(name, GgufType::Bool, {uint8_t(value)}, false); }
  Metadata &types(const std::vector<int32_t> &values) { return numbers("token_type", GgufType::I32, values); }
  Metadata &scores(const std::vector<float> &values) { return numbers("scores", GgufType::F32, values); }
  const GgufMetadata &get() const { return metadata; }

private:
  Metadata &put(const std::string &name, GgufType type, const std::vector<std::string> &values, bool isArray) {
    std::string bytes;
    for (const std::string &value : values) {
      uint64_t size = value.size();
      bytes.append(reinterpret_cast<const char *>(&size), sizeof size);
      bytes += value;
    }
    return add(name, type, bytes, values.size(), isArray);
  }
  Metadata &add(const std::string &name, GgufType type, const std::string &bytes, uint64_t count, bool isArray) {
    const std::string &key = kept.emplace_back("tokenizer.ggml." + name);
    const std::string &data = kept.emplace_back(bytes);
    metadata.add(key, GgufValue{type, isArray, count, reinterpret_cast<const uint8_t *>(data.data())});
    return *this;
  }
  std::deque<std::string> kept;
  GgufMetadata metadata{"model.gguf"};
};

class Compiled {
public:
  explicit Compiled(const Metadata &metadata) {
    auto compiled = headrace::compileTokenizerFromGguf(metadata.get());
    INFO((compiled ? "" : compiled.error().message()));
    REQUIRE(compiled);
    section = compiled.take();
    REQUIRE(hr_tokenizer_open(&tokenizer, section.data(), section.size()) == HR_OK);
  }
  Ids encode(const std::string &text, uint32_t flags = 0) const {
    std::vector<uint64_t> scratch(hr_tokenizer_scratch(&tokenizer, text.size()) / 8 + 1);
    Ids ids(1000);
    size_t n = 0;
    REQUIRE(hr_encode(&tokenizer, text.data(), text.size(), flags, ids.data(), ids.size(), &n, scratch.data(),
                      scratch.size() * 8) == HR_OK);
    ids.resize(n);
    return ids;
  }
  std::string decode(const Ids &ids) const {
    std::string text(1000, '\0');
    size_t n = 0;
    REQUIRE(hr_detokenize(&tokenizer, ids.data(), ids.size(), 0, text.data(), text.size(), &n) == HR_OK);
    return text.substr(0, n);
  }

private:
  std::vector<uint8_t> section;
  hr_tokenizer tokenizer = {};
};

std::string problem(const Metadata &metadata) {
  auto compiled = headrace::compileTokenizerFromGguf(metadata.get());
  return compiled ? "" : compiled.error().message();
}

/// Ids 0 to 12; "▁ab" has two ways to come about, of equal score.
Metadata llama() {
  Metadata metadata;
  metadata.text("model", "llama")
      .texts("tokens", {"<unk>", "<s>", "</s>", "▁", "a", "b", "ab", "▁a", "▁ab", "aa", "<tool>", "<0x78>", "bb"})
      .scores({0, 0, 0, -9, -9, -9, -1, -1, -2, -3, 0, 0, -3})
      .types({2, 3, 3, 1, 1, 1, 1, 1, 1, 1, 4, 6, 1});
  return metadata;
}

Metadata gpt2(const std::string &pre) {
  Metadata metadata;
  metadata.text("model", "gpt2")
      .text("pre", pre)
      .texts("tokens", {"a", "b", "Ġ", "ab", "Ġab", "<|end|>", "1", "11"})
      .types({1, 1, 1, 1, 1, 3, 1, 1})
      .texts("merges", {"a b", "Ġ ab", "1 1"});
  return metadata;
}

Metadata bert() {
  Metadata metadata;
  metadata.text("model", "bert").texts("tokens", {"[UNK]", "[CLS]", "[SEP]", "▁a", "b", "▁b", "bb", "▁!"}).types({3, 3, 3, 1, 1, 1, 1, 1});
  metadata.id("unknown_token_id", 0).id("cls_token_id", 1).id("seperator_token_id", 2);
  return metadata;
}

Metadata t5() {
  std::string map = SmallCharsmap(std::map<std::string, std::string>{{"ﬁ", "ab"}}).bytes();
  Metadata metadata;
  metadata.text("model", "t5")
      .texts("tokens", {"<pad>", "</s>", "<unk>", "▁", "a", "b", "ab"})
      .types({3, 3, 2, 1, 1, 1, 1})
      .scores({0, 0, 0, -1, -2, -2, -3})
      .numbers("precompiled_charsmap", GgufType::I8, std::vector<int8_t>(map.begin(), map.end()))
      .flag("remove_extra_whitespaces", true);
  return metadata;
}

} // namespace

TEST_CASE("llama: merges by score, from left to right where equal; bytes; tokens of the user") {
  Compiled tokenizer(llama());
  CHECK(tokenizer.encode("ab") == Ids{8});                  // ▁a first: it begins further left than ab
  CHECK(tokenizer.encode("aab") == Ids{7, 6});
  CHECK(tokenizer.encode("bbb", HR_WITH_SPECIAL) == Ids{1, 3, 12, 5});
  CHECK(tokenizer.encode("ax<tool>b") == Ids{7, 11, 10, 3, 5});
  CHECK(tokenizer.encode("y") == Ids{3, 0});                // no byte for y
  CHECK(tokenizer.decode({1, 7, 6, 3, 11}) == "aab x");
  Compiled bare(llama().flag("add_space_prefix", false).flag("add_bos_token", false).flag("add_eos_token", true));
  CHECK(bare.encode("ab ab", HR_WITH_SPECIAL) == Ids{6, 8, 2});
}

TEST_CASE("gpt2: every known name of a pre-tokenizer") {
  for (const char *pre :
       {"default",       "gpt-2",     "phi-2",   "mpt",      "olmo",       "jais",        "roberta-bpe",    "llama-bpe",     "llama3",
        "falcon3",       "dbrx",      "glm4",    "smaug-bpe", "chatglm-bpe", "qwen2",      "deepseek-r1-qwen", "stablelm2",   "qwen35",
        "smollm",        "starcoder", "refact",  "command-r", "codeshell",  "exaone",      "deepseek-llm",   "deepseek-coder", "deepseek-v3",
        "hunyuan-dense", "bloom",     "poro-chat", "viking",  "tekken",     "gpt-4o",      "llama4",         "kimi-k2",       "bailingmoe",
        "seed-coder",    "falcon"}) {
    INFO(pre);
    Compiled tokenizer(gpt2(pre).id("bos_token_id", 5).id("eos_token_id", 5));
    CHECK(tokenizer.encode("ab ab<|end|>") == Ids{3, 4, 5});
    CHECK(tokenizer.decode({3, 4}) == "ab ab");
  }
  CHECK(Compiled(gpt2("smollm")).encode("11") == Ids{6, 6});
  CHECK(Compiled(gpt2("gpt-2")).encode("11") == Ids{7});
  CHECK(Compiled(gpt2("llama-bpe").id("bos_token_id", 5)).encode("a", HR_WITH_SPECIAL) == Ids{5, 0});
}

TEST_CASE("bert: pieces with a mark before those that begin a word") {
  Compiled tokenizer(bert());
  CHECK(tokenizer.encode("ABB b!", HR_WITH_SPECIAL) == Ids{1, 3, 6, 5, 7, 2});
  CHECK(tokenizer.encode("ac") == Ids{0});
  CHECK(tokenizer.decode({1, 3, 6, 5, 7, 2}) == "abb b!");
}

TEST_CASE("t5: unigram, with its character map and without spaces too many") {
  Compiled tokenizer(t5());
  CHECK(tokenizer.encode("  ﬁ   a ", HR_WITH_SPECIAL) == Ids{3, 6, 3, 4, 1});
  CHECK(tokenizer.decode({3, 6, 3, 4, 1}) == "ab a");
}

TEST_CASE("GGUF metadata that make no tokenizer") {
  std::string where = "model.gguf: key 'tokenizer.ggml.";
  CHECK(problem(Metadata()) == where + "model': expected a string, found no such key");
  CHECK(problem(Metadata().text("model", "rwkv").texts("tokens", {"a"})) ==
        where + "model': expected llama, gpt2, bert or t5, found 'rwkv'");
  CHECK(problem(Metadata().text("model", "gpt2").texts("tokens", {})) == where + "tokens': expected 1 to 4194304 tokens, found 0");
  CHECK(problem(Metadata().text("model", "gpt2").texts("tokens", {"a\xff"})) == where + "tokens': expected texts in UTF-8, found 'a\\xff'");
  CHECK(problem(Metadata().text("model", "llama").texts("tokens", {"a"}).scores({1, 2})) ==
        where + "scores': expected 1 scores, one for each token, found 2");
  CHECK(problem(Metadata().text("model", "llama").texts("tokens", {"a"}).types({})) ==
        where + "token_type': expected 1 types, one for each token, found 0");
  CHECK(problem(gpt2("nobody")) == where + "pre': expected the name of a pre-tokenizer that is known here, found 'nobody'");
  CHECK(problem(gpt2("gpt-2").id("bos_token_id", 8)) == where + "bos_token_id': expected an id below 8, found 8");
  CHECK(problem(gpt2("llama-bpe")) == where + "add_bos_token': expected false without the id of the token, found true");
  Metadata merges;
  merges.text("model", "gpt2").texts("tokens", {"a", "b"}).texts("merges", {"a b"});
  CHECK(problem(merges) == where + "merges': expected tokens of the vocabulary, found 'ab'");
  Metadata alone;
  alone.text("model", "gpt2").texts("tokens", {"a"}).texts("merges", {"a"});
  CHECK(problem(alone) == where + "merges': expected two tokens with a space between, found 'a'");
  Metadata map;
  map.text("model", "t5").texts("tokens", {"a", "b", "c"}).scores({1, 2, 3}).numbers<uint8_t>("precompiled_charsmap", GgufType::U8, {9, 0});
  CHECK(problem(map) == where + "precompiled_charsmap': expected the size of a double array, found 2 bytes");
}
