// CharMaps.h - normalizers that look at one character at a time, as rows of the MAPS part.
#ifndef HEADRACE_IMPORT_TOKENIZER_CHARMAPS_H
#define HEADRACE_IMPORT_TOKENIZER_CHARMAPS_H

#include "runtime/abi/hr_tokenizer_format.h"

#include <vector>

namespace headrace::tokenizer {

struct BertOptions {
  bool cleanText, chineseCharacters, stripAccents, lowercase;
};
/// What BertNormalizer does before it decomposes: control characters go, white space becomes a space, spaces around
/// ideographs.
std::vector<hr_tok_map> bertCleaning(const BertOptions &options);
/// What it does then: accents go, letters become small.
std::vector<hr_tok_map> bertFolding(const BertOptions &options);
std::vector<hr_tok_map> lowercaseMap();
/// Removes all marks (StripAccents).
std::vector<hr_tok_map> markRemoval();
/// Nmt: control characters go, other kinds of space become a space.
std::vector<hr_tok_map> nmtMap();

/// How many times longer, in bytes, text can become; at least 1.
uint32_t growthOf(const std::vector<hr_tok_map> &rows);

} // namespace headrace::tokenizer
#endif
