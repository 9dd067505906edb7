// Ast.h - a template as a tree.
#ifndef HEADRACE_IMPORT_TEMPLATE_AST_H
#define HEADRACE_IMPORT_TEMPLATE_AST_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headrace::jinja {

struct Node;
using NodePtr = std::unique_ptr<Node>;
using Nodes = std::vector<NodePtr>;

/// What follows each kind are its children; `text` and `parts` where they are used.
enum class Kind {
  // expressions
  none,
  boolean, ///< text: "true" or "false"
  integer, ///< text: decimal digits
  real,
  string,
  name,      ///< text
  attribute, ///< object; text
  item,      ///< object, key
  slice,     ///< object, start?, stop?, step?
  list,
  tuple,
  dict,    ///< key, value, key, value, ...
  call,    ///< function, arguments, then named ones; names: of the named
  filter,  ///< value? (absent in blocks: what the block holds), arguments as of a call; text: the filter
  test,    ///< value, arguments; text: the test
  binary,  ///< left, right; op
  compare, ///< operand, operand, ...; ops
  join,    ///< operands of ~
  negate,
  positive,
  notOp,
  andOp,
  orOp,
  condition, ///< condition, then, else?
  // targets of assignments: name, tuple, attribute of a name
  // statements
  data, ///< text
  output,
  ifStatement,  ///< condition, body, condition, body, ..., else body
  forStatement, ///< target, iterable, condition?, body, else body?
  set,          ///< target, value
  setBlock,     ///< target, filter?, body
  with,         ///< body, target, value, target, value, ...
  macro,        ///< body, then defaults of the last parameters; text: its name; names: parameters
  callBlock,    ///< call, body, then defaults; names: parameters
  filterBlock,  ///< filter, body
  scoped,       ///< body: {% generation %}
  breakLoop,
  continueLoop,
  body ///< statements
};

struct Node {
  Kind kind;
  uint32_t line;
  uint32_t depth = 1; ///< nodes on the longest way down
  std::string text;
  std::vector<std::string> names;
  std::vector<uint32_t> ops; ///< hr_tpl_binary
  Nodes children;            ///< null: absent

  Node(Kind kind, uint32_t line, std::string text = {}) : kind(kind), line(line), text(std::move(text)) {}
};

inline NodePtr makeNode(Kind kind, uint32_t line, std::string text = {}) {
  return std::make_unique<Node>(kind, line, std::move(text));
}

} // namespace headrace::jinja
#endif
