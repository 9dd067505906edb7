#include "compiler/import/tokenizer/Charsmap.h"
#include "compiler/import/tokenizer/CodeSet.h"
#include "compiler/support/ErrorText.h"
#include "runtime/abi/hr_tokenizer_format.h"

#include <algorithm>
#include <cstring>
#include <utf8proc.h>

namespace headrace::tokenizer {

static uint32_t wordAt(std::string_view bytes, size_t at) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + at, 4);
  return word;
}

Result<std::string> charsmapOf(std::string_view base64, const std::string &where) {
  std::string map;
  uint32_t bits = 0;
  size_t count = 0;
  std::string_view digits = base64.substr(0, base64.find_last_not_of('=') + 1);
  for (char c : digits) {
    int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                : c >= 'a' && c <= 'z' ? c - 'a' + 26
                : c >= '0' && c <= '9' ? c - '0' + 52
                : c == '+'             ? 62
                : c == '/'             ? 63
                                       : -1;
    if (value < 0)
      return expectedFound(where, "base64", "the character " + inQuotes(std::string(1, c)));
    bits = bits << 6 | uint32_t(value);
    if (++count % 4 != 1)
      map.push_back(char(bits >> (6 - 2 * ((count - 1) % 4))));
  }
  if (base64.size() % 4)
    return expectedFound(where, "base64 in groups of 4 characters", std::to_string(base64.size()) + " characters");
  if (!map.empty())
    HR_TRY(checkCharsmap(map, where));
  return map;
}

Result<void> checkCharsmap(std::string_view map, const std::string &where) {
  if (map.size() < 4)
    return expectedFound(where, "the size of a double array", bytesText(map.size()));
  uint32_t bytes = wordAt(map, 0);
  if (bytes % 4 || !bytes || bytes > map.size() - 4)
    return expectedFound(where, "a double array of " + bytesText(bytes) + ", a multiple of 4",
                         bytesText(map.size() - 4) + " after its size");
  std::string_view texts = map.substr(4 + bytes);
  const auto *at = reinterpret_cast<const utf8proc_uint8_t *>(texts.data());
  utf8proc_int32_t code;
  for (size_t i = 0; i < texts.size();) {
    utf8proc_ssize_t n = utf8proc_iterate(at + i, utf8proc_ssize_t(texts.size() - i), &code);
    if (n <= 0)
      return expectedFound(where, "texts in UTF-8", "other bytes at byte " + std::to_string(4 + bytes + i));
    i += size_t(n);
  }
  return {};
}

namespace {

/// Walks every key of the double array.
struct Walker {
  const CharsmapParts &parts;
  uint32_t growth = 1;

  static uint32_t childrenOf(uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); }
  /// Nodes whose children begin at `base`, `depth` bytes below the root. Keys longer than a grapheme that is looked up
  /// do not matter.
  void walk(uint32_t base, uint32_t depth) {
    for (uint32_t byte = 1; byte < 256 && depth < 6; byte++) {
      uint32_t at = base ^ byte;
      if (at >= parts.units.size() || (parts.units[at] & 0x800000ffu) != byte)
        continue;
      uint32_t unit = parts.units[at], children = at ^ childrenOf(unit);
      if (unit >> 8 & 1)
        leaf(children, depth + 1);
      else
        walk(children, depth + 1);
    }
  }
  void leaf(uint32_t at, uint32_t keyBytes) {
    uint32_t value = at < parts.units.size() ? parts.units[at] & 0x7fffffffu : UINT32_MAX;
    if (value >= parts.texts.size())
      return;
    auto begin = parts.texts.begin() + value;
    auto bytes = uint32_t(std::find(begin, parts.texts.end(), 0) - begin);
    growth = std::max(growth, (bytes + keyBytes - 1) / keyBytes);
  }
};

} // namespace

static std::vector<uint32_t> graphemeRanges() {
  std::vector<uint32_t> ranges;
  std::vector<hr_tok_grapheme> kinds = graphemeKinds();
  for (uint32_t code = 0; code < codeLimit; code++)
    if (ranges.empty() || (ranges.back() & 0xff) != uint32_t(kinds[code]))
      ranges.push_back(code << 8 | uint32_t(kinds[code]));
  return ranges;
}

CharsmapParts charsmapParts(const std::string &map) {
  CharsmapParts parts;
  uint32_t bytes = wordAt(map, 0);
  for (uint32_t i = 0; i < bytes; i += 4)
    parts.units.push_back(wordAt(map, 4 + i));
  parts.texts.assign(map.begin() + 4 + bytes, map.end());
  static const std::vector<uint32_t> graphemes = graphemeRanges();
  parts.graphemes = graphemes;
  Walker walker{parts};
  walker.walk(Walker::childrenOf(parts.units[0]), 0);
  parts.growth = walker.growth;
  return parts;
}

} // namespace headrace::tokenizer
