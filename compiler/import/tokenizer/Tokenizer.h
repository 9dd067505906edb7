// Tokenizer.h - tokenizer.json to the tokenizer section of weights.bin (runtime/abi/hr_tokenizer_format.h).
#ifndef HEADRACE_IMPORT_TOKENIZER_TOKENIZER_H
#define HEADRACE_IMPORT_TOKENIZER_TOKENIZER_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

/// Compiles the file at `path`. The bytes depend on the file and the Unicode data of the library alone.
Result<std::vector<uint8_t>> compileTokenizer(const std::string &path);

/// Compiles JSON text; `where` names it in errors.
Result<std::vector<uint8_t>> compileTokenizerText(std::string_view json, std::string_view where);

} // namespace headrace
#endif
