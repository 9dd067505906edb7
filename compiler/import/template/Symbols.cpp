#include "compiler/import/template/Symbols.h"

namespace headrace::jinja {

bool Symbols::mentions(const std::string &name) const {
  return known.count(name) != 0 || (outer && outer->mentions(name));
}

void Symbols::store(const std::string &name) {
  if (known.count(name) == 0 && !(outer && outer->mentions(name)))
    undefinedNames.insert(name);
  known.insert(name);
}

void Symbols::declareTarget(const Node &target) {
  if (target.kind == Kind::name)
    declare(target.text);
  for (const NodePtr &child : target.children)
    declareTarget(*child);
}

void Symbols::visitTarget(const Node &target) {
  if (target.kind == Kind::name)
    store(target.text);
  else if (target.kind == Kind::attribute) // of a namespace, which is read
    load(target.children[0]->text);
  else
    for (const NodePtr &child : target.children)
      visitTarget(*child);
}

/// What only branches set may come from the context when none of them runs.
void Symbols::visitIf(const Node &node) {
  visit(*node.children[0]);
  const Symbols before = *this;
  std::set<std::string> after = known;
  for (size_t i = 1; i < node.children.size(); ++i) {
    *this = before;
    visit(*node.children[i]);
    after.insert(known.begin(), known.end());
  }
  *this = before;
  known = after;
}

void Symbols::visit(const Node &node) {
  switch (node.kind) {
  case Kind::name:
    return load(node.text);
  case Kind::ifStatement:
    return visitIf(node);
  case Kind::set:
    visit(*node.children[1]);
    return visitTarget(*node.children[0]);
  case Kind::setBlock:
    return visitTarget(*node.children[0]);
  case Kind::macro:
    return store(node.text);
  case Kind::forStatement:
    return visit(*node.children[1]);
  case Kind::callBlock:
  case Kind::filterBlock:
    return visit(*node.children[0]);
  case Kind::scoped:
    return;
  case Kind::with:
    for (size_t i = 2; i < node.children.size(); i += 2)
      visit(*node.children[i]);
    return;
  default:
    for (const NodePtr &child : node.children)
      if (child)
        visit(*child);
  }
}

} // namespace headrace::jinja
