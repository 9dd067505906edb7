// SpecReader.h - the parts of readSpec, one per component of tokenizer.json.
#ifndef HEADRACE_IMPORT_TOKENIZER_SPECREADER_H
#define HEADRACE_IMPORT_TOKENIZER_SPECREADER_H

#include "compiler/import/tokenizer/JsonField.h"
#include "compiler/import/tokenizer/Spec.h"

namespace headrace::tokenizer {

void readModel(const JsonField &model, Spec &spec);
void readAddedTokens(const JsonField &tokens, Spec &spec);
void readNormalizer(const JsonField &normalizer, Spec &spec);
void readPreTokenizer(const JsonField &preTokenizer, Spec &spec);
void readPostProcessor(const JsonField &processor, Spec &spec);
void readDecoder(const JsonField &decoder, Spec &spec);

/// {"String": s} or {"Regex": s}; the second only where `regex` may be set.
std::string readPattern(const JsonField &pattern, bool *regex);

} // namespace headrace::tokenizer
#endif
