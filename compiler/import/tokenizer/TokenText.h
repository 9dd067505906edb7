// TokenText.h - the text that a token gives when it is decoded.
#ifndef HEADRACE_IMPORT_TOKENIZER_TOKENTEXT_H
#define HEADRACE_IMPORT_TOKENIZER_TOKENTEXT_H

#include "compiler/import/tokenizer/Spec.h"

namespace headrace::tokenizer {

struct TokenText {
  std::string text;
  bool isByte = false;     // text is one byte of a character
  bool spaceAfter = false; // a space follows when another token does
};

/// What the decoders make of a vocabulary string, as the first token of all or as a later one.
Result<TokenText> textOfToken(const Spec &spec, const std::string &token, bool first);

} // namespace headrace::tokenizer
#endif
