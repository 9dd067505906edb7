#include "compiler/import/tokenizer/UnicodeData.h"

#include <algorithm>
#include <iterator>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

namespace headrace::tokenizer {

namespace {

constexpr int ofIcu = 15;

struct NewerRow {
  uint32_t first, last;
  int version;
  std::string_view category;
  const char *script;
  hr_tok_grapheme grapheme;
  int32_t toLower;
};

/// By version, then by code point: of two rows for a code point the later one is right.
constexpr NewerRow newerRows[] = {
#include "compiler/import/tokenizer/NewerUnicode.inc"
};

/// Puts the facts of newer versions over those of ICU: `set(row, code)`.
template <typename Set> void overlay(int version, Set set) {
  for (const NewerRow &row : newerRows)
    for (uint32_t code = row.first; code <= row.last && row.version <= version; code++)
      set(row, code);
}

/// A name of a property's value without what does not count in it.
std::string looseName(std::string_view name) {
  std::string loose;
  for (char c : name)
    if (c != ' ' && c != '_' && c != '-')
      loose.push_back(c >= 'A' && c <= 'Z' ? char(c | 32) : c);
  return loose;
}

hr_tok_grapheme graphemeOfIcu(uint32_t code) {
  static constexpr std::pair<UGraphemeClusterBreak, hr_tok_grapheme> kinds[] = {
      {U_GCB_CONTROL, HR_TOK_GRAPHEME_CONTROL},
      {U_GCB_CR, HR_TOK_GRAPHEME_CONTROL},
      {U_GCB_LF, HR_TOK_GRAPHEME_CONTROL},
      {U_GCB_EXTEND, HR_TOK_GRAPHEME_EXTEND},
      {U_GCB_ZWJ, HR_TOK_GRAPHEME_ZWJ},
      {U_GCB_SPACING_MARK, HR_TOK_GRAPHEME_SPACING},
      {U_GCB_PREPEND, HR_TOK_GRAPHEME_PREPEND},
      {U_GCB_L, HR_TOK_GRAPHEME_L},
      {U_GCB_V, HR_TOK_GRAPHEME_V},
      {U_GCB_T, HR_TOK_GRAPHEME_T},
      {U_GCB_LV, HR_TOK_GRAPHEME_LV},
      {U_GCB_LVT, HR_TOK_GRAPHEME_LVT},
      {U_GCB_REGIONAL_INDICATOR, HR_TOK_GRAPHEME_REGIONAL}};
  int value = u_getIntPropertyValue(UChar32(code), UCHAR_GRAPHEME_CLUSTER_BREAK);
  for (auto [theirs, ours] : kinds)
    if (value == theirs)
      return ours;
  return u_hasBinaryProperty(UChar32(code), UCHAR_EXTENDED_PICTOGRAPHIC) ? HR_TOK_GRAPHEME_PICTURE
                                                                         : HR_TOK_GRAPHEME_OTHER;
}

} // namespace

/// In ICU's order.
const std::string_view categoryNames[30] = {"Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd",
                                            "Nl", "No", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cs", "Pd",
                                            "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf"};

bool isKnownTo(int version, uint32_t code) {
  UVersionInfo age;
  u_charAge(UChar32(code), age);
  return age[0] && age[0] <= version;
}

std::vector<uint8_t> categoriesOf(int version) {
  std::vector<uint8_t> categories(codeLimit);
  for (uint32_t code = 0; code < codeLimit; code++)
    if (isKnownTo(std::min(version, ofIcu), code))
      categories[code] = uint8_t(u_charType(UChar32(code)));
  overlay(version, [&](const NewerRow &row, uint32_t code) {
    auto name = std::find(std::begin(categoryNames), std::end(categoryNames), row.category);
    categories[code] = uint8_t(name - std::begin(categoryNames));
  });
  return categories;
}

std::optional<std::vector<bool>> scriptMembers(const std::string &name) {
  int32_t script = name.empty() ? UCHAR_INVALID_CODE : u_getPropertyValueEnum(UCHAR_SCRIPT, name.c_str());
  bool known = script != UCHAR_INVALID_CODE;
  std::vector<bool> members(codeLimit);
  for (uint32_t code = 0; code < codeLimit && known; code++) {
    UErrorCode error = U_ZERO_ERROR;
    int32_t its = isKnownTo(ofIcu, code) ? uscript_getScript(UChar32(code), &error) : USCRIPT_UNKNOWN;
    members[code] = its == script;
  }
  std::string loose = looseName(name);
  for (const NewerRow &row : newerRows) {
    if (row.version > unicode::ofRegexes)
      continue;
    int32_t its = u_getPropertyValueEnum(UCHAR_SCRIPT, row.script);
    bool member = its == UCHAR_INVALID_CODE ? looseName(row.script) == loose : its == script;
    std::fill(members.begin() + row.first, members.begin() + row.last + 1, member);
    known |= member;
  }
  return known ? std::optional(members) : std::nullopt;
}

std::vector<hr_tok_grapheme> graphemeKinds() {
  std::vector<hr_tok_grapheme> kinds(codeLimit);
  for (uint32_t code = 0; code < codeLimit; code++)
    kinds[code] = graphemeOfIcu(code);
  overlay(unicode::ofGraphemes, [&](const NewerRow &row, uint32_t code) { kinds[code] = row.grapheme; });
  return kinds;
}

/// What `map` of ICU makes of every code point, and what newer capital letters become.
template <typename Map> static std::vector<uint32_t> mapped(int version, Map map) {
  std::vector<uint32_t> result(codeLimit);
  for (uint32_t code = 0; code < codeLimit; code++)
    result[code] = isKnownTo(ofIcu, code) ? uint32_t(map(UChar32(code))) : code;
  overlay(version, [&](const NewerRow &row, uint32_t code) {
    if (row.toLower)
      result[code] = code + uint32_t(row.toLower);
  });
  return result;
}

std::vector<uint32_t> smallLetters() { return mapped(unicode::ofRust, u_tolower); }

std::vector<uint32_t> foldedLetters() {
  auto folded = mapped(unicode::ofRegexes, [](UChar32 code) { return u_foldCase(code, U_FOLD_CASE_DEFAULT); });
  folded[0x1fd3] = 0x390; // equal once folded to several letters; Unicode 15.1 says so of the single ones too
  folded[0x1fe3] = 0x3b0;
  folded[0xfb05] = 0xfb06;
  return folded;
}

/// All of them are of letters in the first plane.
const std::vector<LongFolding> &longFoldings() {
  static const std::vector<LongFolding> foldings = [] {
    std::vector<LongFolding> result;
    for (uint32_t letter = 0x80; letter < 0x10000; letter++) {
      auto code = UChar(letter);
      UChar folded[8];
      UErrorCode error = U_ZERO_ERROR;
      int32_t n = u_strFoldCase(folded, int32_t(std::size(folded)), &code, 1, U_FOLD_CASE_DEFAULT, &error);
      if (U_SUCCESS(error) && n > 1)
        result.push_back({letter, {folded, folded + n}});
    }
    return result;
  }();
  return foldings;
}

} // namespace headrace::tokenizer
