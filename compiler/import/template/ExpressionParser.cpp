#include "compiler/import/template/ExpressionParser.h"

#include "compiler/support/ErrorText.h"
#include "hr_template_format.h"

#include <algorithm>

namespace headrace::jinja {

namespace {
constexpr unsigned maxDepth = 100;
constexpr unsigned maxTree = 1000; ///< also of chains such as a + b + c

std::string describe(const Token &token) {
  switch (token.kind) {
  case TokenKind::end:
    return "the end of the template";
  case TokenKind::blockEnd:
    return "%}";
  case TokenKind::variableEnd:
    return "}}";
  case TokenKind::string:
    return "a string";
  case TokenKind::data:
  case TokenKind::blockBegin:
  case TokenKind::variableBegin:
    return "text";
  default:
    return inQuotes(token.text);
  }
}
} // namespace

/// Counts how deep the descent is.
class Deeper {
public:
  explicit Deeper(ExpressionParser &parser) : parser(parser) {
    if (++parser.depth > maxDepth)
      parser.fail(parser.current().line,
                  "expected at most " + std::to_string(maxDepth) + " expressions inside one another, found more");
  }
  ~Deeper() { --parser.depth; }

private:
  ExpressionParser &parser;
};

Token ExpressionParser::take() {
  Token token = tokens[position];
  if (token.kind != TokenKind::end)
    ++position;
  return token;
}

void ExpressionParser::fail(uint32_t line, const std::string &message) {
  if (failed())
    return;
  problem = std::to_string(line) + ": " + message;
  position = tokens.size() - 1;
}

void ExpressionParser::failExpected(const std::string &expected) {
  fail(current().line, "expected " + expected + ", found " + describe(current()));
}

void ExpressionParser::adopt(Node &parent, NodePtr child) {
  if (child)
    parent.depth = std::max(parent.depth, child->depth + 1);
  if (parent.depth > maxTree)
    fail(parent.line, "expected a shorter or less nested expression");
  parent.children.push_back(std::move(child));
}

bool ExpressionParser::eatSymbol(std::string_view text) {
  bool found = isSymbol(text);
  if (found)
    take();
  return found;
}

bool ExpressionParser::eatName(std::string_view text) {
  bool found = isName(text);
  if (found)
    take();
  return found;
}

void ExpressionParser::expectSymbol(std::string_view text) {
  if (!eatSymbol(text))
    failExpected(inQuotes(std::string(text)));
}

void ExpressionParser::expectName(std::string_view text) {
  if (!eatName(text))
    failExpected(inQuotes(std::string(text)));
}

std::string ExpressionParser::expectAnyName() {
  if (current().kind != TokenKind::name) {
    failExpected("a name");
    return {};
  }
  return take().text;
}

NodePtr ExpressionParser::expression(bool conditions) {
  Deeper deeper(*this);
  return conditions ? conditional() : either();
}

NodePtr ExpressionParser::conditional() {
  NodePtr value = either();
  while (isName("if")) {
    NodePtr node = makeNode(Kind::condition, take().line);
    adopt(*node, either());
    adopt(*node, std::move(value));
    adopt(*node, eatName("else") ? expression() : nullptr);
    value = std::move(node);
  }
  return value;
}

NodePtr ExpressionParser::binary(uint32_t line, uint32_t op, NodePtr left, NodePtr right) {
  NodePtr node = makeNode(Kind::binary, line);
  node->ops.push_back(op);
  adopt(*node, std::move(left));
  adopt(*node, std::move(right));
  return node;
}

NodePtr ExpressionParser::either() {
  NodePtr left = both();
  while (isName("or")) {
    NodePtr node = makeNode(Kind::orOp, take().line);
    adopt(*node, std::move(left));
    adopt(*node, both());
    left = std::move(node);
  }
  return left;
}

NodePtr ExpressionParser::both() {
  NodePtr left = negation();
  while (isName("and")) {
    NodePtr node = makeNode(Kind::andOp, take().line);
    adopt(*node, std::move(left));
    adopt(*node, negation());
    left = std::move(node);
  }
  return left;
}

NodePtr ExpressionParser::negation() {
  if (!isName("not"))
    return comparison();
  Deeper deeper(*this);
  NodePtr node = makeNode(Kind::notOp, take().line);
  adopt(*node, negation());
  return node;
}

bool ExpressionParser::comparisonOperator(uint32_t &op) {
  static constexpr std::pair<std::string_view, uint32_t> symbols[] = {
      {"==", HR_TPL_EQ}, {"!=", HR_TPL_NE}, {"<", HR_TPL_LT}, {"<=", HR_TPL_LE}, {">", HR_TPL_GT}, {">=", HR_TPL_GE}};
  for (const auto &[text, number] : symbols)
    if (eatSymbol(text)) {
      op = number;
      return true;
    }
  op = HR_TPL_IN;
  if (eatName("in"))
    return true;
  op = HR_TPL_NOT_IN;
  if (!isName("not") || ahead().kind != TokenKind::name || ahead().text != "in")
    return false;
  take();
  take();
  return true;
}

NodePtr ExpressionParser::comparison() {
  uint32_t line = current().line, op = 0;
  NodePtr first = sum();
  if (!comparisonOperator(op))
    return first;
  NodePtr node = makeNode(Kind::compare, line);
  adopt(*node, std::move(first));
  do {
    node->ops.push_back(op);
    adopt(*node, sum());
  } while (comparisonOperator(op));
  return node;
}

NodePtr ExpressionParser::sum() {
  NodePtr left = joined();
  while (isSymbol("+") || isSymbol("-")) {
    Token token = take();
    left = binary(token.line, token.text == "+" ? HR_TPL_ADD : HR_TPL_SUB, std::move(left), joined());
  }
  return left;
}

NodePtr ExpressionParser::joined() {
  NodePtr first = product();
  if (!isSymbol("~"))
    return first;
  NodePtr node = makeNode(Kind::join, current().line);
  adopt(*node, std::move(first));
  while (eatSymbol("~"))
    adopt(*node, product());
  return node;
}

NodePtr ExpressionParser::product() {
  NodePtr left = power();
  while (isSymbol("*") || isSymbol("/") || isSymbol("//") || isSymbol("%")) {
    Token token = take();
    uint32_t op = token.text == "*"   ? HR_TPL_MUL
                  : token.text == "/" ? HR_TPL_DIV
                  : token.text == "%" ? HR_TPL_MOD
                                      : HR_TPL_FLOORDIV;
    left = binary(token.line, op, std::move(left), power());
  }
  return left;
}

NodePtr ExpressionParser::power() {
  NodePtr left = unary(true);
  while (isSymbol("**")) {
    uint32_t line = take().line;
    left = binary(line, HR_TPL_POW, std::move(left), unary(true));
  }
  return left;
}

NodePtr ExpressionParser::unary(bool filters) {
  Deeper deeper(*this);
  NodePtr node;
  if (isSymbol("-") || isSymbol("+")) {
    Token token = take();
    node = makeNode(token.text == "-" ? Kind::negate : Kind::positive, token.line);
    adopt(*node, unary(false));
  } else {
    node = primary();
  }
  node = postfix(std::move(node), false);
  return filters ? postfix(std::move(node), true) : std::move(node);
}

NodePtr ExpressionParser::strings() {
  NodePtr node = makeNode(Kind::string, current().line);
  while (current().kind == TokenKind::string)
    node->text += take().text;
  return node;
}

NodePtr ExpressionParser::primary() {
  uint32_t line = current().line;
  switch (current().kind) {
  case TokenKind::name: {
    std::string text = take().text;
    if (text == "true" || text == "True" || text == "false" || text == "False")
      return makeNode(Kind::boolean, line, text == "true" || text == "True" ? "true" : "false");
    if (text == "none" || text == "None")
      return makeNode(Kind::none, line);
    return makeNode(Kind::name, line, text);
  }
  case TokenKind::string:
    return strings();
  case TokenKind::integer:
    return makeNode(Kind::integer, line, take().text);
  case TokenKind::real:
    return makeNode(Kind::real, line, take().text);
  default:
    break;
  }
  if (isSymbol("["))
    return list();
  if (isSymbol("{"))
    return dict();
  if (!eatSymbol("(")) {
    failExpected("an expression");
    return makeNode(Kind::none, line);
  }
  NodePtr node = tuple(true, true);
  expectSymbol(")");
  return node;
}

bool ExpressionParser::tupleEnds() const {
  return current().kind == TokenKind::variableEnd || current().kind == TokenKind::blockEnd ||
         current().kind == TokenKind::end || isSymbol(")") || isName("in") || isName("recursive");
}

NodePtr ExpressionParser::tuple(bool conditions, bool parenthesised) {
  NodePtr node = makeNode(Kind::tuple, current().line);
  bool comma = false;
  do {
    if (tupleEnds())
      break;
    adopt(*node, expression(conditions));
    comma |= isSymbol(",");
  } while (eatSymbol(","));
  if (!comma && node->children.size() == 1)
    return std::move(node->children[0]);
  if (!comma && !parenthesised)
    failExpected("an expression");
  return node;
}

NodePtr ExpressionParser::list() {
  Deeper deeper(*this);
  NodePtr node = makeNode(Kind::list, take().line);
  while (!isSymbol("]") && !failed()) {
    adopt(*node, expression());
    if (!eatSymbol(",") && !isSymbol("]"))
      failExpected("',' or ']'");
  }
  take();
  return node;
}

NodePtr ExpressionParser::dict() {
  Deeper deeper(*this);
  NodePtr node = makeNode(Kind::dict, take().line);
  while (!isSymbol("}") && !failed()) {
    adopt(*node, expression());
    expectSymbol(":");
    adopt(*node, expression());
    if (!eatSymbol(",") && !isSymbol("}"))
      failExpected("',' or '}'");
  }
  take();
  return node;
}

/// `.name`, `[key]`, `(arguments)`; with `filters` instead `|filter`, `is test`, `(arguments)`.
NodePtr ExpressionParser::postfix(NodePtr node, bool filters) {
  while (!failed()) {
    if (isSymbol("(")) {
      NodePtr call = makeNode(Kind::call, current().line);
      adopt(*call, std::move(node));
      arguments(*call, true);
      node = std::move(call);
    } else if (!filters && (isSymbol(".") || isSymbol("["))) {
      node = subscript(std::move(node));
    } else if (filters && eatSymbol("|")) {
      node = filter(std::move(node));
    } else if (filters && eatName("is")) {
      node = test(std::move(node));
    } else {
      break;
    }
  }
  return node;
}

NodePtr ExpressionParser::subscript(NodePtr object) {
  uint32_t line = current().line;
  NodePtr node;
  if (eatSymbol(".")) {
    if (current().kind == TokenKind::name) {
      node = makeNode(Kind::attribute, line, take().text);
      adopt(*node, std::move(object));
      return node;
    }
    if (current().kind != TokenKind::integer)
      failExpected("a name or a number");
    node = makeNode(Kind::item, line);
    adopt(*node, std::move(object));
    adopt(*node, makeNode(Kind::integer, line, take().text));
    return node;
  }
  take();
  node = subscripted();
  if (isSymbol(","))
    fail(line, "a subscript with several parts is not supported");
  node->depth = std::max(node->depth, object->depth + 1);
  node->children.insert(node->children.begin(), std::move(object));
  expectSymbol("]");
  return node;
}

/// An item without its object, or a slice.
NodePtr ExpressionParser::subscripted() {
  uint32_t line = current().line;
  NodePtr bounds[3];
  if (!isSymbol(":"))
    bounds[0] = expression();
  if (!isSymbol(":")) {
    NodePtr node = makeNode(Kind::item, line);
    adopt(*node, std::move(bounds[0]));
    return node;
  }
  for (int i = 1; i < 3 && eatSymbol(":"); ++i)
    if (!isSymbol(":") && !isSymbol("]") && !isSymbol(","))
      bounds[i] = expression();
  NodePtr node = makeNode(Kind::slice, line);
  for (NodePtr &bound : bounds)
    adopt(*node, std::move(bound));
  return node;
}

void ExpressionParser::arguments(Node &node, bool mayBeNamed) {
  Deeper deeper(*this);
  expectSymbol("(");
  while (!isSymbol(")") && !failed()) {
    if (isSymbol("*") || isSymbol("**"))
      fail(current().line, "arguments by " + current().text + " are not supported");
    if (current().kind == TokenKind::name && ahead().kind == TokenKind::symbol && ahead().text == "=") {
      if (!mayBeNamed)
        failExpected("no named argument");
      node.names.push_back(take().text);
      take();
    } else if (!node.names.empty()) {
      failExpected("a named argument");
    }
    adopt(node, expression());
    if (!eatSymbol(",") && !isSymbol(")"))
      failExpected("',' or ')'");
  }
  take();
  if (node.children.size() > 200)
    fail(node.line, "expected at most 200 arguments, found " + std::to_string(node.children.size()));
}

/// Behind the |.
NodePtr ExpressionParser::filter(NodePtr value) {
  NodePtr node = makeNode(Kind::filter, current().line, expectAnyName());
  while (eatSymbol("."))
    node->text += "." + expectAnyName();
  adopt(*node, std::move(value));
  if (isSymbol("("))
    arguments(*node, true);
  return node;
}

/// Behind `is`.
NodePtr ExpressionParser::test(NodePtr value) {
  bool negated = eatName("not");
  NodePtr node = makeNode(Kind::test, current().line, expectAnyName());
  while (eatSymbol("."))
    node->text += "." + expectAnyName();
  adopt(*node, std::move(value));
  TokenKind kind = current().kind;
  bool begins = kind == TokenKind::string || kind == TokenKind::integer || kind == TokenKind::real || isSymbol("[") ||
                isSymbol("{") || (kind == TokenKind::name && !isName("else") && !isName("or") && !isName("and"));
  if (isSymbol("(")) {
    arguments(*node, false);
  } else if (begins) {
    if (isName("is"))
      failExpected("one test");
    adopt(*node, postfix(primary(), false));
  }
  if (!negated)
    return node;
  NodePtr inverted = makeNode(Kind::notOp, node->line);
  adopt(*inverted, std::move(node));
  return inverted;
}

/// `spaces`: an attribute of a namespace is a target too.
NodePtr ExpressionParser::primaryTarget(bool spaces) {
  Deeper deeper(*this);
  uint32_t line = current().line;
  if (eatSymbol("(")) {
    NodePtr node = target(spaces);
    expectSymbol(")");
    return node;
  }
  std::string name = expectAnyName();
  static constexpr std::string_view constants[] = {"true", "false", "none", "True", "False", "None", "loop"};
  for (std::string_view constant : constants)
    if (name == constant && (name != "loop" || !spaces))
      fail(line, "expected a name to assign to, found " + inQuotes(name));
  NodePtr node = makeNode(Kind::name, line, name);
  if (!spaces || !eatSymbol("."))
    return node;
  NodePtr attribute = makeNode(Kind::attribute, line, expectAnyName());
  adopt(*attribute, std::move(node));
  return attribute;
}

NodePtr ExpressionParser::target(bool spaces) {
  uint32_t line = current().line;
  NodePtr first = primaryTarget(spaces);
  if (!isSymbol(","))
    return first;
  NodePtr node = makeNode(Kind::tuple, line);
  adopt(*node, std::move(first));
  while (eatSymbol(",") && current().kind != TokenKind::blockEnd && !isName("in") && !isSymbol("=") && !isSymbol(")"))
    adopt(*node, primaryTarget(spaces));
  return node;
}

} // namespace headrace::jinja
