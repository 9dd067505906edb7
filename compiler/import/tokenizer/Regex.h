// Regex.h - the regular expressions of pre-tokenizers, compiled to programs that runtime/core runs.
#ifndef HEADRACE_IMPORT_TOKENIZER_REGEX_H
#define HEADRACE_IMPORT_TOKENIZER_REGEX_H

#include "compiler/import/tokenizer/CodeSet.h"
#include "compiler/support/Result.h"

#include <string>
#include <vector>

namespace headrace::tokenizer {

/// Classes that programs refer to, shared by all of a tokenizer.
class ClassTable {
public:
  uint32_t indexOf(const CodeSet &set);
  /// The coarsest partition of all code points by membership: category per code point as ascending
  /// first << 8 | category, and for each class the categories it consists of, as bits. Fails beyond 32 categories.
  struct Partition {
    std::vector<uint32_t> ranges, classes;
  };
  Result<Partition> partition(const std::string &where) const;
  bool empty() const { return sets.empty(); }

private:
  std::vector<CodeSet> sets;
};

/// Compiles `pattern`; `where` names it in errors. Supported: alternation, groups ((?:), (?i:) and capturing, which
/// captures nothing here), classes with ranges, \s \d \w \p{category} and their complements, ? * + {n,m} (also
/// possessive ?+ *+ ++) on one character, ? and {n,m} on groups, lookahead on one character, $. All else is refused by
/// name, and so is a pattern that can match nothing.
Result<std::vector<uint32_t>> compileRegex(const std::string &pattern, const std::string &where, ClassTable &classes);

/// A program that matches one or more code points of the first set that holds the first of them, at most `most`
/// (HR_TOK_NONE: any number).
std::vector<uint32_t> runsProgram(const std::vector<CodeSet> &sets, uint32_t most, ClassTable &classes);
/// A program that matches exactly this text.
std::vector<uint32_t> literalProgram(const std::string &text);

} // namespace headrace::tokenizer
#endif
