// ExpressionParser.h - the part of the parser that reads expressions; statements build on it.
#ifndef HEADRACE_IMPORT_TEMPLATE_EXPRESSIONPARSER_H
#define HEADRACE_IMPORT_TEMPLATE_EXPRESSIONPARSER_H

#include "compiler/import/template/Ast.h"
#include "compiler/import/template/Lexer.h"

namespace headrace::jinja {

/// Recursive descent. The first error is kept in `problem`; from then on every token is the end, so that all loops
/// finish, and nodes are of no meaning.
class ExpressionParser {
public:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

protected:
  const Token &current() const { return tokens[position]; }
  const Token &ahead() const { return tokens[position + 1 < tokens.size() ? position + 1 : position]; }
  Token take();
  bool isSymbol(std::string_view text) const { return current().kind == TokenKind::symbol && current().text == text; }
  bool isName(std::string_view text) const { return current().kind == TokenKind::name && current().text == text; }
  bool eatSymbol(std::string_view text);
  bool eatName(std::string_view text);
  void expectSymbol(std::string_view text);
  void expectName(std::string_view text);
  std::string expectAnyName();
  void fail(uint32_t line, const std::string &message);
  void failExpected(const std::string &expected);
  bool failed() const { return !problem.empty(); }

  void adopt(Node &parent, NodePtr child);
  NodePtr expression(bool conditions = true);
  /// Expressions with commas between them are a tuple.
  NodePtr tuple(bool conditions, bool parenthesised);
  NodePtr target(bool spaces);
  void arguments(Node &node, bool mayBeNamed);
  NodePtr filter(NodePtr value);

  std::string problem;

private:
  NodePtr conditional();
  NodePtr either();
  NodePtr both();
  NodePtr negation();
  NodePtr comparison();
  bool comparisonOperator(uint32_t &op);
  NodePtr sum();
  NodePtr joined();
  NodePtr product();
  NodePtr power();
  NodePtr unary(bool filters);
  NodePtr primary();
  NodePtr strings();
  NodePtr list();
  NodePtr dict();
  NodePtr postfix(NodePtr node, bool filters);
  NodePtr subscript(NodePtr object);
  NodePtr subscripted();
  NodePtr test(NodePtr value);
  NodePtr primaryTarget(bool spaces);
  NodePtr binary(uint32_t line, uint32_t op, NodePtr left, NodePtr right);
  bool tupleEnds() const;

  std::vector<Token> tokens;
  size_t position = 0;
  unsigned depth = 0;

  friend class Deeper;
};

} // namespace headrace::jinja
#endif
