// TemplateSource.h - the chat templates of a checkpoint, chosen as transformers chooses them.
#ifndef HEADRACE_IMPORT_TEMPLATE_TEMPLATESOURCE_H
#define HEADRACE_IMPORT_TEMPLATE_TEMPLATESOURCE_H

#include "compiler/import/gguf/Metadata.h"
#include "compiler/import/template/Template.h"

namespace headrace {

/// Of a Hugging Face folder: chat_template.jinja and additional_chat_templates/NAME.jinja, else "chat_template" of
/// tokenizer_config.json, else chat_template.json. Of several, the one named `chosen`; where that is empty, "default",
/// and "tool_use" for contexts with tools. Nothing: the folder has no template.
Result<std::optional<TemplateSource>> templateOfFolder(const std::string &folder, const std::string &chosen = "");

/// Of the metadata of a GGUF file: tokenizer.chat_template, tokenizer.chat_template.NAME, and the tokens of its
/// vocabulary.
Result<std::optional<TemplateSource>> templateOfGguf(const GgufMetadata &metadata, const std::string &chosen = "");

} // namespace headrace
#endif
