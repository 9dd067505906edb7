#include "Fixtures.h"
#include "SmallCharsmap.h"
#include "compiler/import/tokenizer/Tokenizer.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fixtures {

using nlohmann::json;

std::string spelled(const std::string &bytes) {
  std::string text;
  for (char c : bytes) {
    auto byte = uint8_t(c);
    uint32_t code = byte, next = 0x100;
    for (uint32_t other = 0; other <= byte; other++) {
      bool printable = (other >= '!' && other <= '~') || (other >= 0xa1 && other != 0xad);
      if (!printable && other == byte)
        code = next;
      next += !printable;
    }
    if (code < 0x80)
      text += char(code);
    else {
      text += char(0xc0 | code >> 6);
      text += char(0x80 | (code & 0x3f));
    }
  }
  return text;
}

json byteLevelJson() {
  json base = R"({
    "version": "1.0",
    "added_tokens": [],
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
    "post_processor": null,
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {"ab": 256, "abc": 257, "Ġab": 258}, "merges": [["a", "b"], ["ab", "c"], ["Ġ", "ab"]]}
  })"_json;
  for (int byte = 0; byte < 256; byte++)
    base["model"]["vocab"][spelled(std::string(1, char(byte)))] = byte;
  return base;
}

json sentencePieceJson() {
  json base = R"({
    "added_tokens": [{"id": 0, "content": "<unk>", "special": true}, {"id": 1, "content": "<s>", "special": true},
                     {"id": 2, "content": "</s>", "special": true}],
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
    "pre_tokenizer": null,
    "post_processor": null,
    "decoder": {"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true, "merges": ["▁ a", "▁a b"],
              "vocab": {"<unk>": 0, "<s>": 1, "</s>": 2, "▁": 259, "a": 260, "b": 261, "▁a": 262, "▁ab": 263}}
  })"_json;
  for (int byte = 0; byte < 256; byte++) {
    char name[8];
    snprintf(name, sizeof name, "<0x%02X>", byte);
    base["model"]["vocab"][name] = 3 + byte;
  }
  return base;
}

json unigramJson() {
  json base = R"({
    "added_tokens": [{"id": 1, "content": "</s>", "special": true}],
    "normalizer": {"type": "Precompiled"},
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
    "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
                       "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["</s>", 0], ["▁", -2.5], ["a", -3.0], ["b", -3.25],
              ["ab", -4.0], ["▁a", -4.5], ["fi", -5.0], ["é", -6.0], ["1", -6.5]]}
  })"_json;
  base["normalizer"]["precompiled_charsmap"] =
      SmallCharsmap({{"ﬁ", "fi"}, {"①", "1"}, {"e\u0301", "é"}, {"\t", " "}}).base64();
  return base;
}

json wordPieceJson() {
  return R"({
    "added_tokens": [{"id": 1, "content": "[CLS]", "special": true}, {"id": 2, "content": "[SEP]", "special": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 6,
              "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "b": 4, "##b": 5, "##bc": 6, "!": 7, "你": 8}}
  })"_json;
}

Tokenizer::Tokenizer(const std::string &json) {
  auto compiled = headrace::compileTokenizerText(json, "tokenizer.json");
  INFO((compiled ? "" : compiled.error().message()));
  REQUIRE(compiled);
  section = compiled.take();
  REQUIRE(hr_tokenizer_open(&tokenizer, section.data(), section.size()) == HR_OK);
}

Tokenizer Tokenizer::fromFile(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return Tokenizer(text.str());
}

Ids Tokenizer::encode(const std::string &text, uint32_t flags) const {
  std::vector<uint64_t> scratch(hr_tokenizer_scratch(&tokenizer, text.size()) / 8 + 1);
  Ids ids(text.size() * 12 + 16);
  size_t n = 0;
  REQUIRE(hr_encode(&tokenizer, text.data(), text.size(), flags, ids.data(), ids.size(), &n, scratch.data(),
                    scratch.size() * 8) == HR_OK);
  ids.resize(n);
  return ids;
}

std::string Tokenizer::decode(const Ids &ids, uint32_t flags) const {
  size_t n = 0;
  hr_detokenize(&tokenizer, ids.data(), ids.size(), flags, nullptr, 0, &n);
  std::string text(n, '\0');
  REQUIRE(hr_detokenize(&tokenizer, ids.data(), ids.size(), flags, text.data(), n, &n) == HR_OK);
  return text;
}

std::string Tokenizer::decodeStream(const Ids &ids, uint32_t flags) const {
  hr_decoder state = {};
  state.keep_special = flags & HR_KEEP_SPECIAL;
  std::string text, piece(hr_decode_max(&tokenizer), '\0');
  for (size_t i = 0; i <= ids.size(); i++) {
    size_t n = 0;
    REQUIRE(hr_decode(&tokenizer, &state, i < ids.size() ? ids[i] : -1, piece.data(), piece.size(), &n) == HR_OK);
    text.append(piece, 0, n);
  }
  return text;
}

std::string errorOf(const std::string &json) {
  auto compiled = headrace::compileTokenizerText(json, "tokenizer.json");
  return compiled ? "" : compiled.error().message();
}
std::string errorOf(const nlohmann::json &json) { return errorOf(json.dump()); }

std::string sharedFile(const std::string &name) {
  const char *data = getenv("HEADRACE_TEST_DATA"), *ci = getenv("CI");
  std::string path = std::string(data ? data : HEADRACE_SOURCE_DIR "/../shared") + "/" + name;
  if (std::ifstream(path).good())
    return path;
  if (ci && std::string(ci) == "true")
    FAIL(path << " is absent");
  WARN("skipped: " << path << " is absent");
  return "";
}

json readJson(const std::string &path) {
  std::ifstream file(path);
  return json::parse(file);
}

} // namespace fixtures
