#include "compiler/import/tokenizer/Nfc.h"
#include "compiler/import/tokenizer/CodeSet.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utf8proc.h>
#include <utility>

namespace headrace::tokenizer {

std::string toNfc(const std::string &text) {
  utf8proc_uint8_t *mapped = nullptr;
  utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()), utf8proc_ssize_t(text.size()), &mapped,
                   utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string result = bytes < 0 ? text : std::string(reinterpret_cast<char *>(mapped), size_t(bytes));
  free(mapped);
  return result;
}

static std::vector<uint32_t> nfcOf(const std::vector<uint32_t> &codes) {
  std::string text;
  for (uint32_t code : codes)
    appendUtf8(text, code);
  return codesOf(toNfc(text));
}

static bool isHangul(uint32_t code) { return code >= 0xac00 && code < 0xac00 + 11172; }

/// Whether a code point came after Unicode 9, whose data the reference implementation composes with.
static bool isNewer(uint32_t code) {
  static constexpr std::pair<uint32_t, uint32_t> newer[] = {
#include "NewerCodes.inc"
  };
  auto it = std::upper_bound(std::begin(newer), std::end(newer), std::pair(code, UINT32_MAX));
  return it != std::begin(newer) && std::prev(it)->second >= code;
}

static std::vector<uint32_t> decompositionOf(uint32_t code) {
  if (isNewer(code))
    return {code};
  std::array<utf8proc_int32_t, 32> buffer;
  int boundClass = 0;
  utf8proc_ssize_t n = utf8proc_decompose_char(int32_t(code), buffer.data(), buffer.size(),
                                               utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &boundClass);
  return n > 0 && n <= utf8proc_ssize_t(buffer.size()) ? std::vector<uint32_t>(buffer.begin(), buffer.begin() + n)
                                                       : std::vector<uint32_t>{code};
}

/// Full decompositions, and the pairs that compose: a code point that is its own normal form and decomposes to d1 ...
/// dn is the composite of that of d1 ... d(n-1) and dn.
static void addDecompositions(NfcTables &tables) {
  for (uint32_t code = 0; code < codeLimit; code++) {
    if (isHangul(code) || (code >= 0xd800 && code < 0xe000))
      continue;
    std::vector<uint32_t> full = decompositionOf(code);
    if (full.size() == 1 && full[0] == code)
      continue;
    tables.decompose.push_back({code, uint32_t(tables.decomposed.size()) | uint32_t(full.size()) << 24});
    tables.decomposed.insert(tables.decomposed.end(), full.begin(), full.end());
    if (full.size() < 2 || nfcOf({code}) != std::vector<uint32_t>{code})
      continue;
    std::vector<uint32_t> first = nfcOf({full.begin(), full.end() - 1});
    if (first.size() == 1)
      tables.compose.push_back({first[0], full.back(), code});
  }
  std::sort(tables.compose.begin(), tables.compose.end(), [](const hr_tok_compose &a, const hr_tok_compose &b) {
    return std::tie(a.first, a.second) < std::tie(b.first, b.second);
  });
}

static NfcTables makeTables() {
  NfcTables tables;
  addDecompositions(tables);
  std::set<uint32_t> seconds;
  for (const hr_tok_compose &pair : tables.compose)
    seconds.insert(pair.second);
  auto valueOf = [&](uint32_t code) -> uint32_t {
    if ((code >= 0xd800 && code < 0xe000) || isNewer(code))
      return 0;
    if (uint32_t combining = uint32_t(utf8proc_get_property(int32_t(code))->combining_class))
      return combining;
    bool jamo = (code >= 0x1161 && code < 0x1161 + 21) || (code > 0x11a7 && code < 0x11a7 + 28);
    if (isHangul(code) || jamo)
      return jamo ? HR_TOK_NFC_CHANGES : 0;
    auto entry = std::lower_bound(tables.decompose.begin(), tables.decompose.end(), code,
                                  [](const hr_tok_decompose &row, uint32_t wanted) { return row.code < wanted; });
    if (entry == tables.decompose.end() || entry->code != code)
      return seconds.count(code) ? HR_TOK_NFC_CHANGES : 0;
    uint32_t first = tables.decomposed[entry->first_and_count & 0xffffff];
    bool alone = utf8proc_get_property(int32_t(first))->combining_class == 0 && !seconds.count(first);
    return alone && nfcOf({code}) == std::vector<uint32_t>{code} ? 0 : HR_TOK_NFC_CHANGES;
  };
  for (uint32_t code = 0; code < codeLimit; code++) {
    uint32_t value = valueOf(code);
    if (tables.ranges.empty() || (tables.ranges.back() & 0xff) != value)
      tables.ranges.push_back(code << 8 | value);
  }
  return tables;
}

const NfcTables &nfcTables() {
  static const NfcTables tables = makeTables();
  return tables;
}

} // namespace headrace::tokenizer
