// Statements of templates.
#include "compiler/import/template/Parser.h"

#include "compiler/import/template/ExpressionParser.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>
#include <initializer_list>

namespace headrace::jinja {
namespace {

constexpr unsigned maxBlocks = 60;

class StatementParser : public ExpressionParser {
public:
  using ExpressionParser::ExpressionParser;
  Result<NodePtr> run();

private:
  using Ends = std::initializer_list<std::string_view>;
  NodePtr body(Ends ends);
  NodePtr block(Ends ends);
  void blockEnd();
  void adoptStatement(Node &parent, NodePtr statement);
  NodePtr statement();
  NodePtr ifStatement();
  NodePtr forStatement();
  NodePtr set();
  NodePtr with();
  NodePtr macro();
  NodePtr callBlock();
  NodePtr filterBlock();
  NodePtr scoped();
  NodePtr loopControl();
  Nodes signature(Node &node);
  NodePtr filterChain(bool inside);

  unsigned blocks = 0; ///< open ones
  unsigned loops = 0;  ///< open ones of the innermost macro or block that runs on its own
};

void StatementParser::blockEnd() {
  if (current().kind != TokenKind::blockEnd)
    failExpected("%}");
  take();
}

/// Statements up to one of the tags, whose name is then the current token; none: up to the end of the template.
NodePtr StatementParser::body(Ends ends) {
  NodePtr node = makeNode(Kind::body, current().line);
  if (++blocks > maxBlocks)
    fail(current().line, "expected at most " + std::to_string(maxBlocks) + " blocks inside one another, found more");
  while (!failed() && current().kind != TokenKind::end) {
    Token token = take();
    NodePtr child;
    if (token.kind == TokenKind::data) {
      child = makeNode(Kind::data, token.line, token.text);
    } else if (token.kind == TokenKind::variableBegin) {
      child = makeNode(Kind::output, token.line);
      adopt(*child, tuple(true, false));
      if (current().kind != TokenKind::variableEnd)
        failExpected("}}");
      take();
    } else {
      if (current().kind == TokenKind::name && std::find(ends.begin(), ends.end(), current().text) != ends.end()) {
        --blocks;
        return node;
      }
      child = statement();
      blockEnd();
    }
    adopt(*node, std::move(child));
  }
  --blocks;
  if (ends.size() != 0)
    failExpected("{% " + std::string(*(ends.end() - 1)) + " %}");
  return node;
}

/// Behind a tag's own tokens: the rest of the tag, and the body.
NodePtr StatementParser::block(Ends ends) {
  eatSymbol(":");
  blockEnd();
  return body(ends);
}

NodePtr StatementParser::ifStatement() {
  NodePtr node = makeNode(Kind::ifStatement, take().line);
  while (!failed()) {
    adopt(*node, tuple(false, false));
    adopt(*node, block({"elif", "else", "endif"}));
    if (eatName("elif"))
      continue;
    if (eatName("else"))
      adopt(*node, block({"endif"}));
    break;
  }
  expectName("endif");
  return node;
}

NodePtr StatementParser::forStatement() {
  NodePtr node = makeNode(Kind::forStatement, take().line);
  adopt(*node, target(false));
  expectName("in");
  adopt(*node, tuple(false, false));
  adopt(*node, eatName("if") ? expression() : nullptr);
  if (isName("recursive"))
    fail(current().line, "recursive loops are not supported");
  ++loops;
  adopt(*node, block({"else", "endfor"}));
  --loops;
  adopt(*node, eatName("else") ? block({"endfor"}) : nullptr);
  expectName("endfor");
  return node;
}

/// Filters one behind the other, of what a block holds; `inside`: the first one stands without a |.
NodePtr StatementParser::filterChain(bool inside) {
  NodePtr node = inside ? filter(nullptr) : nullptr;
  while (eatSymbol("|"))
    node = filter(std::move(node));
  return node;
}

NodePtr StatementParser::set() {
  uint32_t line = take().line;
  NodePtr to = target(true);
  if (eatSymbol("=")) {
    NodePtr node = makeNode(Kind::set, line);
    adopt(*node, std::move(to));
    adopt(*node, tuple(true, false));
    return node;
  }
  NodePtr node = makeNode(Kind::setBlock, line);
  adopt(*node, std::move(to));
  adopt(*node, filterChain(false));
  adopt(*node, block({"endset"}));
  expectName("endset");
  return node;
}

NodePtr StatementParser::with() {
  NodePtr node = makeNode(Kind::with, take().line);
  adopt(*node, nullptr);
  while (current().kind != TokenKind::blockEnd && !failed()) {
    if (node->children.size() > 1)
      expectSymbol(",");
    adopt(*node, target(false));
    expectSymbol("=");
    adopt(*node, expression());
  }
  NodePtr inner = block({"endwith"});
  node->depth = std::max(node->depth, inner->depth + 1);
  node->children[0] = std::move(inner);
  expectName("endwith");
  return node;
}

/// Parameters, whose names go to the node; their defaults are returned.
Nodes StatementParser::signature(Node &node) {
  Nodes defaults;
  expectSymbol("(");
  while (!isSymbol(")") && !failed()) {
    if (!node.names.empty())
      expectSymbol(",");
    node.names.push_back(expectAnyName());
    if (eatSymbol("="))
      defaults.push_back(expression());
    else if (!defaults.empty())
      failExpected("a parameter with a default");
  }
  take();
  if (node.names.size() > 64)
    fail(node.line, "expected at most 64 parameters, found " + std::to_string(node.names.size()));
  return defaults;
}

NodePtr StatementParser::macro() {
  NodePtr node = makeNode(Kind::macro, take().line, expectAnyName());
  Nodes defaults = signature(*node);
  unsigned outer = std::exchange(loops, 0);
  adopt(*node, block({"endmacro"}));
  loops = outer;
  for (NodePtr &value : defaults)
    adopt(*node, std::move(value));
  expectName("endmacro");
  return node;
}

NodePtr StatementParser::callBlock() {
  NodePtr node = makeNode(Kind::callBlock, take().line);
  Nodes defaults;
  if (isSymbol("("))
    defaults = signature(*node);
  NodePtr call = expression();
  if (call && call->kind != Kind::call)
    failExpected("a call");
  adopt(*node, std::move(call));
  unsigned outer = std::exchange(loops, 0);
  adopt(*node, block({"endcall"}));
  loops = outer;
  for (NodePtr &value : defaults)
    adopt(*node, std::move(value));
  expectName("endcall");
  return node;
}

NodePtr StatementParser::filterBlock() {
  NodePtr node = makeNode(Kind::filterBlock, take().line);
  adopt(*node, filterChain(true));
  adopt(*node, block({"endfilter"}));
  expectName("endfilter");
  return node;
}

/// {% generation %}: marks what the model wrote; rendering takes no notice.
NodePtr StatementParser::scoped() {
  NodePtr node = makeNode(Kind::scoped, take().line);
  unsigned outer = std::exchange(loops, 0);
  adopt(*node, block({"endgeneration"}));
  loops = outer;
  expectName("endgeneration");
  return node;
}

NodePtr StatementParser::loopControl() {
  Token token = take();
  if (loops == 0)
    fail(token.line, "expected {% " + token.text + " %} inside a loop");
  return makeNode(token.text == "break" ? Kind::breakLoop : Kind::continueLoop, token.line);
}

NodePtr StatementParser::statement() {
  static constexpr std::pair<std::string_view, NodePtr (StatementParser::*)()> statements[] = {
      {"if", &StatementParser::ifStatement},
      {"for", &StatementParser::forStatement},
      {"set", &StatementParser::set},
      {"with", &StatementParser::with},
      {"macro", &StatementParser::macro},
      {"call", &StatementParser::callBlock},
      {"filter", &StatementParser::filterBlock},
      {"generation", &StatementParser::scoped},
      {"break", &StatementParser::loopControl},
      {"continue", &StatementParser::loopControl}};
  for (const auto &[name, read] : statements)
    if (isName(name))
      return (this->*read)();
  if (current().kind == TokenKind::name)
    fail(current().line, "the tag {% " + current().text + " %} is not supported here");
  failExpected("a tag");
  return makeNode(Kind::body, current().line);
}

Result<NodePtr> StatementParser::run() {
  NodePtr node = body({});
  if (failed())
    return Error(problem);
  return node;
}

} // namespace

Result<NodePtr> parseTemplate(std::vector<Token> tokens) { return StatementParser(std::move(tokens)).run(); }

} // namespace headrace::jinja
