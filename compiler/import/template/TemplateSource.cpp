#include "compiler/import/template/TemplateSource.h"

#include "compiler/import/template/SpecialTokens.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/support/MappedFile.h"

#include <filesystem>

namespace headrace {
namespace {

constexpr const char *defaultName = "default", *toolsName = "tool_use";

/// What a checkpoint has: one template without a name, or several by name.
struct Templates {
  std::optional<TemplateText> single;
  std::map<std::string, TemplateText> named;
  std::string where; ///< of all of them

  bool empty() const { return !single && named.empty(); }
  std::string names() const {
    std::string text;
    for (const auto &[name, ignored] : named)
      text += (text.empty() ? "" : ", ") + inQuotes(name);
    return text;
  }
};

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

/// A "chat_template": a string, a list of {"name", "template"}, or an object of texts by name.
Result<Templates> readTemplates(const nlohmann::json &value, const std::string &where) {
  Templates found;
  found.where = where;
  auto add = [&](const nlohmann::json &name, const nlohmann::json &text) {
    if (!name.is_string() || !text.is_string())
      return false;
    found.named[name.get<std::string>()] = {text.get<std::string>(), where + " " + inQuotes(name.get<std::string>())};
    return true;
  };
  if (value.is_string()) {
    found.single = TemplateText{value.get<std::string>(), where};
    return found;
  }
  if (!value.is_array() && !value.is_object())
    return expectedFound(where, "a string or a list of named templates", jsonKindText(value));
  for (const auto &[key, row] : value.items()) {
    const bool isRow = value.is_array() && row.is_object() && row.contains("name") && row.contains("template");
    if (value.is_object() ? !add(key, row) : !isRow || !add(row["name"], row["template"]))
      return expectedFound(where, "a list of objects with \"name\" and \"template\", both strings", jsonKindText(row));
  }
  if (found.named.empty())
    return expectedFound(where, "a template", "an empty list");
  return found;
}

/// The "chat_template" in a JSON file.
Result<Templates> templatesOfObject(const nlohmann::json &object, const std::string &file) {
  if (!object.is_object() || !object.contains("chat_template") || object["chat_template"].is_null())
    return Templates();
  return readTemplates(object["chat_template"], file + ": chat_template");
}

Result<void> addFile(const std::string &folder, const std::string &file, const std::string &name, Templates &found) {
  auto text = readFile(folder + "/" + file);
  if (!text)
    return text.error();
  found.named[name] = {text.take(), file};
  return {};
}

/// chat_template.jinja is the default one, those of additional_chat_templates have their files' names.
Result<Templates> templatesOfFiles(const std::string &folder) {
  namespace fs = std::filesystem;
  const std::string file = "chat_template.jinja", more = "additional_chat_templates";
  Templates found;
  found.where = more;
  if (pathExists(folder + "/" + file))
    HR_TRY(addFile(folder, file, defaultName, found));
  std::error_code ignored;
  for (fs::directory_iterator it(folder + "/" + more, ignored), end; it != end; it.increment(ignored))
    if (it->path().extension() == ".jinja")
      HR_TRY(addFile(folder, more + "/" + it->path().filename().string(), it->path().stem().string(), found));
  if (found.named.size() == 1 && found.named.count(defaultName)) {
    found.single = std::move(found.named[defaultName]);
    found.named.clear();
  }
  return found;
}

Result<TemplateSource> choose(Templates templates, const std::string &chosen) {
  TemplateSource source;
  if (!chosen.empty() && templates.single)
    return expectedFound("--chat-template", "no name, as there is one template only", inQuotes(chosen));
  if (!chosen.empty()) {
    auto found = templates.named.find(chosen);
    if (found == templates.named.end())
      return expectedFound("--chat-template", "one of " + templates.names(), inQuotes(chosen));
    source.plain = std::move(found->second);
    return source;
  }
  if (templates.single) {
    source.plain = std::move(templates.single);
    return source;
  }
  for (auto &[name, text] : templates.named)
    if (name == defaultName)
      source.plain = std::move(text);
    else if (name == toolsName)
      source.tools = std::move(text);
    else
      source.others.push_back(name);
  if (!source.plain && !source.tools)
    return expectedFound(templates.where, "a template named 'default', or --chat-template NAME", templates.names());
  return source;
}

Result<std::optional<TemplateSource>> chooseWith(Templates templates, const std::string &chosen,
                                                 TemplateDefaults tokens) {
  if (templates.empty())
    return std::optional<TemplateSource>();
  auto source = choose(std::move(templates), chosen);
  if (!source)
    return source.error();
  source->tokens = std::move(tokens);
  return std::optional(source.take());
}

} // namespace

Result<std::optional<TemplateSource>> templateOfFolder(const std::string &folder, const std::string &chosen) {
  auto config = readObject(folder, "tokenizer_config.json"), map = readObject(folder, "special_tokens_map.json");
  if (!config)
    return config.error();
  if (!map)
    return map.error();
  auto found = templatesOfFiles(folder);
  if (found && found->empty())
    found = templatesOfObject(*config, "tokenizer_config.json");
  if (found && found->empty()) {
    auto other = readObject(folder, "chat_template.json");
    if (!other)
      return other.error();
    found = templatesOfObject(*other, "chat_template.json");
  }
  if (!found)
    return found.error();
  return chooseWith(found.take(), chosen, specialTokensOf(*config, *map));
}

Result<std::optional<TemplateSource>> templateOfGguf(const GgufMetadata &metadata, const std::string &chosen) {
  const std::string key = "tokenizer.chat_template", before = key + ".";
  Templates found;
  found.where = metadata.fileName();
  for (std::string_view each : metadata.keys()) {
    if (each != key && each.compare(0, before.size(), before) != 0)
      continue;
    auto text = metadata.text(each);
    if (!text)
      return text.error();
    found.named[each == key ? defaultName : std::string(each.substr(before.size()))] = {std::string(*text),
                                                                                        metadata.where(each)};
  }
  if (found.named.size() == 1 && found.named.count(defaultName)) {
    found.single = std::move(found.named[defaultName]);
    found.named.clear();
  }
  auto tokens = specialTokensOf(metadata);
  if (!tokens)
    return tokens.error();
  return chooseWith(std::move(found), chosen, tokens.take());
}

} // namespace headrace
