#include "compiler/import/tokenizer/GgufSpec.h"
#include "compiler/import/tokenizer/Charsmap.h"
#include "compiler/import/tokenizer/GgufPreTokenizers.h"
#include "compiler/import/tokenizer/SpecReader.h"

#include <algorithm>
#include <unordered_set>

namespace headrace::tokenizer {

using nlohmann::json;

namespace {

enum TokenType { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

const char *const mark = "▁";

class GgufReader {
public:
  GgufReader(const GgufMetadata &metadata, Spec &spec) : metadata(metadata), spec(spec) {}
  Result<void> run();

private:
  Result<void> readTokens();
  Result<void> readScores();
  Result<void> addTokens(bool wordPiece);
  Result<void> readMerges();
  void mergesFromScores();
  Result<void> readLlama();
  Result<void> readGpt2();
  Result<void> readBert();
  Result<void> readT5();
  Result<void> readCharsmap();
  Result<void> addEnds(bool addBos, bool addEos, int64_t bos, int64_t eos);
  Result<int64_t> idAt(std::initializer_list<const char *> names, int64_t otherwise);
  Result<bool> flag(const char *name, bool otherwise);
  /// Reads a component as tokenizer.json would hold it.
  Result<void> component(void (*read)(const JsonField &, Spec &), const json &value);

  static std::string key(const char *name) { return std::string("tokenizer.ggml.") + name; }

  const GgufMetadata &metadata;
  Spec &spec;
  std::vector<std::string> tokens;
  std::vector<int64_t> types;
  std::vector<double> scores;
};

bool isUtf8(const std::string &text) {
  std::string again;
  for (uint32_t code : codesOf(text))
    appendUtf8(again, code);
  return again == text;
}

Result<void> GgufReader::readTokens() {
  auto texts = metadata.texts(key("tokens"));
  if (!texts)
    return texts.error();
  if (texts->empty() || texts->size() > HR_TOK_MAX_TOKENS)
    return expectedFound(metadata.where(key("tokens")), "1 to " + std::to_string(HR_TOK_MAX_TOKENS) + " tokens",
                         std::to_string(texts->size()));
  for (std::string_view text : *texts) {
    tokens.emplace_back(text);
    if (!isUtf8(tokens.back()))
      return expectedFound(metadata.where(key("tokens")), "texts in UTF-8", inQuotes(text));
  }
  types.assign(tokens.size(), Normal);
  if (!metadata.has(key("token_type")))
    return {};
  auto given = metadata.integers(key("token_type"));
  if (!given)
    return given.error();
  if (given->size() != tokens.size())
    return expectedFound(metadata.where(key("token_type")), std::to_string(tokens.size()) + " types, one for each token",
                         std::to_string(given->size()));
  types = given.take();
  return {};
}

Result<void> GgufReader::readScores() {
  auto given = metadata.numbers(key("scores"));
  if (!given)
    return given.error();
  if (given->size() != tokens.size())
    return expectedFound(metadata.where(key("scores")), std::to_string(tokens.size()) + " scores, one for each token",
                         std::to_string(given->size()));
  scores = given.take();
  return {};
}

/// GGUF files write word pieces with a mark before those that begin a word instead of a prefix before the others.
std::string asWordPiece(const std::string &token) {
  if (token.compare(0, 3, mark) == 0)
    return token.substr(3);
  bool special = token.size() > 1 && token.front() == '[' && token.back() == ']';
  return special ? token : "##" + token;
}

/// All tokens: control and unknown ones, and those that the user defined, are looked for in text as given; the others
/// are the model's.
Result<void> GgufReader::addTokens(bool wordPiece) {
  bool marked = std::any_of(tokens.begin(), tokens.end(), [](const std::string &t) { return t.compare(0, 3, mark) == 0; });
  spec.tokens.resize(tokens.size());
  spec.addedTokens.reserve(tokens.size());
  for (bool special : {true, false})
    for (size_t id = 0; id < tokens.size(); id++) {
      bool control = types[id] == Control || types[id] == Unknown;
      if ((control || types[id] == UserDefined) && control == special && !tokens[id].empty()) {
        spec.addedTokens.push_back({tokens[id], uint32_t(id), 0, false, special});
        spec.tokens[id] = &spec.addedTokens.back().content;
      }
    }
  for (size_t id = 0; id < tokens.size(); id++) {
    std::string text = wordPiece && marked ? asWordPiece(tokens[id]) : tokens[id];
    if (types[id] == Control && !wordPiece)
      continue;
    if (text.empty())
      continue;
    // Of a text that several tokens have the last counts.
    auto slot = spec.vocabulary.insert_or_assign(text, uint32_t(id)).first;
    if (!spec.tokens[id])
      spec.tokens[id] = &slot->first;
  }
  return {};
}

Result<void> GgufReader::component(void (*read)(const JsonField &, Spec &), const json &value) {
  std::string problem;
  read(JsonField(value, spec.where + ": tokenizer: ", problem), spec);
  if (!problem.empty())
    return Error(problem);
  return {};
}

Result<bool> GgufReader::flag(const char *name, bool otherwise) {
  return metadata.has(key(name)) ? metadata.boolean(key(name)) : Result<bool>(otherwise);
}

/// The first of some keys that is there: an id, or -1 for none.
Result<int64_t> GgufReader::idAt(std::initializer_list<const char *> names, int64_t otherwise) {
  for (const char *name : names) {
    if (!metadata.has(key(name)))
      continue;
    auto id = metadata.integer(key(name));
    if (id && (*id < 0 || *id >= int64_t(tokens.size())))
      return expectedFound(metadata.where(key(name)), "an id below " + std::to_string(tokens.size()),
                           std::to_string(*id));
    return id;
  }
  return otherwise < int64_t(tokens.size()) ? otherwise : -1;
}

Result<void> GgufReader::addEnds(bool addBos, bool addEos, int64_t bos, int64_t eos) {
  auto first = flag("add_bos_token", addBos), last = flag("add_eos_token", addEos);
  if (!first || !last)
    return (first ? last : first).error();
  for (auto [wanted, id, name, ids] :
       {std::tuple(*first, bos, "add_bos_token", &spec.prefix), {*last, eos, "add_eos_token", &spec.suffix}}) {
    if (wanted && id < 0)
      return expectedFound(metadata.where(key(name)), "false without the id of the token", "true");
    if (wanted)
      ids->push_back(uint32_t(id));
  }
  return {};
}

// ---- llama: byte pair encoding by scores ----
/// Two tokens merge when their texts together are a token; higher scores first, equal ones from left to right.
void GgufReader::mergesFromScores() {
  std::vector<uint32_t> order;
  for (const auto &[text, id] : spec.vocabulary)
    if (types[id] != Unknown && types[id] != Byte)
      order.push_back(id);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  std::unordered_set<size_t> sizes; // of long tokens few cuts give two parts that may be tokens
  for (const auto &[text, id] : spec.vocabulary)
    sizes.insert(text.size());
  uint32_t rank = 0;
  for (size_t i = 0; i < order.size(); i++) {
    rank += i && scores[order[i]] != scores[order[i - 1]];
    const std::string &text = tokens[order[i]];
    for (size_t cut = 1; cut < text.size(); cut++) {
      if ((uint8_t(text[cut]) & 0xc0) == 0x80 || !sizes.count(cut) || !sizes.count(text.size() - cut))
        continue;
      auto left = spec.vocabulary.find(text.substr(0, cut)), right = spec.vocabulary.find(text.substr(cut));
      if (left != spec.vocabulary.end() && right != spec.vocabulary.end())
        spec.merges.push_back({left->second, right->second, order[i], rank});
    }
  }
}

Result<void> GgufReader::readLlama() {
  HR_TRY(readScores());
  HR_TRY(addTokens(false));
  mergesFromScores();
  spec.byteFallback = std::find(types.begin(), types.end(), Byte) != types.end();
  spec.fuseUnk = true;
  auto unk = idAt({"unknown_token_id"}, 0), bos = idAt({"bos_token_id"}, 1), eos = idAt({"eos_token_id"}, 2);
  auto space = flag("add_space_prefix", true);
  if (!unk || !bos || !eos || !space)
    return !unk ? unk.error() : !bos ? bos.error() : !eos ? eos.error() : space.error();
  spec.unkId = uint32_t(*unk);
  json replace = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", mark}};
  if (*space)
    HR_TRY(component(readNormalizer, {{"type", "Prepend"}, {"prepend", mark}}));
  HR_TRY(component(readNormalizer, replace));
  json decoders = {{{"type", "Replace"}, {"pattern", {{"String", mark}}}, {"content", " "}},
                   {{"type", "ByteFallback"}},
                   {{"type", "Fuse"}}};
  if (*space)
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1u}, {"stop", 0u}});
  HR_TRY(component(readDecoder, {{"type", "Sequence"}, {"decoders", decoders}}));
  return addEnds(true, false, *bos, *eos);
}

// ---- gpt2: byte-level byte pair encoding ----
Result<void> GgufReader::readMerges() {
  auto texts = metadata.texts(key("merges"));
  if (!texts)
    return texts.error();
  for (std::string_view text : *texts) {
    size_t space = text.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == text.size())
      return expectedFound(metadata.where(key("merges")), "two tokens with a space between", inQuotes(text));
    std::string left(text.substr(0, space)), right(text.substr(space + 1));
    Merge merge;
    merge.rank = uint32_t(spec.merges.size());
    for (auto [part, id] :
         {std::pair(left, &merge.left), std::pair(right, &merge.right), std::pair(left + right, &merge.result)}) {
      auto token = spec.vocabulary.find(part);
      if (token == spec.vocabulary.end())
        return expectedFound(metadata.where(key("merges")), "tokens of the vocabulary", inQuotes(part));
      *id = token->second;
    }
    spec.merges.push_back(merge);
  }
  return {};
}

Result<void> GgufReader::readGpt2() {
  auto name = metadata.has(key("pre")) ? metadata.text(key("pre")) : Result<std::string_view>("default");
  if (!name)
    return name.error();
  GgufPreTokenizer pre = ggufPreTokenizer(*name);
  if (pre.preTokenizer.is_null())
    return expectedFound(metadata.where(key("pre")), "the name of a pre-tokenizer that is known here", inQuotes(*name));
  HR_TRY(addTokens(false));
  HR_TRY(readMerges());
  spec.ignoreMerges = pre.ignoreMerges;
  if (pre.nfc)
    HR_TRY(component(readNormalizer, {{"type", "NFC"}}));
  HR_TRY(component(readPreTokenizer, pre.preTokenizer));
  HR_TRY(component(readDecoder, {{"type", "ByteLevel"}}));
  auto bos = idAt({"bos_token_id"}, -1), eos = idAt({"eos_token_id"}, -1);
  if (!bos || !eos)
    return (bos ? eos : bos).error();
  return addEnds(pre.addBos || pre.addSep, pre.addSep, *bos, *eos);
}

// ---- bert: WordPiece ----
Result<void> GgufReader::readBert() {
  HR_TRY(addTokens(true));
  spec.model = HR_TOK_WORD_PIECE;
  spec.subwordPrefix = "##";
  spec.maxWordChars = 100;
  auto unk = idAt({"unknown_token_id"}, 100), cls = idAt({"cls_token_id", "bos_token_id"}, 101),
       sep = idAt({"seperator_token_id", "separator_token_id", "eos_token_id"}, 102);
  if (!unk || !cls || !sep)
    return !unk ? unk.error() : !cls ? cls.error() : sep.error();
  if (*unk < 0)
    return expectedFound(metadata.where(key("unknown_token_id")), "the id of the unknown token", "none");
  spec.unkId = uint32_t(*unk);
  HR_TRY(component(readNormalizer, {{"type", "BertNormalizer"}}));
  HR_TRY(component(readPreTokenizer, {{"type", "BertPreTokenizer"}}));
  HR_TRY(component(readDecoder, {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}));
  return addEnds(true, true, *cls, *sep);
}

// ---- t5: Unigram ----
Result<void> GgufReader::readCharsmap() {
  if (!metadata.has(key("precompiled_charsmap")))
    return {};
  auto bytes = metadata.integers(key("precompiled_charsmap"));
  if (!bytes)
    return bytes.error();
  std::string map;
  for (int64_t byte : *bytes)
    map.push_back(char(byte));
  if (map.empty())
    return {};
  HR_TRY(checkCharsmap(map, metadata.where(key("precompiled_charsmap"))));
  spec.charsmap = map;
  spec.normalizers.push_back({HR_TOK_CHARSMAP, "", "", "", {}, 0});
  return {};
}

Result<void> GgufReader::readT5() {
  HR_TRY(readScores());
  HR_TRY(addTokens(false));
  spec.model = HR_TOK_UNIGRAM;
  // What is no piece of text is not looked up, and its score counts for nothing.
  spec.scores = scores;
  double least = 0;
  for (size_t id = 0; id < scores.size(); id++)
    if (types[id] == Normal)
      least = std::min(least, scores[id]);
  for (size_t id = 0; id < scores.size(); id++)
    if (types[id] != Normal && types[id] != UserDefined)
      spec.scores[id] = std::max(scores[id], least);
  spec.byteFallback = std::find(types.begin(), types.end(), Byte) != types.end();
  auto unk = idAt({"unknown_token_id"}, 2), bos = idAt({"bos_token_id"}, -1), eos = idAt({"eos_token_id"}, 1);
  auto space = flag("add_space_prefix", true), squeeze = flag("remove_extra_whitespaces", false);
  if (!unk || !bos || !eos)
    return !unk ? unk.error() : !bos ? bos.error() : eos.error();
  if (!space || !squeeze)
    return (space ? squeeze : space).error();
  if (*unk < 0)
    return expectedFound(metadata.where(key("unknown_token_id")), "the id of the unknown token", "none");
  spec.unkId = uint32_t(*unk);
  HR_TRY(readCharsmap());
  if (*squeeze) {
    HR_TRY(component(readNormalizer, {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}}));
    HR_TRY(component(readNormalizer, {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}}));
  }
  json metaspace = {{"type", "Metaspace"}, {"replacement", mark}, {"prepend_scheme", *space ? "always" : "never"}};
  HR_TRY(component(readPreTokenizer, metaspace));
  HR_TRY(component(readDecoder, metaspace));
  return addEnds(false, true, *bos, *eos);
}

Result<void> GgufReader::run() {
  spec.where = metadata.fileName();
  auto model = metadata.text(key("model"));
  if (!model)
    return model.error();
  HR_TRY(readTokens());
  if (*model == "llama")
    return readLlama();
  if (*model == "gpt2")
    return readGpt2();
  if (*model == "bert")
    return readBert();
  if (*model == "t5")
    return readT5();
  return expectedFound(metadata.where(key("model")), "llama, gpt2, bert or t5", inQuotes(*model));
}

} // namespace

Result<void> readGgufSpec(const GgufMetadata &metadata, Spec &spec) { return GgufReader(metadata, spec).run(); }

} // namespace headrace::tokenizer
