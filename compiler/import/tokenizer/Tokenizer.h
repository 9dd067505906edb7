// Tokenizer.h - tokenizer.json, or the metadata of a GGUF file, to the tokenizer section of weights.bin (runtime/abi/hr_tokenizer_format.h).
#ifndef HEADRACE_IMPORT_TOKENIZER_TOKENIZER_H
#define HEADRACE_IMPORT_TOKENIZER_TOKENIZER_H

#include "compiler/import/gguf/Metadata.h"
#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

/// Compiles the file at `path`: a tokenizer.json or a GGUF file. The bytes depend on the file and the Unicode data of the library alone.
Result<std::vector<uint8_t>> compileTokenizer(const std::string &path);

/// Compiles JSON text; `where` names it in errors.
Result<std::vector<uint8_t>> compileTokenizerText(std::string_view json, std::string_view where);

/// Compiles what the keys tokenizer.ggml.* say: models llama, gpt2, bert and t5.
Result<std::vector<uint8_t>> compileTokenizerFromGguf(const GgufMetadata &metadata);

} // namespace headrace
#endif
