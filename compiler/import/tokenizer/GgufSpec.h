// GgufSpec.h - the tokenizer that the metadata of a GGUF file describes.
#ifndef HEADRACE_IMPORT_TOKENIZER_GGUFSPEC_H
#define HEADRACE_IMPORT_TOKENIZER_GGUFSPEC_H

#include "compiler/import/gguf/Metadata.h"
#include "compiler/import/tokenizer/Spec.h"

namespace headrace::tokenizer {

/// Reads the keys tokenizer.ggml.*. The result must stay in place: it points into itself.
Result<void> readGgufSpec(const GgufMetadata &metadata, Spec &spec);

} // namespace headrace::tokenizer
#endif
