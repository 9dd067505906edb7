#include "compiler/import/template/Cases.h"

#include <unicode/uchar.h>
#include <unicode/ustring.h>

namespace headrace::jinja {
namespace {

constexpr UChar32 codePoints = 0x110000;

/// The text that ICU makes of one character, as UTF-8.
template <typename Function> std::string mapped(UChar32 code, Function &&function) {
  UChar from[2], to[8];
  int32_t fromUnits = 0, toUnits = 0, bytes = 0;
  UErrorCode error = U_ZERO_ERROR;
  U16_APPEND_UNSAFE(from, fromUnits, code);
  toUnits = function(to, int32_t(std::size(to)), from, fromUnits, &error);
  char text[32];
  u_strToUTF8(text, int32_t(sizeof text), &bytes, to, toUnits, &error);
  return U_FAILURE(error) ? std::string() : std::string(text, size_t(bytes));
}

std::string utf8(UChar32 code) {
  char text[4];
  int32_t bytes = 0;
  U8_APPEND_UNSAFE(text, bytes, code);
  return std::string(text, size_t(bytes));
}

/// Beyond one character for one: what a character becomes, by hr_tpl_way; empty: what simpler rules say.
struct Mappings {
  UChar32 code;
  std::string to[4];
};

Mappings mappingsOf(UChar32 code) {
  auto cased = [](auto function) {
    return [function](UChar *to, int32_t room, const UChar *from, int32_t n, UErrorCode *error) {
      return function(to, room, from, n, "", error);
    };
  };
  Mappings full = {code, {}};
  full.to[HR_TPL_TO_LOWER] = mapped(code, cased(u_strToLower));
  full.to[HR_TPL_TO_UPPER] = mapped(code, cased(u_strToUpper));
  full.to[HR_TPL_TO_FOLD] = mapped(code, [](UChar *to, int32_t room, const UChar *from, int32_t n, UErrorCode *error) {
    return u_strFoldCase(to, room, from, n, U_FOLD_CASE_DEFAULT, error);
  });
  const std::string lower = utf8(u_tolower(code)), upper = utf8(u_toupper(code));
  if (full.to[HR_TPL_TO_UPPER] == upper)
    full.to[HR_TPL_TO_TITLE] = utf8(u_totitle(code));
  else
    full.to[HR_TPL_TO_TITLE] =
        mapped(code, [](UChar *to, int32_t room, const UChar *from, int32_t n, UErrorCode *error) {
          return u_strToTitle(to, room, from, n, nullptr, "", error);
        });
  for (unsigned way : {HR_TPL_TO_FOLD, HR_TPL_TO_TITLE})
    if (full.to[way] == full.to[way & 1])
      full.to[way].clear();
  if (full.to[HR_TPL_TO_LOWER] == lower)
    full.to[HR_TPL_TO_LOWER].clear();
  if (full.to[HR_TPL_TO_UPPER] == upper)
    full.to[HR_TPL_TO_UPPER].clear();
  return full;
}

bool isMapped(UChar32 code) {
  return u_hasBinaryProperty(code, UCHAR_CHANGES_WHEN_CASEMAPPED) ||
         u_hasBinaryProperty(code, UCHAR_CHANGES_WHEN_CASEFOLDED);
}

std::vector<Mappings> makeMappings() {
  std::vector<Mappings> all;
  for (UChar32 code = 0x80; code < codePoints; ++code)
    if (isMapped(code))
      all.push_back(mappingsOf(code));
  return all;
}

std::vector<hr_tpl_case> makeCases() {
  std::vector<hr_tpl_case> table;
  uint32_t next = 0; // where the last row would go on
  for (uint32_t code = 0x80; code < codePoints; ++code) {
    const int32_t upper = u_toupper(UChar32(code)) - int32_t(code), lower = u_tolower(UChar32(code)) - int32_t(code);
    if (upper == 0 && lower == 0)
      continue;
    if (!table.empty()) {
      hr_tpl_case &last = table.back();
      uint32_t count = last.first_and_count >> 21, first = last.first_and_count & 0x1fffff;
      if (last.upper == upper && last.lower == lower && count < 2000) {
        if (count == 1 && code - first <= 2)
          last.stride = code - first;
        next = first + count * last.stride;
        if (code == next) {
          last.first_and_count += 1u << 21;
          continue;
        }
      }
    }
    table.push_back({code | 1u << 21, upper, lower, 1});
  }
  return table;
}

std::vector<uint32_t> makeKinds() {
  std::vector<uint32_t> table = {0};
  for (UChar32 code = 0; code < codePoints; ++code) {
    const uint32_t kind = (u_hasBinaryProperty(code, UCHAR_CASED) ? HR_TPL_KIND_CASED : 0u) |
                          (u_hasBinaryProperty(code, UCHAR_CASE_IGNORABLE) ? HR_TPL_KIND_IGNORABLE : 0u) |
                          (u_charType(code) == U_TITLECASE_LETTER ? HR_TPL_KIND_TITLE : 0u);
    if (kind != table.back() >> 21)
      table.push_back(uint32_t(code) | kind << 21);
  }
  return table;
}

} // namespace

const std::vector<hr_tpl_case> &caseTable() {
  static const std::vector<hr_tpl_case> table = makeCases();
  return table;
}

std::vector<hr_tpl_special> specialTable(Section &section) {
  static const std::vector<Mappings> mappings = makeMappings();
  std::vector<hr_tpl_special> table;
  for (const Mappings &full : mappings) {
    hr_tpl_special row = {uint32_t(full.code), {}};
    for (unsigned way = 0; way < 4; ++way)
      if (!full.to[way].empty())
        row.to[way] = section.shortString(full.to[way]);
    if (row.to[0] | row.to[1] | row.to[2] | row.to[3])
      table.push_back(row);
  }
  return table;
}

const std::vector<uint32_t> &kindTable() {
  static const std::vector<uint32_t> table = makeKinds();
  return table;
}

} // namespace headrace::jinja
