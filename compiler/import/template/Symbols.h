// Symbols.h - names that Jinja takes for undefined from the start of a block on.
#ifndef HEADRACE_IMPORT_TEMPLATE_SYMBOLS_H
#define HEADRACE_IMPORT_TEMPLATE_SYMBOLS_H

#include "compiler/import/template/Ast.h"

#include <set>

namespace headrace::jinja {

/// The names of one frame: the template, or the body of a loop, macro or block, which has variables of its own. Jinja
/// decides what a name means for a whole frame: one that the frame sets before it reads it, and that no frame around it
/// mentions, is undefined until it is set, whatever the context says. Blocks inside see that.
class Symbols {
public:
  explicit Symbols(const Symbols *outer) : outer(outer) {}

  /// A parameter, or the target of a loop.
  void declare(const std::string &name) { known.insert(name); }
  void declareTarget(const Node &target);
  /// What a statement or expression mentions, in order; bodies that are frames of their own are not entered.
  void visit(const Node &node);

  /// Names that are undefined at the frame's start.
  const std::set<std::string> &undefined() const { return undefinedNames; }

private:
  bool mentions(const std::string &name) const;
  void load(const std::string &name) { known.insert(name); }
  void store(const std::string &name);
  void visitTarget(const Node &target);
  void visitIf(const Node &node);

  const Symbols *outer;
  std::set<std::string> known, undefinedNames;
};

} // namespace headrace::jinja
#endif
