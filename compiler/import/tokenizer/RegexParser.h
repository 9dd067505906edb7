// RegexParser.h - regular expressions to a syntax tree.
#ifndef HEADRACE_IMPORT_TOKENIZER_REGEXPARSER_H
#define HEADRACE_IMPORT_TOKENIZER_REGEXPARSER_H

#include "compiler/import/tokenizer/CodeSet.h"
#include "compiler/support/Result.h"

#include <string>
#include <vector>

namespace headrace::tokenizer {

struct RegexNode {
  enum Kind {
    Set,         // one code point of `set`
    Sequence,    // children in order
    Alternation, // the first child that lets the whole match
    Repeat,      // the only child, `least` to `most` times
    Look,        // the next code point is of `set` (or, negated, is not)
    LineEnd
  };
  Kind kind = Sequence;
  CodeSet set;
  std::vector<RegexNode> children;
  uint32_t least = 0, most = 0;
  bool possessive = false;
  bool negated = false;
};

Result<RegexNode> parseRegex(const std::string &pattern, const std::string &where);

} // namespace headrace::tokenizer
#endif
