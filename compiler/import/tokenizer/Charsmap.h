// Charsmap.h - precompiled character maps of SentencePiece: a double array of keys and the texts they map to.
#ifndef HEADRACE_IMPORT_TOKENIZER_CHARSMAP_H
#define HEADRACE_IMPORT_TOKENIZER_CHARSMAP_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::tokenizer {

/// Decodes base64 and checks what it holds; "" stays "". `where` names it in errors.
Result<std::string> charsmapOf(std::string_view base64, const std::string &where);
/// Checks a map that is not encoded: u32 bytes of the double array, the array, zero-ended texts.
Result<void> checkCharsmap(std::string_view map, const std::string &where);

struct CharsmapParts {
  std::vector<uint32_t> units, graphemes;
  std::vector<uint8_t> texts;
  uint32_t growth; // how many times longer text can become; at least 1
};
/// The parts of the section, of a map that was checked.
CharsmapParts charsmapParts(const std::string &map);

} // namespace headrace::tokenizer
#endif
