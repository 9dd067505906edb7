// Lexer.h - a chat template's text as tokens, with white space handled as Hugging Face asks of Jinja: trim_blocks,
// lstrip_blocks, `-` and `+` at tags, no trailing newline kept.
#ifndef HEADRACE_IMPORT_TEMPLATE_LEXER_H
#define HEADRACE_IMPORT_TEMPLATE_LEXER_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::jinja {

enum class TokenKind {
  data,          ///< text that is put out as it is
  variableBegin, ///< {{
  variableEnd,
  blockBegin, ///< {%
  blockEnd,
  name,
  string,
  integer,
  real,
  symbol, ///< an operator or a bracket
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text; ///< of a string what it means, of others as written
  uint32_t line = 1;
};

/// An error is "LINE: message".
Result<std::vector<Token>> tokenize(std::string_view text);

} // namespace headrace::jinja
#endif
