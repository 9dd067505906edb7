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

static std::vector<uint32_t> nfcOf(const std::vector<uint32_t> &codes) {
  std::string text;
  for (uint32_t code : codes)
    appendUtf8(text, code);
  utf8proc_uint8_t *mapped = nullptr;
  utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()), utf8proc_ssize_t(text.size()), &mapped,
                   utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::vector<uint32_t> result =
      bytes < 0 ? codes : codesOf(std::string_view(reinterpret_cast<char *>(mapped), size_t(bytes)));
  free(mapped);
  return result;
}

static bool isHangul(uint32_t code) { return code >= 0xac00 && code < 0xac00 + 11172; }

/// Whether a code point came later than the tables that the reference implementation normalizes with.
static bool isNewer(uint32_t code) { return !isKnownTo(unicode::ofNormalForms, code); }

/// Full decomposition: canonical, or of compatibility (`option` UTF8PROC_COMPAT).
static std::vector<uint32_t> decompositionOf(uint32_t code, int option = 0) {
  if (isNewer(code))
    return {code};
  std::array<utf8proc_int32_t, 32> buffer;
  int boundClass = 0;
  utf8proc_ssize_t n =
      utf8proc_decompose_char(int32_t(code), buffer.data(), buffer.size(),
                              utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | option), &boundClass);
  return n > 0 && n <= utf8proc_ssize_t(buffer.size()) ? std::vector<uint32_t>(buffer.begin(), buffer.begin() + n)
                                                       : std::vector<uint32_t>{code};
}

static void addRow(NormalTables &tables, std::vector<hr_tok_decompose> &rows, uint32_t code,
                   const std::vector<uint32_t> &full) {
  rows.push_back({code, uint32_t(tables.decomposed.size()) | uint32_t(full.size()) << 24});
  tables.decomposed.insert(tables.decomposed.end(), full.begin(), full.end());
}

/// Full decompositions, and the pairs that compose: a code point that is its own normal form and decomposes to d1 ...
/// dn is the composite of that of d1 ... d(n-1) and dn.
static void addDecompositions(NormalTables &tables, bool compatible) {
  for (uint32_t code = 0; code < codeLimit; code++) {
    if (isHangul(code) || (code >= 0xd800 && code < 0xe000))
      continue;
    std::vector<uint32_t> full = decompositionOf(code);
    if (compatible)
      if (std::vector<uint32_t> other = decompositionOf(code, UTF8PROC_COMPAT); other != full)
        addRow(tables, tables.decomposeK, code, other);
    if (full.size() == 1 && full[0] == code)
      continue;
    addRow(tables, tables.decompose, code, full);
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

static bool hasRow(const std::vector<hr_tok_decompose> &rows, uint32_t code) {
  auto row = std::lower_bound(rows.begin(), rows.end(), code,
                              [](const hr_tok_decompose &entry, uint32_t wanted) { return entry.code < wanted; });
  return row != rows.end() && row->code == code;
}

/// Value of a starter for composition alone: one that is its own normal form need not be taken apart when nothing
/// follows.
static bool changesUnderNfc(const std::set<uint32_t> &seconds, uint32_t code) {
  std::vector<uint32_t> full = decompositionOf(code);
  if (full == std::vector<uint32_t>{code})
    return seconds.count(code) != 0;
  bool alone = utf8proc_get_property(int32_t(full[0]))->combining_class == 0 && !seconds.count(full[0]);
  return !alone || nfcOf({code}) != std::vector<uint32_t>{code};
}

NormalTables normalTables(bool nfcAlone) {
  NormalTables tables;
  addDecompositions(tables, !nfcAlone);
  std::set<uint32_t> seconds;
  for (const hr_tok_compose &pair : tables.compose)
    seconds.insert(pair.second);
  auto valueOf = [&](uint32_t code) -> uint32_t {
    if ((code >= 0xd800 && code < 0xe000) || isNewer(code))
      return 0;
    if (uint32_t combining = uint32_t(utf8proc_get_property(int32_t(code))->combining_class))
      return combining;
    bool jamo = (code >= 0x1161 && code < 0x1161 + 21) || (code > 0x11a7 && code < 0x11a7 + 28);
    if (jamo || (isHangul(code) && !nfcAlone))
      return HR_TOK_NFC_CHANGES;
    bool changes = nfcAlone ? !isHangul(code) && (seconds.count(code) || hasRow(tables.decompose, code)) &&
                                  changesUnderNfc(seconds, code)
                            : seconds.count(code) || hasRow(tables.decompose, code) || hasRow(tables.decomposeK, code);
    return changes ? HR_TOK_NFC_CHANGES : 0;
  };
  for (uint32_t code = 0; code < codeLimit; code++) {
    uint32_t value = valueOf(code);
    if (tables.ranges.empty() || (tables.ranges.back() & 0xff) != value)
      tables.ranges.push_back(code << 8 | value);
  }
  return tables;
}

} // namespace headrace::tokenizer
