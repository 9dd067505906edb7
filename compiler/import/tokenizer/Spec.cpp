#include "compiler/import/tokenizer/Spec.h"
#include "compiler/import/tokenizer/CodeSet.h"
#include "compiler/import/tokenizer/SpecReader.h"

#include <algorithm>

namespace headrace::tokenizer {

bool spelledBytes(std::string_view token, std::string &bytes) {
  // Printable bytes of Latin-1 stand for themselves, the others for U+0100 and up, in order.
  static const std::array<int16_t, 0x144> byteOf = [] {
    std::array<int16_t, 0x144> table;
    table.fill(-1);
    uint32_t next = 0x100;
    for (uint32_t byte = 0; byte < 256; byte++) {
      bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
      table[printable ? byte : next++] = int16_t(byte);
    }
    return table;
  }();
  bytes.clear();
  for (uint32_t code : codesOf(token)) {
    if (code >= byteOf.size() || byteOf[code] < 0)
      return false;
    bytes.push_back(char(byteOf[code]));
  }
  return true;
}

// ---- vocabulary and merges ----
static void readVocabulary(const JsonField &field, Spec &spec) {
  if (!field.isObject() || field.value().empty())
    return field.fail("an object of tokens and ids");
  spec.vocabulary.reserve(field.value().size());
  for (const auto &[token, id] : field.value().items()) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() >= HR_TOK_MAX_TOKENS)
      return field.fail("ids below " + std::to_string(HR_TOK_MAX_TOKENS), jsonKindText(id) + " for " + inQuotes(token));
    auto value = id.get<uint32_t>();
    auto slot = spec.vocabulary.emplace(token, value).first;
    if (spec.tokens.size() <= value)
      spec.tokens.resize(value + 1);
    if (spec.tokens[value])
      return field.fail("distinct ids", std::to_string(value) + " for both " + inQuotes(*spec.tokens[value]) + " and " +
                                            inQuotes(token));
    spec.tokens[value] = &slot->first;
  }
}

/// The two tokens of a merge: ["a", "b"], or "a b" in older files.
static bool mergePair(const JsonField &field, std::string &left, std::string &right) {
  if (field.isList() && field.value().size() == 2) {
    left = field.at(0).string();
    right = field.at(1).string();
    return !field.failed();
  }
  std::string text = field.isString() ? field.string() : "";
  size_t space = text.find(' ');
  if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
    field.fail("two tokens");
    return false;
  }
  left = text.substr(0, space);
  right = text.substr(space + 1);
  return true;
}

static void readMerges(const JsonField &field, Spec &spec) {
  size_t count = field.listSize();
  std::string left, right;
  for (size_t i = 0; i < count; i++) {
    JsonField entry = field.at(i);
    if (entry.isString() && entry.string().rfind("#version", 0) == 0)
      continue;
    if (!mergePair(entry, left, right))
      return;
    if (left.empty() || right.empty())
      return entry.fail("two tokens that are not empty",
                        left.empty() && right.empty() ? "two empty ones" : "an empty one");
    Merge merge;
    for (auto [text, id] :
         {std::pair(left, &merge.left), std::pair(right, &merge.right), std::pair(left + right, &merge.result)}) {
      auto token = spec.vocabulary.find(text);
      if (token == spec.vocabulary.end())
        return entry.fail("tokens of the vocabulary", inQuotes(text));
      *id = token->second;
    }
    spec.merges.push_back(merge);
  }
}

void readModel(const JsonField &model, Spec &spec) {
  if (!model.isObject())
    return model.fail("an object");
  if (model.type() != "BPE" && !(model["type"].isNull() && model.has("merges")))
    return model.failType("BPE");
  for (const char *affix : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (model.has(affix) && !model[affix].string().empty())
      return model[affix].fail("null");
  if (model.has("dropout") && model["dropout"].value() != 0)
    return model["dropout"].fail("null");
  readVocabulary(model["vocab"], spec);
  if (model.failed())
    return;
  readMerges(model["merges"], spec);
  spec.fuseUnk = model["fuse_unk"].booleanOr(false);
  spec.byteFallback = model["byte_fallback"].booleanOr(false);
  spec.ignoreMerges = model["ignore_merges"].booleanOr(false);
  if (model.has("unk_token")) {
    auto unk = spec.vocabulary.find(model["unk_token"].string());
    if (unk == spec.vocabulary.end())
      return model["unk_token"].fail("a token of the vocabulary");
    spec.unkId = unk->second;
  }
  for (uint32_t byte = 0; spec.byteFallback && byte < 256; byte++) {
    char name[8];
    snprintf(name, sizeof name, "<0x%02X>", byte);
    if (!spec.vocabulary.count(name))
      return model["byte_fallback"].fail("false, or a token for each byte in the vocabulary",
                                         "none for " + inQuotes(name));
  }
}

// ---- added tokens ----
/// The id that the reference implementation gives to an added token: that of the vocabulary, or the next free one.
static uint32_t idOfAdded(const std::string &content, const Spec &spec) {
  auto known = spec.vocabulary.find(content);
  if (known != spec.vocabulary.end())
    return known->second;
  uint32_t next = uint32_t(spec.vocabulary.size());
  for (const AddedToken &token : spec.addedTokens)
    next = std::max(next, token.id + 1);
  return next;
}

void readAddedTokens(const JsonField &tokens, Spec &spec) {
  if (tokens.isNull())
    return;
  size_t count = tokens.listSize();
  for (size_t i = 0; i < count && !tokens.failed(); i++) {
    JsonField entry = tokens.at(i);
    AddedToken token;
    token.content = entry["content"].string();
    token.id = entry["id"].number(HR_TOK_MAX_TOKENS, "an id");
    token.special = entry["special"].booleanOr(false);
    token.normalized = entry["normalized"].booleanOr(!token.special);
    token.flags = 0;
    for (auto [key, flag] :
         {std::pair("lstrip", HR_TOK_LSTRIP), {"rstrip", HR_TOK_RSTRIP}, {"single_word", HR_TOK_SINGLE_WORD}})
      if (entry[key].booleanOr(false))
        token.flags |= uint32_t(flag);
    if (entry.failed() || token.content.empty())
      continue;
    for (const AddedToken &other : spec.addedTokens)
      if (other.content == token.content)
        return entry["content"].fail("a content that no other added token has");
    uint32_t id = idOfAdded(token.content, spec);
    if (id != token.id)
      return entry["id"].fail("the id " + std::to_string(id) + " for " + inQuotes(token.content),
                              std::to_string(token.id));
    if (id < spec.tokens.size() && spec.tokens[id] && *spec.tokens[id] != token.content)
      return entry["id"].fail("an id that is free", std::to_string(id) + ", which is " + inQuotes(*spec.tokens[id]));
    spec.addedTokens.push_back(std::move(token));
  }
  std::vector<AddedToken> ordered;
  for (bool special : {true, false})
    for (const AddedToken &token : spec.addedTokens)
      if (token.special == special)
        ordered.push_back(token);
  spec.addedTokens = std::move(ordered);
  for (const AddedToken &token : spec.addedTokens) {
    if (spec.tokens.size() <= token.id)
      spec.tokens.resize(token.id + 1);
    spec.tokens[token.id] = &token.content;
  }
}

// ---- the whole ----
/// What must hold between the components.
static void checkTogether(const JsonField &root, Spec &spec) {
  if (spec.byteLevel != spec.decoder.byteLevel)
    root["decoder"].fail(spec.byteLevel ? "ByteLevel, as the pre-tokenizer"
                                        : "no ByteLevel without one in the pre-tokenizer",
                         spec.byteLevel ? "another" : "ByteLevel");
  if (spec.ignoreMerges && !spec.byteLevel)
    root["model"]["ignore_merges"].fail("false without a ByteLevel pre-tokenizer");
  if (spec.byteFallback && spec.byteLevel)
    root["model"]["byte_fallback"].fail("false with a ByteLevel pre-tokenizer");
  for (const auto *ids : {&spec.prefix, &spec.suffix})
    for (uint32_t id : *ids)
      if (id >= spec.tokens.size() || !spec.tokens[id])
        root["post_processor"].fail("ids of the vocabulary", std::to_string(id));
}

Result<void> readSpec(std::string_view json, std::string_view where, Spec &spec) {
  Result<nlohmann::json> document = parseJson(json, where);
  if (!document)
    return document.error();
  std::string problem;
  JsonField root(*document, std::string(where) + ": ", problem);
  spec.where = where;
  if (!root.isObject())
    return expectedFound(where, "an object", jsonKindText(*document));
  using Reader = void (*)(const JsonField &, Spec &);
  for (auto [key, read] : {std::pair<const char *, Reader>{"model", readModel},
                           {"added_tokens", readAddedTokens},
                           {"normalizer", readNormalizer},
                           {"pre_tokenizer", readPreTokenizer},
                           {"post_processor", readPostProcessor},
                           {"decoder", readDecoder}}) {
    read(root[key], spec);
    if (!problem.empty())
      return Error(problem);
  }
  checkTogether(root, spec);
  if (!problem.empty())
    return Error(problem);
  return {};
}

} // namespace headrace::tokenizer
