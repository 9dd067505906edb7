// TemplateSource.h - the chat template of a checkpoint, and the texts of the special tokens that templates name.
#ifndef HEADRACE_IMPORT_TEMPLATE_TEMPLATESOURCE_H
#define HEADRACE_IMPORT_TEMPLATE_TEMPLATESOURCE_H

#include "compiler/import/gguf/Metadata.h"
#include "compiler/import/template/Template.h"

#include <optional>

namespace headrace {

struct TemplateSource {
  std::string text;
  std::string where; ///< what errors call it: "chat_template.jinja"
  TemplateDefaults tokens;
};

/// Of a Hugging Face folder: chat_template.jinja, else "chat_template" of tokenizer_config.json, else
/// chat_template.json; of a list of named templates "tool_use" where `tools` are given, else "default". Tokens come
/// from tokenizer_config.json and special_tokens_map.json. Nothing: the folder has no template.
Result<std::optional<TemplateSource>> templateOfFolder(const std::string &folder, bool tools);

/// Of the metadata of a GGUF file: tokenizer.chat_template, and the tokens of its vocabulary.
Result<std::optional<TemplateSource>> templateOfGguf(const GgufMetadata &metadata);

} // namespace headrace
#endif
