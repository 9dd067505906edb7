#include "compiler/import/tokenizer/CodeSet.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utf8proc.h>

namespace headrace::tokenizer {

CodeSet CodeSet::range(uint32_t first, uint32_t last) {
  CodeSet set;
  set.spans.push_back({first, last});
  return set;
}

void CodeSet::add(const CodeSet &other) {
  std::vector<std::pair<uint32_t, uint32_t>> all;
  std::merge(spans.begin(), spans.end(), other.spans.begin(), other.spans.end(), std::back_inserter(all));
  spans.clear();
  for (auto [first, last] : all) {
    if (!spans.empty() && first <= spans.back().second + 1)
      spans.back().second = std::max(spans.back().second, last);
    else
      spans.push_back({first, last});
  }
}

CodeSet CodeSet::complement() const {
  CodeSet set;
  uint32_t next = 0;
  for (auto [first, last] : spans) {
    if (next < first)
      set.spans.push_back({next, first - 1});
    next = last + 1;
  }
  if (next < codeLimit)
    set.spans.push_back({next, codeLimit - 1});
  return set;
}

/// Code points that share a simple case folding, for those that are not alone.
static const std::vector<std::vector<uint32_t>> &caseGroups() {
  static const std::vector<std::vector<uint32_t>> groups = [] {
    std::vector<uint32_t> folded = foldedLetters();
    std::unordered_map<uint32_t, std::vector<uint32_t>> byFold;
    for (uint32_t code = 0; code < codeLimit; code++)
      if (folded[code] != code)
        byFold[folded[code]].push_back(code);
    std::vector<std::vector<uint32_t>> result;
    for (auto &[fold, codes] : byFold) {
      codes.push_back(fold);
      result.push_back(codes);
    }
    return result;
  }();
  return groups;
}

bool CodeSet::contains(uint32_t code) const {
  auto it = std::upper_bound(spans.begin(), spans.end(), std::pair(code, UINT32_MAX));
  return it != spans.begin() && std::prev(it)->second >= code;
}

CodeSet CodeSet::without(const CodeSet &other) const {
  CodeSet outside = complement();
  outside.add(other);
  return outside.complement();
}

CodeSet CodeSet::intersection(const CodeSet &other) const { return without(other.complement()); }

CodeSet CodeSet::withCaseVariants() const {
  CodeSet variants;
  for (const std::vector<uint32_t> &group : caseGroups())
    if (std::any_of(group.begin(), group.end(), [&](uint32_t code) { return contains(code); }))
      for (uint32_t code : group)
        variants.add(range(code, code));
  variants.add(*this);
  return variants;
}

/// Calls `add(value, set)` for the runs of code points of one value.
template <typename Values, typename Add> static void eachRun(const Values &values, Add add) {
  for (uint32_t first = 0, code = 1; code <= codeLimit; code++)
    if (code == codeLimit || values[code] != values[first]) {
      add(values[first], std::pair(first, code - 1));
      first = code;
    }
}

using CategorySets = std::array<CodeSet, std::size(categoryNames)>;

CategorySets CodeSet::ofCategories(int version) {
  CategorySets sets;
  eachRun(categoriesOf(version), [&](uint8_t category, auto run) { sets[category].spans.push_back(run); });
  return sets;
}

std::optional<CodeSet> categorySet(int version, std::string_view name) {
  static const std::map<int, CategorySets> byVersion = [] {
    std::map<int, CategorySets> sets;
    for (int each : {unicode::ofBert, unicode::ofNormalForms, unicode::ofRegexes, unicode::ofRust})
      sets.emplace(each, CodeSet::ofCategories(each));
    return sets;
  }();
  std::optional<CodeSet> set;
  for (size_t i = 0; i < std::size(categoryNames); i++)
    if (!name.empty() && categoryNames[i].substr(0, name.size()) == name) {
      if (!set)
        set.emplace();
      set->add(byVersion.at(version)[i]);
    }
  return set;
}

std::optional<CodeSet> CodeSet::ofScript(const std::string &name) {
  std::optional<std::vector<bool>> members = scriptMembers(name);
  if (!members)
    return std::nullopt;
  CodeSet set;
  eachRun(*members, [&](bool member, auto run) {
    if (member)
      set.spans.push_back(run);
  });
  return set;
}

/// The property White_Space.
CodeSet whiteSpaceSet() {
  CodeSet set = *categorySet(unicode::ofRegexes, "Z");
  set.add(CodeSet::range(9, 13));
  set.add(CodeSet::range(0x85, 0x85));
  return set;
}

CodeSet wordSet() {
  CodeSet set = *categorySet(unicode::ofRegexes, "L");
  for (const char *name : {"M", "Nd", "Nl", "Pc"})
    set.add(*categorySet(unicode::ofRegexes, name));
  set.add(CodeSet::range(0x200c, 0x200d)); // joiners
  // Circled, squared and negative letters: alphabetic, though of category So.
  set.add(CodeSet::range(0x24b6, 0x24e9));
  set.add(CodeSet::range(0x1f130, 0x1f149));
  set.add(CodeSet::range(0x1f150, 0x1f169));
  set.add(CodeSet::range(0x1f170, 0x1f189));
  return set;
}

CodeSet regexWordSet(bool inClass) {
  CodeSet set = wordSet().without(CodeSet::range(0x200c, 0x200d));
  if (!inClass)
    for (auto [first, last] : {std::pair(0xb2, 0xb3), {0xb9, 0xb9}, {0xbc, 0xbe}})
      set.add(CodeSet::range(uint32_t(first), uint32_t(last)));
  return set;
}

CodeSet controlSet() {
  CodeSet set = *categorySet(unicode::ofBert, "Cc");
  set.add(*categorySet(unicode::ofBert, "Cf"));
  set.add(*categorySet(unicode::ofBert, "Co"));
  return set.without(CodeSet::range(9, 10)).without(CodeSet::range(13, 13));
}

CodeSet punctuationSet() {
  CodeSet set = *categorySet(unicode::ofBert, "P");
  for (char symbol : std::string_view("$+<=>^`|~"))
    set.add(CodeSet::range(uint8_t(symbol), uint8_t(symbol)));
  for (uint32_t code : {0x166d, 0x111c9}) // of other categories since
    set.add(CodeSet::range(code, code));
  return set;
}

CodeSet nonspacingMarkSet() {
  CodeSet set = *categorySet(unicode::ofBert, "Mn");
  for (uint32_t code : {0x1885, 0x1886, 0xa9bd, 0x111c9}) // of other categories then
    set = set.without(CodeSet::range(code, code));
  set.add(CodeSet::range(0x1734, 0x1734));
  return set;
}

CodeSet markSet() {
  CodeSet set = categorySet(unicode::ofNormalForms, "M")->without(CodeSet::range(0x111c9, 0x111c9));
  set.add(CodeSet::range(0x1cf2, 0x1cf3));
  return set;
}

void appendUtf8(std::string &text, uint32_t code) {
  uint8_t bytes[4];
  text.append(reinterpret_cast<char *>(bytes), size_t(utf8proc_encode_char(int32_t(code), bytes)));
}

std::vector<uint32_t> codesOf(std::string_view text) {
  std::vector<uint32_t> codes;
  const auto *at = reinterpret_cast<const uint8_t *>(text.data());
  for (auto left = utf8proc_ssize_t(text.size()); left > 0;) {
    utf8proc_int32_t code;
    utf8proc_ssize_t bytes = utf8proc_iterate(at, left, &code);
    if (bytes <= 0)
      break;
    codes.push_back(uint32_t(code));
    at += bytes;
    left -= bytes;
  }
  return codes;
}

} // namespace headrace::tokenizer
