#include "compiler/import/template/SpecialTokens.h"

#include "compiler/support/ErrorText.h"

#include <algorithm>

namespace headrace {
namespace {

constexpr std::string_view commonNames[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                            "pad_token", "cls_token", "mask_token"};

using Tokens = std::map<std::string, std::string>;

bool isCommon(const std::string &name) {
  return std::find(std::begin(commonNames), std::end(commonNames), name) != std::end(commonNames);
}

/// "image_token": a name that only some models have.
bool isOwn(const std::string &name) {
  constexpr std::string_view ending = "_token";
  return name.size() >= ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0 &&
         !isCommon(name);
}

/// A token is its text, or an object with the text as "content".
void put(Tokens &tokens, const std::string &name, const nlohmann::json &value) {
  const bool holds = value.is_object() && value.contains("content");
  const nlohmann::json &text = holds ? value["content"] : value;
  if (text.is_string())
    tokens[name] = text.get<std::string>();
}

/// All tokens of an object in `json`; where it is a list, its tokens have no names.
void putAll(Tokens &tokens, const nlohmann::json &json, const char *key) {
  if (json.is_object() && json.contains(key) && json[key].is_object())
    for (const auto &[name, value] : json[key].items())
      put(tokens, name, value);
}

} // namespace

TemplateDefaults specialTokensOf(const nlohmann::json &config, const nlohmann::json &map) {
  nlohmann::json merged = config.is_object() ? config : nlohmann::json::object();
  Tokens own;
  for (const auto &[name, value] : merged.items())
    if (isOwn(name) && value.is_string())
      put(own, name, value);
  putAll(own, merged, "extra_special_tokens");
  if (own.empty())
    putAll(own, merged, "model_specific_special_tokens");
  if (map.is_object() && !merged.contains("added_tokens_decoder")) {
    putAll(own, map, "extra_special_tokens");
    merged.update(map);
  }
  Tokens tokens;
  for (const auto &[name, value] : merged.items())
    if (isCommon(name) || isOwn(name))
      put(tokens, name, value);
  for (auto &[name, text] : own)
    tokens[name] = std::move(text);
  return TemplateDefaults(tokens.begin(), tokens.end());
}

Result<TemplateDefaults> specialTokensOf(const GgufMetadata &metadata) {
  static constexpr std::pair<const char *, const char *> ids[] = {
      {"bos_token", "tokenizer.ggml.bos_token_id"},     {"eos_token", "tokenizer.ggml.eos_token_id"},
      {"unk_token", "tokenizer.ggml.unknown_token_id"}, {"sep_token", "tokenizer.ggml.seperator_token_id"},
      {"pad_token", "tokenizer.ggml.padding_token_id"}, {"cls_token", "tokenizer.ggml.cls_token_id"},
      {"mask_token", "tokenizer.ggml.mask_token_id"}};
  TemplateDefaults tokens;
  if (!metadata.has("tokenizer.ggml.tokens"))
    return tokens;
  auto texts = metadata.texts("tokenizer.ggml.tokens");
  if (!texts)
    return texts.error();
  for (const auto &[name, key] : ids) {
    if (!metadata.has(key))
      continue;
    auto id = metadata.integer(key);
    if (!id)
      return id.error();
    if (*id < 0 || uint64_t(*id) >= texts->size())
      return expectedFound(metadata.where(key), "an id below " + std::to_string(texts->size()), std::to_string(*id));
    tokens.push_back({name, std::string((*texts)[size_t(*id)])});
  }
  return tokens;
}

} // namespace headrace
