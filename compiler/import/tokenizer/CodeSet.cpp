#include "compiler/import/tokenizer/CodeSet.h"

#include <algorithm>
#include <string>
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
    auto fold = [](uint32_t code) { return uint32_t(utf8proc_tolower(utf8proc_toupper(int32_t(code)))); };
    std::unordered_map<uint32_t, std::vector<uint32_t>> byFold;
    for (uint32_t code = 0; code < codeLimit; code++)
      if (fold(code) != code)
        byFold[fold(code)].push_back(code);
    std::vector<std::vector<uint32_t>> result;
    for (auto &[folded, codes] : byFold) {
      if (fold(folded) == folded)
        codes.push_back(folded);
      result.push_back(codes);
    }
    return result;
  }();
  return groups;
}

CodeSet CodeSet::withCaseVariants() const {
  auto contains = [&](uint32_t code) {
    auto it = std::upper_bound(spans.begin(), spans.end(), std::pair(code, UINT32_MAX));
    return it != spans.begin() && std::prev(it)->second >= code;
  };
  CodeSet variants;
  for (const std::vector<uint32_t> &group : caseGroups())
    if (std::any_of(group.begin(), group.end(), contains))
      for (uint32_t code : group)
        variants.add(range(code, code));
  variants.add(*this);
  return variants;
}

/// Names of utf8proc's categories, by their number.
static constexpr std::string_view categoryNames[] = {"Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd",
                                                     "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm",
                                                     "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"};

std::optional<CodeSet> categorySet(std::string_view name) {
  static const std::vector<CodeSet> sets = [] {
    std::vector<CodeSet> byCategory(std::size(categoryNames));
    for (uint32_t code = 0; code < codeLimit; code++) {
      auto &spans = byCategory[size_t(utf8proc_category(int32_t(code)))].spans;
      if (!spans.empty() && spans.back().second + 1 == code)
        spans.back().second = code;
      else
        spans.push_back({code, code});
    }
    return byCategory;
  }();
  std::optional<CodeSet> set;
  for (size_t i = 0; i < sets.size(); i++)
    if (!name.empty() && categoryNames[i].substr(0, name.size()) == name) {
      if (!set)
        set.emplace();
      set->add(sets[i]);
    }
  return set;
}

/// The property White_Space.
CodeSet whiteSpaceSet() {
  CodeSet set = *categorySet("Z");
  set.add(CodeSet::range(9, 13));
  set.add(CodeSet::range(0x85, 0x85));
  return set;
}

CodeSet wordSet() {
  CodeSet set = *categorySet("L");
  for (const char *name : {"M", "Nd", "Nl", "Pc"})
    set.add(*categorySet(name));
  set.add(CodeSet::range(0x200c, 0x200d)); // joiners
  // Circled, squared and negative letters: alphabetic, though of category So.
  set.add(CodeSet::range(0x24b6, 0x24e9));
  set.add(CodeSet::range(0x1f130, 0x1f149));
  set.add(CodeSet::range(0x1f150, 0x1f169));
  set.add(CodeSet::range(0x1f170, 0x1f189));
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
