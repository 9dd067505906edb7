#include "compiler/import/template/Lexer.h"

#include "compiler/support/ErrorText.h"

#include <algorithm>
#include <array>

namespace headrace::jinja {
namespace {

Error at(uint32_t line, const std::string &message) { return Error(std::to_string(line) + ": " + message); }

/// Newlines become "\n", and one at the very end is dropped.
std::string normalized(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n')
      continue;
    out += text[i] == '\r' ? '\n' : text[i];
  }
  if (!out.empty() && out.back() == '\n')
    out.pop_back();
  return out;
}

/// Bytes of the white space character (as Python sees it) at the beginning of the text; 0: another one.
size_t spaceBytes(std::string_view text) {
  if (text.empty())
    return 0;
  const auto c = uint8_t(text[0]);
  if (c < 0x80)
    return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f) ? 1 : 0;
  static constexpr std::array<std::string_view, 21> wide = {
      "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
      "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  for (std::string_view space : wide)
    if (!space.empty() && text.substr(0, space.size()) == space)
      return space.size();
  return 0;
}

bool isNameStart(char c) { return std::isalpha(uint8_t(c)) || c == '_' || uint8_t(c) >= 0x80; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
public:
  explicit Lexer(std::string source) : source(std::move(source)) {}
  Result<std::vector<Token>> run();

private:
  std::string_view rest() const { return std::string_view(source).substr(position); }
  bool eat(std::string_view text) {
    bool found = rest().substr(0, text.size()) == text;
    if (found)
      advance(text.size());
    return found;
  }
  void advance(size_t bytes) {
    line += uint32_t(std::count(source.begin() + long(position), source.begin() + long(position + bytes), '\n'));
    position += bytes;
  }
  void skipSpace() {
    while (size_t n = spaceBytes(rest()))
      advance(n);
  }
  void add(TokenKind kind, std::string text) { tokens.push_back({kind, std::move(text), line}); }

  void addData(size_t begin, size_t tag, bool isBlock);
  bool eatRawBegin();
  bool eatEnd(std::string_view mark, bool trims);
  Result<void> readRaw();
  Result<void> readComment();
  Result<void> readTag(bool isBlock);
  Result<void> readToken();
  Result<void> readString(char quote);
  Result<void> readNumber();
  Result<void> readBased();
  Result<void> readBracket(char c);

  std::string source;
  size_t position = 0;
  uint32_t line = 1;
  bool lineStarting = true; ///< what precedes the next text was a newline, or nothing
  std::string brackets;     ///< closing ones that are awaited
  std::vector<Token> tokens;
};

/// The text before the tag at `tag`, without the white space that the tag takes away.
void Lexer::addData(size_t begin, size_t tag, bool isBlock) {
  std::string_view text = std::string_view(source).substr(begin, tag - begin);
  char sign = tag + 2 < source.size() ? source[tag + 2] : ' ';
  if (sign == '-') {
    for (size_t end = text.size(); end > 0;) {
      size_t last = end - 1;
      while (last > 0 && (uint8_t(text[last]) & 0xc0) == 0x80)
        --last;
      if (!spaceBytes(text.substr(last, end - last)))
        break;
      text = text.substr(0, end = last);
    }
  } else if (sign != '+' && isBlock) {
    size_t start = text.rfind('\n') + 1;
    std::string_view tail = text.substr(start);
    while (size_t n = spaceBytes(tail))
      tail.remove_prefix(n);
    if (tail.empty() && (start > 0 || lineStarting))
      text = text.substr(0, start);
  }
  if (!text.empty())
    add(TokenKind::data, std::string(text));
}

/// `mark` with a sign before it; `-` takes the white space behind it, trim_blocks one newline.
bool Lexer::eatEnd(std::string_view mark, bool trims) {
  if (eat("-" + std::string(mark))) {
    skipSpace();
    return true;
  }
  if (trims && eat("+" + std::string(mark)))
    return true;
  if (!eat(mark))
    return false;
  if (trims)
    eat("\n");
  return true;
}

/// `{% raw %}`; nothing is consumed when it is something else.
bool Lexer::eatRawBegin() {
  size_t from = position;
  uint32_t fromLine = line;
  advance(2);
  if (!eat("-"))
    eat("+");
  skipSpace();
  if (eat("raw")) {
    skipSpace();
    if (eat("-%}")) {
      skipSpace();
      return true;
    }
    if (eat("%}"))
      return true;
  }
  position = from;
  line = fromLine;
  return false;
}

Result<void> Lexer::readRaw() {
  uint32_t first = line;
  size_t begin = position;
  lineStarting = source[position - 1] == '\n';
  if (position == source.size()) // as Jinja has it
    return {};
  for (size_t tag = source.find("{%", begin); tag != std::string::npos; tag = source.find("{%", tag + 1)) {
    size_t before = position;
    uint32_t beforeLine = line;
    advance(tag - position);
    advance(2);
    if (!eat("-"))
      eat("+");
    skipSpace();
    if (eat("endraw")) {
      skipSpace();
      if (eatEnd("%}", true)) {
        addData(begin, tag, true);
        return {};
      }
    }
    position = before;
    line = beforeLine;
  }
  return at(first, "expected {% endraw %}, found the end of the template");
}

Result<void> Lexer::readComment() {
  uint32_t first = line;
  advance(2);
  if (position == source.size()) // as Jinja has it
    return {};
  for (; position < source.size(); advance(1))
    if (eatEnd("#}", true))
      return {};
  return at(first, "expected the end of the comment, found the end of the template");
}

void appendCode(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += char(code);
  } else if (code < 0x800) {
    out += char(0xc0 | code >> 6);
    out += char(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += char(0xe0 | code >> 12);
    out += char(0x80 | (code >> 6 & 0x3f));
    out += char(0x80 | (code & 0x3f));
  } else {
    out += char(0xf0 | code >> 18);
    out += char(0x80 | (code >> 12 & 0x3f));
    out += char(0x80 | (code >> 6 & 0x3f));
    out += char(0x80 | (code & 0x3f));
  }
}

/// Up to `most` digits of the base at `i`, which moves behind them; false: fewer than `least`.
bool readCode(std::string_view text, size_t &i, size_t least, size_t most, unsigned base, uint32_t &code) {
  size_t digits = 0;
  for (code = 0; digits < most && i < text.size() && std::isxdigit(uint8_t(text[i])); ++digits, ++i) {
    unsigned value = isDigit(text[i]) ? unsigned(text[i] - '0') : unsigned((text[i] | 32) - 'a' + 10);
    if (value >= base)
      break;
    code = code * base + value;
  }
  return digits >= least && code < 0x110000 && (code < 0xd800 || code >= 0xe000);
}

/// What the text between the quotation marks means, by Python's escapes; false: an escape that means nothing.
bool unescape(std::string_view text, std::string &out) {
  static constexpr std::string_view from = "abfnrtv\\'\"", to = "\a\b\f\n\r\t\v\\'\"";
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      out += text[i++];
      continue;
    }
    char c = text[i + 1]; // the lexer has seen to it that there is one
    i += 2;
    uint32_t code = 0;
    if (size_t which = from.find(c); which != std::string_view::npos) {
      out += to[which];
    } else if (c == 'x' || c == 'u' || c == 'U') {
      size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      if (!readCode(text, i, digits, digits, 16, code))
        return false;
      appendCode(out, code);
    } else if (c >= '0' && c <= '7') {
      readCode(text, --i, 1, 3, 8, code);
      appendCode(out, code);
    } else if (c == 'N') {
      return false;
    } else if (c != '\n') {
      out += '\\';
      out += c;
    }
  }
  return true;
}

Result<void> Lexer::readString(char quote) {
  size_t end = position + 1;
  while (end < source.size() && source[end] != quote)
    end += source[end] == '\\' ? 2 : 1;
  if (end >= source.size())
    return at(line, "expected the end of a string, found the end of the template");
  std::string text;
  if (!unescape(std::string_view(source).substr(position + 1, end - position - 1), text))
    return at(line, "expected an escape that Python knows in a string");
  add(TokenKind::string, std::move(text));
  advance(end + 1 - position);
  return {};
}

/// 0x1f, 0o17, 0b11; 64 bits.
Result<void> Lexer::readBased() {
  unsigned base = (source[position + 1] | 32) == 'x' ? 16 : (source[position + 1] | 32) == 'o' ? 8 : 2;
  uint64_t value = 0;
  size_t end = position + 2;
  for (; end < source.size() && (std::isxdigit(uint8_t(source[end])) || source[end] == '_'); ++end) {
    if (source[end] == '_')
      continue;
    unsigned digit = isDigit(source[end]) ? unsigned(source[end] - '0') : unsigned((source[end] | 32) - 'a' + 10);
    if (digit >= base || value > (uint64_t(INT64_MAX) - digit) / base)
      return at(line, "expected an integer of at most 64 bits");
    value = value * base + digit;
  }
  if (end == position + 2)
    return at(line, "expected digits of a number");
  add(TokenKind::integer, std::to_string(value));
  advance(end - position);
  return {};
}

Result<void> Lexer::readNumber() {
  std::string text;
  bool real = false;
  size_t i = position;
  auto digits = [&] {
    for (; i < source.size(); ++i)
      if (isDigit(source[i]))
        text += source[i];
      else if (source[i] != '_' || i + 1 >= source.size() || !isDigit(source[i + 1]))
        return;
  };
  if (source[i] == '0' && i + 1 < source.size() && std::string_view("xXoObB").find(source[i + 1]) != std::string::npos)
    return readBased();
  bool member = !tokens.empty() && tokens.back().kind == TokenKind::symbol && tokens.back().text == ".";
  digits();
  if (!member && i + 1 < source.size() && source[i] == '.' && isDigit(source[i + 1])) {
    real = true;
    text += source[i++];
    digits();
  }
  if (!member && i < source.size() && (source[i] | 32) == 'e') {
    size_t sign = i + 1 < source.size() && (source[i + 1] == '+' || source[i + 1] == '-');
    if (i + sign + 1 < source.size() && isDigit(source[i + sign + 1])) {
      real = true;
      text += source.substr(i, 1 + sign);
      i += 1 + sign;
      digits();
    }
  }
  if (!real && text.size() > 1 && text[0] == '0' && text.find_first_not_of('0') != std::string::npos)
    return at(line, "expected a number without leading zeros, found " + inQuotes(text));
  add(real ? TokenKind::real : TokenKind::integer, std::move(text));
  advance(i - position);
  return {};
}

Result<void> Lexer::readBracket(char c) {
  static constexpr std::string_view open = "([{", close = ")]}";
  if (size_t which = open.find(c); which != std::string_view::npos) {
    brackets += close[which];
  } else if (brackets.empty() || brackets.back() != c) {
    return at(line, std::string("expected ") +
                        (brackets.empty() ? "no closing bracket" : brackets.substr(brackets.size() - 1)) + ", found " +
                        c);
  } else {
    brackets.pop_back();
  }
  add(TokenKind::symbol, std::string(1, c));
  advance(1);
  return {};
}

Result<void> Lexer::readToken() {
  static constexpr std::array<std::string_view, 23> symbols = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "*", "/",
                                                               "%",  "~",  ">",  "<",  "=",  ".",  ":", "|", ",", ";"};
  char c = source[position];
  if (c == '"' || c == '\'')
    return readString(c);
  if (isDigit(c))
    return readNumber();
  if (isNameStart(c)) {
    size_t end = position;
    while (end < source.size() && (isNameStart(source[end]) || isDigit(source[end])))
      ++end;
    add(TokenKind::name, source.substr(position, end - position));
    advance(end - position);
    return {};
  }
  if (std::string_view("()[]{}").find(c) != std::string_view::npos)
    return readBracket(c);
  for (std::string_view symbol : symbols)
    if (!symbol.empty() && rest().substr(0, symbol.size()) == symbol) {
      add(TokenKind::symbol, std::string(symbol));
      advance(symbol.size());
      return {};
    }
  return at(line, "expected a token of the template language, found " + inQuotes(std::string(1, c)));
}

Result<void> Lexer::readTag(bool isBlock) {
  uint32_t first = line;
  add(isBlock ? TokenKind::blockBegin : TokenKind::variableBegin, "");
  advance(2);
  if (!eat("-"))
    eat("+");
  brackets.clear();
  while (true) {
    skipSpace();
    if (position == source.size())
      return at(first, std::string("expected ") + (isBlock ? "%}" : "}}") + ", found the end of the template");
    uint32_t before = line;
    if (brackets.empty() && eatEnd(isBlock ? "%}" : "}}", isBlock)) {
      tokens.push_back({isBlock ? TokenKind::blockEnd : TokenKind::variableEnd, "", before});
      return {};
    }
    HR_TRY(readToken());
  }
}

Result<std::vector<Token>> Lexer::run() {
  while (position < source.size()) {
    size_t begin = position, tag = begin;
    while ((tag = source.find('{', tag)) != std::string::npos) {
      char next = tag + 1 < source.size() ? source[tag + 1] : ' ';
      if (next == '{' || next == '%' || next == '#')
        break;
      ++tag;
    }
    if (tag == std::string::npos) {
      add(TokenKind::data, source.substr(begin));
      break;
    }
    char kind = source[tag + 1];
    uint32_t dataLine = line;
    addData(begin, tag, kind != '{');
    if (!tokens.empty() && tokens.back().kind == TokenKind::data)
      tokens.back().line = dataLine;
    advance(tag - position);
    if (kind == '#')
      HR_TRY(readComment());
    else if (kind == '%' && eatRawBegin())
      HR_TRY(readRaw());
    else
      HR_TRY(readTag(kind == '%'));
    lineStarting = source[position - 1] == '\n';
  }
  add(TokenKind::end, "");
  return std::move(tokens);
}

} // namespace

Result<std::vector<Token>> tokenize(std::string_view text) { return Lexer(normalized(text)).run(); }

} // namespace headrace::jinja
