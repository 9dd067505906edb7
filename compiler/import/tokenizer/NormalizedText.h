// NormalizedText.h - text as the normalizers of a tokenizer leave it, by the runtime itself.
#ifndef HEADRACE_IMPORT_TOKENIZER_NORMALIZEDTEXT_H
#define HEADRACE_IMPORT_TOKENIZER_NORMALIZEDTEXT_H

#include "compiler/import/tokenizer/Spec.h"

namespace headrace::tokenizer {

/// Each text normalized on its own.
Result<std::vector<std::string>> normalizedTexts(const Spec &spec, const std::vector<std::string> &texts);

} // namespace headrace::tokenizer
#endif
