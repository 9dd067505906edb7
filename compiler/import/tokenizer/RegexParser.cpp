#include "compiler/import/tokenizer/RegexParser.h"
#include "compiler/support/ErrorText.h"
#include "runtime/abi/hr_tokenizer_format.h"

#include <algorithm>

namespace headrace::tokenizer {

namespace {

constexpr uint32_t endOfPattern = UINT32_MAX;
constexpr int deepestGroup = 32;

/// Recursive descent over code points. Methods that can refuse return false after `refuse`.
class Parser {
public:
  Parser(const std::string &pattern, const std::string &where) : codes(codesOf(pattern)), where(where) {}

  Result<RegexNode> run() {
    RegexNode node;
    if (!parseAlternation(node) || (peek() != endOfPattern && !refuse("an unmatched )")))
      return expectedFound(where, "a regex of the supported kind", problem);
    return node;
  }

private:
  uint32_t peek(size_t ahead = 0) const { return at + ahead < codes.size() ? codes[at + ahead] : endOfPattern; }
  bool accept(uint32_t code) {
    if (peek() != code)
      return false;
    at++;
    return true;
  }
  bool acceptText(std::string_view text) {
    for (size_t i = 0; i < text.size(); i++)
      if (peek(i) != uint8_t(text[i]))
        return false;
    at += text.size();
    return true;
  }
  bool refuse(const std::string &what) {
    problem = what + " at character " + std::to_string(at);
    return false;
  }

  /// Whether the letters that come next are what a single letter folds to.
  bool atLongFolding() const;
  /// Letters that the pattern spells, not those of a property.
  bool acceptLetters(const CodeSet &letters);
  bool parseAlternation(RegexNode &node);
  bool parseSequence(RegexNode &node);
  bool parseAtom(RegexNode &node);
  bool parseGroup(RegexNode &node);
  bool parseQuantifiers(RegexNode &node);
  bool parseCounts(uint32_t &least, uint32_t &most);
  bool parseClass(CodeSet &set);
  bool parseClassRange(CodeSet &set);
  bool parseClassItem(CodeSet &set, bool &single);
  bool parseEscape(CodeSet &set, bool &single, bool inClass);
  bool parseProperty(CodeSet &set, bool complement);
  bool parseHex(CodeSet &set);
  RegexNode setNode(const CodeSet &set) const {
    RegexNode node;
    node.kind = RegexNode::Set;
    node.set = ignoreCase ? set.withCaseVariants() : set;
    return node;
  }

  std::vector<uint32_t> codes;
  std::string where, problem;
  size_t at = 0;
  bool ignoreCase = false;
  int depth = 0;
};

bool Parser::parseAlternation(RegexNode &node) {
  node.kind = RegexNode::Alternation;
  do {
    node.children.emplace_back();
    if (!parseSequence(node.children.back()))
      return false;
  } while (accept('|'));
  if (node.children.size() == 1) {
    RegexNode only = std::move(node.children[0]);
    node = std::move(only);
  }
  return true;
}

bool Parser::atLongFolding() const {
  static const std::vector<uint32_t> folded = foldedLetters();
  for (const LongFolding &folding : longFoldings()) {
    size_t n = 0;
    while (n < folding.folded.size() && peek(n) < codeLimit && folded[peek(n)] == folding.folded[n])
      n++;
    if (n == folding.folded.size())
      return true;
  }
  return false;
}

bool Parser::acceptLetters(const CodeSet &letters) {
  const auto &foldings = longFoldings();
  return !ignoreCase || std::none_of(foldings.begin(), foldings.end(), [&](const auto &one) {
    return letters.contains(one.letter);
  }) || refuse("a letter that folds to several, as \u00df to ss,");
}

bool Parser::parseSequence(RegexNode &node) {
  node.kind = RegexNode::Sequence;
  while (peek() != endOfPattern && peek() != '|' && peek() != ')') {
    if (ignoreCase && atLongFolding())
      return refuse("letters that fold together with a single one, as ss with \u00df,");
    RegexNode child;
    if (!parseAtom(child) || !parseQuantifiers(child))
      return false;
    node.children.push_back(std::move(child));
  }
  return true;
}

bool Parser::parseAtom(RegexNode &node) {
  CodeSet set;
  bool single;
  switch (peek()) {
  case '(':
    return parseGroup(node);
  case '[':
    at++;
    if (!parseClass(set))
      return false;
    break;
  case '\\':
    if (!parseEscape(set, single, false))
      return false;
    if (!single) { // case matters to a property outside of a class, as in Oniguruma
      node.kind = RegexNode::Set;
      node.set = set;
      return true;
    }
    if (!acceptLetters(set))
      return false;
    break;
  case '.':
    at++;
    set = CodeSet::range('\n', '\n').complement();
    break;
  case '$':
    at++;
    node.kind = RegexNode::LineEnd;
    return true;
  case '^':
    return refuse("^");
  case '*':
  case '+':
  case '?':
    return refuse("a quantifier without operand");
  default:
    set = CodeSet::range(peek(), peek());
    if (!acceptLetters(set))
      return false;
    at++;
  }
  node = setNode(set);
  return true;
}

/// A node that stands for one code point, whatever way it is written: a|b is [ab].
bool asSet(const RegexNode &node, CodeSet &set) {
  if (node.kind == RegexNode::Set) {
    set.add(node.set);
    return true;
  }
  if (node.kind == RegexNode::Sequence)
    return node.children.size() == 1 && asSet(node.children[0], set);
  if (node.kind != RegexNode::Alternation)
    return false;
  for (const RegexNode &child : node.children)
    if (!asSet(child, set))
      return false;
  return true;
}

bool Parser::parseGroup(RegexNode &node) {
  if (++depth > deepestGroup)
    return refuse("groups nested deeper than " + std::to_string(deepestGroup));
  size_t begin = at;
  bool outer = ignoreCase, look = false, negated = false;
  at++;
  if (acceptText("?i:"))
    ignoreCase = true;
  else if (acceptText("?-i:"))
    ignoreCase = false;
  else if (acceptText("?="))
    look = true;
  else if (acceptText("?!"))
    look = negated = true;
  else if (!acceptText("?:") && peek() == '?') {
    at = begin;
    return refuse(peek(2) == '<' && (peek(3) == '=' || peek(3) == '!') ? "lookbehind" : "an unknown kind of group");
  }
  RegexNode inner;
  if (!parseAlternation(inner))
    return false;
  if (!accept(')'))
    return refuse("a group that is not closed");
  ignoreCase = outer;
  depth--;
  CodeSet set;
  if (asSet(inner, set)) {
    node.kind = RegexNode::Set;
    node.set = set;
  } else if (!look)
    node = std::move(inner);
  if (look && node.kind != RegexNode::Set) {
    at = begin;
    return refuse("lookahead on more than one character");
  }
  if (look) {
    node.kind = RegexNode::Look;
    node.negated = negated;
  }
  return true;
}

/// {n}, {n,}, {,m} or {n,m}; anything else in braces is literal text elsewhere and refused here.
bool Parser::parseCounts(uint32_t &least, uint32_t &most) {
  auto number = [&](uint32_t &value) {
    bool any = false;
    for (value = 0; peek() >= '0' && peek() <= '9' && value <= 1000; at++, any = true)
      value = value * 10 + (peek() - '0');
    return any;
  };
  bool hasLeast = number(least), hasMost = hasLeast;
  most = least;
  if (accept(',')) {
    hasMost = number(most);
    if (!hasMost)
      most = HR_TOK_NONE;
  }
  if ((!hasLeast && !hasMost) || !accept('}'))
    return refuse("an unknown quantifier");
  if (least > 1000 || (most > 1000 && most != HR_TOK_NONE) || least > most)
    return refuse("a repeat count out of order or over 1000");
  return true;
}

bool Parser::parseQuantifiers(RegexNode &node) {
  bool counted = peek() == '{';
  uint32_t least = 0, most = HR_TOK_NONE;
  if (accept('?'))
    most = 1;
  else if (accept('+'))
    least = 1;
  else if (counted) {
    at++;
    if (!parseCounts(least, most))
      return false;
  } else if (!accept('*'))
    return true;
  if (node.kind == RegexNode::Look || node.kind == RegexNode::LineEnd)
    return refuse("a repeated assertion");
  if (peek() == '?')
    return refuse("a lazy quantifier");
  bool possessive = !counted && accept('+');
  if (peek() == '*' || peek() == '+' || peek() == '{')
    return refuse("a quantifier on a quantifier");
  RegexNode repeated;
  repeated.kind = RegexNode::Repeat;
  repeated.least = least;
  repeated.most = most;
  repeated.possessive = possessive;
  repeated.children.push_back(std::move(node));
  node = std::move(repeated);
  return true;
}

/// The rest of a class, after its [. Classes inside are members, and && takes what both sides have.
bool Parser::parseClass(CodeSet &set) {
  size_t begin = at - 1;
  bool complement = accept('^'), any = false;
  std::optional<CodeSet> before;
  if (++depth > deepestGroup)
    return refuse("classes nested deeper than " + std::to_string(deepestGroup));
  while (peek() != endOfPattern && (peek() != ']' || !any)) {
    any = true;
    if (acceptText("&&")) {
      before = before ? before->intersection(set) : set;
      set = CodeSet();
    } else if (!parseClassRange(set))
      return false;
  }
  if (!accept(']')) {
    at = begin;
    return refuse("a class that is not closed");
  }
  depth--;
  if (before)
    set = before->intersection(set);
  if (complement)
    set = (ignoreCase ? set.withCaseVariants() : set).complement();
  return true;
}

/// Adds one item, or two with a - between.
bool Parser::parseClassRange(CodeSet &set) {
  CodeSet item;
  bool single = false;
  if (!parseClassItem(item, single))
    return false;
  if (single && peek() == '-' && peek(1) != ']' && peek(1) != endOfPattern) {
    at++;
    CodeSet last;
    if (!parseClassItem(last, single))
      return false;
    uint32_t from = item.ranges()[0].first, to = single ? last.ranges()[0].first : 0;
    if (!single || to < from)
      return refuse("a class range out of order");
    item = CodeSet::range(from, to);
  }
  if (single && !acceptLetters(item))
    return false;
  set.add(item);
  return true;
}

bool Parser::parseClassItem(CodeSet &set, bool &single) {
  if (peek() == '\\')
    return parseEscape(set, single, true);
  if (peek() == ']')
    return refuse("an empty class");
  if (peek() == '[') {
    if (peek(1) == ':')
      return refuse("a POSIX class");
    at++;
    return parseClass(set);
  }
  set = CodeSet::range(peek(), peek());
  single = true;
  at++;
  return true;
}

bool Parser::parseEscape(CodeSet &set, bool &single, bool inClass) {
  uint32_t code = peek(1);
  single = false;
  at += 2;
  switch (code) {
  case 's':
  case 'S':
    set = whiteSpaceSet();
    break;
  case 'd':
  case 'D':
    set = *categorySet(unicode::ofRegexes, "Nd");
    break;
  case 'w':
  case 'W':
    set = regexWordSet(inClass);
    break;
  case 'p':
  case 'P':
    return parseProperty(set, code == 'P');
  case 'x':
  case 'u':
    single = true;
    at--;
    return parseHex(set);
  default: {
    static constexpr std::pair<char, char> controls[] = {
        {'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'f', '\f'}, {'v', '\v'}};
    single = true;
    for (auto [letter, control] : controls)
      if (code == uint32_t(letter)) {
        set = CodeSet::range(uint32_t(control), uint32_t(control));
        return true;
      }
    bool letter = (code | 32) >= 'a' && (code | 32) <= 'z';
    if (code >= 0x80 || letter || (code >= '0' && code <= '9')) {
      at -= 2;
      return refuse(code == endOfPattern ? "a \\ at the end"
                    : code < 0x80        ? std::string("\\") + char(code)
                                         : "an unknown escape");
    }
    set = CodeSet::range(code, code);
    return true;
  }
  }
  if (code < 'a')
    set = set.complement();
  return true;
}

bool Parser::parseProperty(CodeSet &set, bool complement) {
  std::string name;
  if (accept('{')) {
    if (accept('^'))
      complement = !complement;
    while (peek() != '}' && peek() != endOfPattern)
      appendUtf8(name, codes[at++]);
    if (!accept('}'))
      return refuse("a property that is not closed");
  } else if (peek() != endOfPattern)
    appendUtf8(name, codes[at++]);
  std::optional<CodeSet> category = categorySet(unicode::ofRegexes, name);
  if (!category)
    category = CodeSet::ofScript(name);
  if (!category)
    return refuse("the property " + inQuotes(name) + ", which is no general category and no script,");
  set = complement ? category->complement() : *category;
  return true;
}

/// \xHH, \x{H...} and \uHHHH; `at` is on the letter.
bool Parser::parseHex(CodeSet &set) {
  bool braces = peek() == 'x' && peek(1) == '{';
  size_t digits = peek() == 'u' ? 4 : braces ? 6 : 2, found = 0;
  uint32_t code = 0;
  at += braces ? 2 : 1;
  for (; found < digits; found++, at++) {
    uint32_t c = peek(), value = c >= '0' && c <= '9'                 ? c - '0'
                                 : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                                      : 16;
    if (value == 16)
      break;
    code = code << 4 | value;
  }
  if (braces ? !found || !accept('}') : found != digits)
    return refuse("a malformed hexadecimal escape");
  if (code >= codeLimit || (code >= 0xd800 && code < 0xe000))
    return refuse("an escape that is no code point");
  set = CodeSet::range(code, code);
  return true;
}

} // namespace

Result<RegexNode> parseRegex(const std::string &pattern, const std::string &where) {
  return Parser(pattern, where).run();
}

} // namespace headrace::tokenizer
