// CodeSet.h - sets of Unicode code points.
#ifndef HEADRACE_IMPORT_TOKENIZER_CODESET_H
#define HEADRACE_IMPORT_TOKENIZER_CODESET_H

#include "compiler/import/tokenizer/UnicodeData.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headrace::tokenizer {

/// A set of code points as sorted, disjoint, non-adjacent ranges [first, last].
class CodeSet {
public:
  CodeSet() = default;
  static CodeSet range(uint32_t first, uint32_t last);
  /// The code points of each general category, in the order of categoryNames.
  static std::array<CodeSet, std::size(categoryNames)> ofCategories(int version);
  /// The code points of a script ("Han", "Latin" ...) in regexes, if it is one.
  static std::optional<CodeSet> ofScript(const std::string &name);

  void add(const CodeSet &other);
  CodeSet complement() const;
  CodeSet without(const CodeSet &other) const;
  CodeSet intersection(const CodeSet &other) const;
  bool contains(uint32_t code) const;
  /// With every code point whose simple case folding is that of a member.
  CodeSet withCaseVariants() const;
  const std::vector<std::pair<uint32_t, uint32_t>> &ranges() const { return spans; }
  bool operator==(const CodeSet &other) const { return spans == other.spans; }

private:
  std::vector<std::pair<uint32_t, uint32_t>> spans;
};

/// The code points of a general category ("L", "Lu", "Nd" ...) in one of the versions of UnicodeData.h, if it is one.
std::optional<CodeSet> categorySet(int version, std::string_view name);
CodeSet whiteSpaceSet();
/// \w of Rust: letters, marks, decimal digits, connector punctuation, letter-like numbers and symbols, joiners.
CodeSet wordSet();
/// \w of Oniguruma: without joiners; outside of a class also superscripts and fractions of Latin-1.
CodeSet regexWordSet(bool inClass);

// Sets of unicode::ofBert, the last one of unicode::ofNormalForms.
/// Control, format and private use characters, but for tab, line feed and carriage return.
CodeSet controlSet();
CodeSet punctuationSet(); // with the symbols of ASCII
CodeSet nonspacingMarkSet();
CodeSet markSet();

/// Code points to UTF-8 and back. Text is well-formed: JSON has been checked.
void appendUtf8(std::string &text, uint32_t code);
std::vector<uint32_t> codesOf(std::string_view text);

} // namespace headrace::tokenizer
#endif
