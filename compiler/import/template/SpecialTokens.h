// SpecialTokens.h - the special tokens of a checkpoint by the names under which its templates know them.
#ifndef HEADRACE_IMPORT_TEMPLATE_SPECIALTOKENS_H
#define HEADRACE_IMPORT_TEMPLATE_SPECIALTOKENS_H

#include "compiler/import/gguf/Metadata.h"
#include "compiler/import/template/Template.h"

#include <nlohmann/json.hpp>

namespace headrace {

/// As transformers names them: bos_token and its like, and a model's own (image_token). From tokenizer_config.json;
/// special_tokens_map.json changes it where the former lists no added tokens. Either may be null: no such file.
TemplateDefaults specialTokensOf(const nlohmann::json &config, const nlohmann::json &map);

/// Of a GGUF file: the texts of its special ids.
Result<TemplateDefaults> specialTokensOf(const GgufMetadata &metadata);

} // namespace headrace
#endif
