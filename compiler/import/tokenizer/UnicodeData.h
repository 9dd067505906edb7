// UnicodeData.h - properties of characters, each as the component of the tokenizers library sees it that asks.
//
// Its components carry tables of different versions of Unicode, so a property is that of a version. ICU has the facts
// up to Unicode 15 (a newer one is asked for no more), NewerUnicode.inc what came in 16 and 17; newer_unicode.py makes
// it. The versions are those of tokenizers 0.23, found by asking its components about every code point;
// test/tokenizer/sweep.py proves them.
#ifndef HEADRACE_IMPORT_TOKENIZER_UNICODEDATA_H
#define HEADRACE_IMPORT_TOKENIZER_UNICODEDATA_H

#include "runtime/abi/hr_tokenizer_format.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::tokenizer {

constexpr uint32_t codeLimit = 0x110000;

namespace unicode {
constexpr int ofBert = 8;        // unicode_categories: BertNormalizer, BertPreTokenizer, Punctuation
constexpr int ofNormalForms = 9; // unicode-normalization-alignments: NFC, NFD, NFKC, NFKD, StripAccents
constexpr int ofRegexes = 16;    // Oniguruma: Split and Replace; the crate regex: Whitespace and added tokens
constexpr int ofRust = 17;       // the standard library: Digits, Lowercase (16 in tokenizers 0.22)
constexpr int ofGraphemes = 17;  // unicode-segmentation: Precompiled (16 in tokenizers 0.22)
} // namespace unicode

/// Whether a version up to 15 had assigned the code point.
bool isKnownTo(int version, uint32_t code);

// Facts about all code points, by code point.
/// General categories, as indices into categoryNames.
std::vector<uint8_t> categoriesOf(int version);
extern const std::string_view categoryNames[30];
/// Whether it is of a script in regexes; nothing if that is none.
std::optional<std::vector<bool>> scriptMembers(const std::string &name);
/// What it is in grapheme clusters.
std::vector<hr_tok_grapheme> graphemeKinds();
/// Its small letter (Lowercase), or itself.
std::vector<uint32_t> smallLetters();
/// What regexes that ignore case compare, one code point at a time.
std::vector<uint32_t> foldedLetters();

/// A letter that regexes which ignore case take for a string of more than one, as ß for "ss".
struct LongFolding {
  uint32_t letter;
  std::vector<uint32_t> folded;
};
const std::vector<LongFolding> &longFoldings();

} // namespace headrace::tokenizer
#endif
