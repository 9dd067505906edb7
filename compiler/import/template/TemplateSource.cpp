#include "compiler/import/template/TemplateSource.h"

#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/support/MappedFile.h"

#include <algorithm>

namespace headrace {
namespace {

constexpr const char *tokenNames[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                      "pad_token", "cls_token", "mask_token"};

/// An object from a JSON file; null where there is no such file.
Result<nlohmann::json> readObject(const std::string &folder, const std::string &name) {
  if (!pathExists(folder + "/" + name))
    return nlohmann::json();
  auto text = readFile(folder + "/" + name);
  if (!text)
    return text.error();
  auto json = parseJson(*text, name);
  if (json && !json->is_object())
    return expectedFound(name, "an object", jsonKindText(*json));
  return json;
}

/// A token is its text, or an object with the text as "content".
void addTokens(const nlohmann::json &object, TemplateDefaults &tokens) {
  for (const char *name : tokenNames) {
    bool known = std::any_of(tokens.begin(), tokens.end(), [&](const auto &token) { return token.first == name; });
    if (known || !object.is_object() || !object.contains(name))
      continue;
    const nlohmann::json *value = &object[name];
    if (value->is_object() && value->contains("content"))
      value = &(*value)["content"];
    if (value->is_string())
      tokens.push_back({name, value->get<std::string>()});
  }
}

/// The text of a "chat_template": a string, or a list of {"name", "template"}.
Result<std::string> chosenTemplate(const nlohmann::json &value, bool tools, const std::string &where) {
  if (value.is_string())
    return value.get<std::string>();
  if (!value.is_array())
    return expectedFound(where, "a string or a list of named templates", jsonKindText(value));
  const nlohmann::json *found = nullptr;
  for (const nlohmann::json &row : value) {
    if (!row.is_object() || !row.contains("name") || !row["name"].is_string() || !row.contains("template") ||
        !row["template"].is_string())
      return expectedFound(where, "a list of objects with \"name\" and \"template\"", "another element");
    const auto &name = row["name"].get_ref<const std::string &>();
    if (name == "tool_use" && tools)
      return row["template"].get<std::string>();
    if (name == "default")
      found = &row;
  }
  if (!found)
    return expectedFound(where, "a template named 'default'", "none");
  return (*found)["template"].get<std::string>();
}

/// Of the "chat_template" in a JSON file, where it has one.
Result<bool> readTemplate(const nlohmann::json &object, const std::string &file, bool tools, TemplateSource &source) {
  if (!object.is_object() || !object.contains("chat_template") || object["chat_template"].is_null())
    return false;
  source.where = file + ": chat_template";
  auto text = chosenTemplate(object["chat_template"], tools, source.where);
  if (!text)
    return text.error();
  source.text = text.take();
  return true;
}

} // namespace

Result<std::optional<TemplateSource>> templateOfFolder(const std::string &folder, bool tools) {
  TemplateSource source;
  auto config = readObject(folder, "tokenizer_config.json"), map = readObject(folder, "special_tokens_map.json");
  if (!config)
    return config.error();
  if (!map)
    return map.error();
  addTokens(*config, source.tokens);
  addTokens(*map, source.tokens);
  if (pathExists(folder + "/chat_template.jinja")) {
    auto text = readFile(folder + "/chat_template.jinja");
    if (!text)
      return text.error();
    source.text = text.take();
    source.where = "chat_template.jinja";
    return std::optional(std::move(source));
  }
  auto found = readTemplate(*config, "tokenizer_config.json", tools, source);
  if (!found)
    return found.error();
  if (!*found) {
    auto other = readObject(folder, "chat_template.json");
    if (!other)
      return other.error();
    found = readTemplate(*other, "chat_template.json", tools, source);
    if (!found)
      return found.error();
  }
  return *found ? std::optional(std::move(source)) : std::nullopt;
}

Result<std::optional<TemplateSource>> templateOfGguf(const GgufMetadata &metadata) {
  static constexpr std::pair<const char *, const char *> ids[] = {
      {"bos_token", "tokenizer.ggml.bos_token_id"},     {"eos_token", "tokenizer.ggml.eos_token_id"},
      {"unk_token", "tokenizer.ggml.unknown_token_id"}, {"sep_token", "tokenizer.ggml.seperator_token_id"},
      {"pad_token", "tokenizer.ggml.padding_token_id"}, {"cls_token", "tokenizer.ggml.cls_token_id"},
      {"mask_token", "tokenizer.ggml.mask_token_id"}};
  const char *key = "tokenizer.chat_template";
  if (!metadata.has(key))
    return std::optional<TemplateSource>();
  auto text = metadata.text(key);
  if (!text)
    return text.error();
  TemplateSource source = {std::string(*text), metadata.where(key), {}};
  if (!metadata.has("tokenizer.ggml.tokens"))
    return std::optional(std::move(source));
  auto tokens = metadata.texts("tokenizer.ggml.tokens");
  if (!tokens)
    return tokens.error();
  for (const auto &[name, idKey] : ids) {
    if (!metadata.has(idKey))
      continue;
    auto id = metadata.integer(idKey);
    if (!id)
      return id.error();
    if (*id < 0 || uint64_t(*id) >= tokens->size())
      return expectedFound(metadata.where(idKey), "an id below " + std::to_string(tokens->size()), std::to_string(*id));
    source.tokens.push_back({name, std::string((*tokens)[size_t(*id)])});
  }
  return std::optional(std::move(source));
}

} // namespace headrace
