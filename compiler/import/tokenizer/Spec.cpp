#include "compiler/import/tokenizer/Spec.h"
#include "compiler/import/tokenizer/CodeSet.h"
#include "compiler/import/tokenizer/SpecReader.h"

#include <algorithm>
#include <unordered_set>

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

// ---- added tokens ----
/// The id that the reference implementation gives to an added token: that of the vocabulary, or the next free one.
static uint32_t idOfAdded(const std::string &content, const Spec &spec, uint32_t afterAdded) {
  auto known = spec.vocabulary.find(content);
  if (known != spec.vocabulary.end())
    return known->second;
  auto next = uint32_t(spec.model == HR_TOK_UNIGRAM ? spec.scores.size() : spec.vocabulary.size());
  return std::max(next, afterAdded);
}

void readAddedTokens(const JsonField &tokens, Spec &spec) {
  if (tokens.isNull())
    return;
  size_t count = tokens.listSize();
  std::unordered_set<std::string> contents;
  uint32_t afterAdded = 0;
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
    if (!contents.insert(token.content).second)
      return entry["content"].fail("a content that no other added token has");
    uint32_t id = idOfAdded(token.content, spec, afterAdded);
    if (id != token.id)
      return entry["id"].fail("the id " + std::to_string(id) + " for " + inQuotes(token.content),
                              std::to_string(token.id));
    if (id < spec.tokens.size() && spec.tokens[id] && *spec.tokens[id] != token.content)
      return entry["id"].fail("an id that is free", std::to_string(id) + ", which is " + inQuotes(*spec.tokens[id]));
    afterAdded = std::max(afterAdded, id + 1);
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
  if (root.has("version") && root["version"].string() != "1.0")
    root["version"].fail("'1.0'");
  using Reader = void (*)(const JsonField &, Spec &);
  if (!problem.empty())
    return Error(problem);
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
