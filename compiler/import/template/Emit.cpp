#include "compiler/import/template/Emit.h"

#include "compiler/import/template/Signatures.h"
#include "compiler/import/template/Symbols.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <list>
#include <map>
#include <utility>

namespace headrace::jinja {
namespace {

class Emitter {
public:
  explicit Emitter(Section &section) : out(section) {}
  Result<void> run(const Node &body);

private:
  /// A loop being emitted: where its jumps lead, and what they have to close on their way.
  struct Loop {
    uint32_t begin = 0;
    unsigned scopes = 0, captures = 0; ///< open inside
    std::vector<uint32_t> breaks;
  };
  struct Pending {
    const Node *node;
    uint32_t macro;
    const Symbols *frame; ///< around it
  };

  uint32_t here() const { return uint32_t(out.code.size()); }
  uint32_t add(hr_tpl_op op, uint32_t operand = 0) {
    out.code.push_back(uint32_t(op) | operand << 8);
    return here() - 1;
  }
  void land(uint32_t jump) { jinja::land(out, jump); }
  void atLine(uint32_t line) {
    if (out.lines.empty() || out.lines.back().line != line)
      out.lines.push_back({here(), line});
  }
  void fail(uint32_t line, const std::string &message) {
    if (problem.empty())
      problem = std::to_string(line) + ": " + message;
  }
  void constant(uint32_t kind, uint64_t bits = 0) { add(HR_TPL_OP_CONST, out.constant(kind, bits)); }
  void absent() { constant(HR_TPL_ABSENT); }

  void expression(const Node &node);
  void simple(const Node &node);
  void integer(const Node &node);
  void compare(const Node &node);
  void condition(const Node &node);
  void shortCircuit(const Node &node);
  void call(const Node &node, uint32_t morePairs = 0);
  void filter(const Node &node);
  void unknown(const Node &node, const std::string &what);
  void boundArguments(const Node &node, size_t first, const FilterSignature &signature);
  void mapFilter(const Node &node);
  void selectFilter(const Node &node, uint32_t filter, bool byAttribute);
  void test(const Node &node);
  void store(const Node &target);

  /// Emits what belongs to a frame that has no conditions yet.
  template <typename Body> void unconditional(Body body) {
    unsigned outer = std::exchange(conditions, 0);
    body();
    conditions = outer;
  }
  Symbols &openFrame();
  void enterFrame(const Node &body);
  void closeFrame() {
    frame = frames[frame];
    conditions = outerConditions.back();
    outerConditions.pop_back();
  }
  void statement(const Node &node);
  void ifStatement(const Node &node);
  void forStatement(const Node &node);
  void filtered(const Node &node);
  void set(const Node &node);
  void with(const Node &node);
  void scope() {
    add(HR_TPL_OP_SCOPE);
    if (!loops.empty())
      ++loops.back().scopes;
  }
  void scopeEnd() {
    add(HR_TPL_OP_SCOPE_END);
    if (!loops.empty())
      --loops.back().scopes;
  }
  void capture(const Node &body);
  void leaveLoop(const Node &node);
  void macroValue(const Node &node, bool isCaller);
  void macroBody(const Pending &pending);
  void callBlock(const Node &node);

  Section &out;
  std::string problem;
  std::vector<Loop> loops;
  std::vector<Pending> pending;
  std::list<Symbols> symbols;
  std::map<const Symbols *, const Symbols *> frames; ///< to the one around
  const Symbols *frame = nullptr;                    ///< the innermost
  unsigned conditions = 0; ///< of the innermost frame, that decide whether what is emitted runs
  std::vector<unsigned> outerConditions;
};

/// Whether the name is read anywhere below.
bool mentions(const Node &node, std::string_view name) {
  if (node.kind == Kind::name && node.text == name)
    return true;
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](const NodePtr &child) { return child && mentions(*child, name); });
}

void Emitter::integer(const Node &node) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
  if (error != std::errc() || value > uint64_t(INT64_MAX))
    fail(node.line, "expected an integer of at most 64 bits, found " + inQuotes(node.text));
  constant(HR_TPL_INT, value);
}

void Emitter::simple(const Node &node) {
  switch (node.kind) {
  case Kind::none:
    return constant(HR_TPL_NONE);
  case Kind::boolean:
    return constant(HR_TPL_BOOL, node.text == "true");
  case Kind::integer:
    return integer(node);
  case Kind::real: {
    double value = 0; // out of range: from_chars leaves it, Python makes it 0 or infinity
    auto read = std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
    if (read.ec != std::errc())
      fail(node.line, "expected a float in the range of a double, found " + inQuotes(node.text));
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return constant(HR_TPL_FLOAT, bits);
  }
  case Kind::string:
    add(HR_TPL_OP_CONST, out.stringConstant(node.text));
    return;
  default:
    add(HR_TPL_OP_LOAD, out.name(node.text));
  }
}

void Emitter::compare(const Node &node) {
  std::vector<uint32_t> outs;
  expression(*node.children[0]);
  for (size_t i = 0; i < node.ops.size(); ++i) {
    bool last = i + 1 == node.ops.size();
    expression(*node.children[i + 1]);
    atLine(node.line);
    add(last ? HR_TPL_OP_BINARY : HR_TPL_OP_CHAIN, node.ops[i]);
    if (!last)
      outs.push_back(add(HR_TPL_OP_FALSE_OR_POP));
  }
  if (outs.empty())
    return;
  uint32_t over = add(HR_TPL_OP_JUMP);
  for (uint32_t jump : outs)
    land(jump);
  add(HR_TPL_OP_NIP);
  land(over);
}

void Emitter::condition(const Node &node) {
  ++conditions;
  expression(*node.children[0]);
  uint32_t otherwise = add(HR_TPL_OP_IF_FALSE);
  expression(*node.children[1]);
  uint32_t over = add(HR_TPL_OP_JUMP);
  land(otherwise);
  if (node.children[2])
    expression(*node.children[2]);
  else // an undefined value that says why
    add(HR_TPL_OP_LOAD, out.name("the inline if-expression without an else"));
  --conditions;
  land(over);
}

void Emitter::shortCircuit(const Node &node) {
  expression(*node.children[0]);
  uint32_t over = add(node.kind == Kind::andOp ? HR_TPL_OP_FALSE_OR_POP : HR_TPL_OP_TRUE_OR_POP);
  expression(*node.children[1]);
  land(over);
}

void Emitter::call(const Node &node, uint32_t morePairs) {
  size_t named = node.names.size(), plain = node.children.size() - 1 - named;
  for (size_t i = 0; i <= plain; ++i)
    expression(*node.children[i]);
  for (size_t i = 0; i < named; ++i) {
    add(HR_TPL_OP_CONST, out.stringConstant(node.names[i]));
    expression(*node.children[1 + plain + i]);
  }
  if (morePairs) { // the macro that a call block hands over
    add(HR_TPL_OP_CONST, out.stringConstant("caller"));
    add(HR_TPL_OP_MACRO, uint32_t(out.macros.size() - 1));
  }
  atLine(node.line);
  add(HR_TPL_OP_CALL, uint32_t(plain) | uint32_t(named + morePairs) << 8);
}

/// Arguments of a filter from the child `first` on, each in its parameter's place.
void Emitter::boundArguments(const Node &node, size_t first, const FilterSignature &signature) {
  size_t named = node.names.size(), plain = node.children.size() - first - named;
  if (signature.any) {
    if (named)
      fail(node.line, "the filter " + inQuotes(node.text) + " takes no named arguments here");
    for (size_t i = 0; i < plain; ++i)
      expression(*node.children[first + i]);
    return;
  }
  std::vector<const Node *> places(signature.parameters.size());
  if (plain > places.size())
    return fail(node.line, "the filter " + inQuotes(node.text) + ": expected at most " + std::to_string(places.size()) +
                               " arguments, found " + std::to_string(plain));
  for (size_t i = 0; i < plain; ++i)
    places[i] = node.children[first + i].get();
  for (size_t i = 0; i < named; ++i) {
    auto place = std::find(signature.parameters.begin(), signature.parameters.end(), node.names[i]);
    if (place == signature.parameters.end() || places[size_t(place - signature.parameters.begin())])
      return fail(node.line, "the filter " + inQuotes(node.text) + " has no free parameter " + inQuotes(node.names[i]));
    places[size_t(place - signature.parameters.begin())] = node.children[first + plain + i].get();
  }
  for (const Node *place : places)
    place ? expression(*place) : absent();
}

/// map(attribute=...), or map("filter", arguments).
void Emitter::mapFilter(const Node &node) {
  if (node.children.size() > 1 && !node.names.empty() && node.children.size() - 1 == node.names.size()) {
    FilterSignature signature = {HR_TPL_FILTER_map_attribute, {"attribute", "default"}, false};
    boundArguments(node, 1, signature);
    atLine(node.line);
    add(HR_TPL_OP_FILTER, HR_TPL_FILTER_map_attribute | 3u << 8);
    return;
  }
  if (node.children.size() < 2 || node.children[1]->kind != Kind::string)
    return fail(node.line, "map: expected attribute= or the name of a filter");
  auto signature = findFilter(node.children[1]->text);
  if (!signature || signature->any)
    return fail(node.line, "map with the filter " + inQuotes(node.children[1]->text) + " is not supported");
  if (asksForCase(node.children[1]->text))
    out.needsCases = true;
  constant(HR_TPL_INT, signature->filter);
  boundArguments(node, 2, *signature);
  atLine(node.line);
  add(HR_TPL_OP_FILTER, HR_TPL_FILTER_map | uint32_t(2 + signature->parameters.size()) << 8);
}

/// select("test", argument), selectattr("attribute", "test", argument).
void Emitter::selectFilter(const Node &node, uint32_t filter, bool byAttribute) {
  size_t place = 1 + byAttribute;
  TestSignature signature = {HR_TPL_TEST_truthy, 0};
  if (!node.names.empty() || node.children.size() < place)
    return fail(node.line, "the filter " + inQuotes(node.text) + ": expected arguments without names");
  if (byAttribute)
    expression(*node.children[1]);
  if (node.children.size() > place) {
    const Node &name = *node.children[place];
    auto found = name.kind == Kind::string ? findTest(name.text) : std::nullopt;
    if (!found)
      return fail(node.line, "the filter " + inQuotes(node.text) + ": expected the name of a test, found " +
                                 (name.kind == Kind::string ? inQuotes(name.text) : "an expression"));
    signature = *found;
  }
  size_t given = node.children.size() > place ? node.children.size() - place - 1 : 0;
  if (given != signature.arguments)
    return fail(node.line, "the filter " + inQuotes(node.text) + ": expected a test with " +
                               std::to_string(signature.arguments) + " arguments, found " + std::to_string(given));
  constant(HR_TPL_INT, signature.test);
  if (given)
    expression(*node.children[place + 1]);
  atLine(node.line);
  add(HR_TPL_OP_FILTER, filter | uint32_t(place + 1 + given) << 8);
}

/// A filter or test that Jinja does not know either fails when it is reached, if it stands under a condition of its own
/// frame or in one.
void Emitter::unknown(const Node &node, const std::string &what) {
  if (conditions == 0 || isOfJinja(node.text))
    return fail(node.line, "the " + what + " " + inQuotes(node.text) + " is not supported");
  add(HR_TPL_OP_LOAD, out.name("raise_exception"));
  add(HR_TPL_OP_CONST, out.stringConstant("No " + what + " named '" + node.text + "'."));
  atLine(node.line);
  add(HR_TPL_OP_CALL, 1);
}

/// The value is on the stack when the node's first child is null.
void Emitter::filter(const Node &node) {
  if (node.children[0])
    expression(*node.children[0]);
  auto signature = findFilter(node.text);
  if (!signature)
    return unknown(node, "filter");
  if (asksForCase(node.text))
    out.needsCases = true;
  switch (signature->filter) {
  case HR_TPL_FILTER_map:
    return mapFilter(node);
  case HR_TPL_FILTER_select:
  case HR_TPL_FILTER_reject:
    return selectFilter(node, signature->filter, false);
  case HR_TPL_FILTER_selectattr:
  case HR_TPL_FILTER_rejectattr:
    return selectFilter(node, signature->filter, true);
  default:
    boundArguments(node, 1, *signature);
    size_t values = signature->any ? node.children.size() : 1 + signature->parameters.size();
    atLine(node.line);
    add(HR_TPL_OP_FILTER, signature->filter | uint32_t(values) << 8);
  }
}

void Emitter::test(const Node &node) {
  auto signature = findTest(node.text);
  if (!signature)
    return unknown(node, "test");
  if (asksForCase(node.text))
    out.needsCases = true;
  if (node.children.size() != 1 + signature->arguments)
    return fail(node.line, "the test " + inQuotes(node.text) + ": expected " + std::to_string(signature->arguments) +
                               " arguments, found " + std::to_string(node.children.size() - 1));
  for (const NodePtr &child : node.children)
    expression(*child);
  atLine(node.line);
  add(HR_TPL_OP_TEST, signature->test | uint32_t(node.children.size()) << 8);
}

void Emitter::expression(const Node &node) {
  atLine(node.line);
  auto all = [&](hr_tpl_op op, uint32_t operand) {
    for (const NodePtr &child : node.children)
      child ? expression(*child) : absent();
    atLine(node.line);
    add(op, operand);
  };
  auto count = uint32_t(node.children.size());
  switch (node.kind) {
  case Kind::attribute:
    out.needsCases |= asksForCase(node.text);
    return all(HR_TPL_OP_ATTRIBUTE, out.name(node.text));
  case Kind::item:
    return all(HR_TPL_OP_ITEM, 0);
  case Kind::slice:
    return all(HR_TPL_OP_SLICE, 0);
  case Kind::list:
    return all(HR_TPL_OP_LIST, count);
  case Kind::tuple:
    return all(HR_TPL_OP_TUPLE, count);
  case Kind::dict:
    return all(HR_TPL_OP_DICT, count / 2);
  case Kind::join:
    return all(HR_TPL_OP_JOIN, count);
  case Kind::binary:
    return all(HR_TPL_OP_BINARY, node.ops[0]);
  case Kind::negate:
    return all(HR_TPL_OP_NEGATE, 0);
  case Kind::positive:
    return all(HR_TPL_OP_POSITIVE, 0);
  case Kind::notOp:
    return all(HR_TPL_OP_NOT, 0);
  case Kind::call:
    return call(node);
  case Kind::filter:
    return filter(node);
  case Kind::test:
    return test(node);
  case Kind::compare:
    return compare(node);
  case Kind::andOp:
  case Kind::orOp:
    return shortCircuit(node);
  case Kind::condition:
    return condition(node);
  default:
    simple(node);
  }
}

/// What is on the stack goes to the target.
void Emitter::store(const Node &target) {
  if (target.kind == Kind::name) {
    add(HR_TPL_OP_STORE, out.name(target.text));
  } else if (target.kind == Kind::attribute) {
    add(HR_TPL_OP_LOAD, out.name(target.children[0]->text));
    if (!target.text.empty() && target.text[0] == '_')
      fail(target.line, "expected an attribute without an underscore before it, found " + inQuotes(target.text));
    add(HR_TPL_OP_SET_ATTRIBUTE, out.name(target.text));
  } else {
    add(HR_TPL_OP_UNPACK, uint32_t(target.children.size()));
    for (const NodePtr &child : target.children)
      store(*child);
  }
}

// ---- statements ----

/// The names of a new innermost frame, which enterFrame then completes.
Symbols &Emitter::openFrame() {
  Symbols &inner = symbols.emplace_back(frame);
  frames[&inner] = frame;
  frame = &inner;
  outerConditions.push_back(conditions);
  conditions = 0;
  return inner;
}

/// Takes the frame's names from its body, and binds those that are undefined at its start.
void Emitter::enterFrame(const Node &body) {
  Symbols &names = symbols.back();
  names.visit(body);
  for (const std::string &name : names.undefined()) {
    absent();
    add(HR_TPL_OP_STORE, out.name(name));
  }
}

void Emitter::ifStatement(const Node &node) {
  std::vector<uint32_t> ends;
  size_t i = 0;
  ++conditions;
  for (; i + 1 < node.children.size(); i += 2) {
    expression(*node.children[i]);
    uint32_t otherwise = add(HR_TPL_OP_IF_FALSE);
    statement(*node.children[i + 1]);
    ends.push_back(add(HR_TPL_OP_JUMP));
    land(otherwise);
  }
  if (i < node.children.size())
    statement(*node.children[i]);
  --conditions;
  for (uint32_t end : ends)
    land(end);
}

/// The elements that the condition of a loop lets through, as a list.
void Emitter::filtered(const Node &node) {
  add(HR_TPL_OP_LIST, 0);
  expression(*node.children[1]);
  add(HR_TPL_OP_ITERATE);
  uint32_t begin = add(HR_TPL_OP_NEXT);
  add(HR_TPL_OP_DUP);
  scope();
  store(*node.children[0]);
  unconditional([&] { expression(*node.children[2]); });
  scopeEnd();
  add(HR_TPL_OP_APPEND_IF);
  add(HR_TPL_OP_JUMP, begin);
  land(begin);
}

void Emitter::forStatement(const Node &node) {
  const Node &target = *node.children[0], &body = *node.children[3], *otherwise = node.children[4].get();
  if (node.children[2])
    filtered(node);
  else
    expression(*node.children[1]);
  atLine(node.line);
  add(HR_TPL_OP_LOOP);
  Loop loop;
  loop.begin = add(HR_TPL_OP_LOOP_NEXT);
  loop.scopes = 1;
  loops.push_back(loop);
  store(target);
  if (mentions(body, "loop")) {
    add(HR_TPL_OP_DUP);
    add(HR_TPL_OP_STORE, out.name("loop"));
  }
  openFrame().declareTarget(target);
  symbols.back().declare("loop");
  enterFrame(body);
  statement(body);
  closeFrame();
  loop = loops.back();
  loops.pop_back();
  if (otherwise)
    add(HR_TPL_OP_LOOP_DONE);
  add(HR_TPL_OP_SCOPE_END);
  add(HR_TPL_OP_JUMP, loop.begin);
  land(loop.begin);
  for (uint32_t jump : loop.breaks)
    land(jump);
  add(HR_TPL_OP_LOOP_END);
  if (!otherwise) {
    add(HR_TPL_OP_POP);
    return;
  }
  add(HR_TPL_OP_NOT);
  uint32_t over = add(HR_TPL_OP_IF_FALSE);
  scope();
  openFrame();
  enterFrame(*otherwise);
  statement(*otherwise);
  closeFrame();
  scopeEnd();
  land(over);
}

void Emitter::leaveLoop(const Node &node) {
  Loop &loop = loops.back();
  for (unsigned i = 0; i < loop.captures; ++i) {
    add(HR_TPL_OP_CAPTURE_END);
    add(HR_TPL_OP_POP);
  }
  for (unsigned i = 0; i < loop.scopes; ++i)
    add(HR_TPL_OP_SCOPE_END);
  uint32_t jump = add(HR_TPL_OP_JUMP, loop.begin);
  if (node.kind == Kind::breakLoop)
    loop.breaks.push_back(jump);
}

/// What the body puts out, as a value; names that it sets stay inside.
void Emitter::capture(const Node &body) {
  add(HR_TPL_OP_CAPTURE);
  if (!loops.empty())
    ++loops.back().captures;
  scope();
  openFrame();
  enterFrame(body);
  statement(body);
  closeFrame();
  scopeEnd();
  if (!loops.empty())
    --loops.back().captures;
  add(HR_TPL_OP_CAPTURE_END);
}

void Emitter::set(const Node &node) {
  if (node.kind == Kind::set) {
    expression(*node.children[1]);
    atLine(node.line);
    return store(*node.children[0]);
  }
  capture(*node.children[2]);
  if (node.children[1])
    unconditional([&] { filter(*node.children[1]); });
  atLine(node.line);
  store(*node.children[0]);
}

void Emitter::with(const Node &node) {
  for (size_t i = 1; i < node.children.size(); i += 2)
    expression(*node.children[i + 1]);
  scope();
  for (size_t i = node.children.size(); i > 1; i -= 2)
    store(*node.children[i - 2]);
  openFrame();
  for (size_t i = 1; i < node.children.size(); i += 2)
    symbols.back().declareTarget(*node.children[i]);
  enterFrame(*node.children[0]);
  statement(*node.children[0]);
  closeFrame();
  scopeEnd();
}

/// Declares the macro; its code follows at the end.
void Emitter::macroValue(const Node &node, bool isCaller) {
  hr_tpl_macro macro = {isCaller ? HR_TPL_NO_NAME : out.name(node.text), 0, uint32_t(out.params.size()),
                        uint32_t(node.names.size()), 0};
  const Node &body = *node.children[isCaller];
  std::vector<uint32_t> names;
  static constexpr std::pair<std::string_view, uint32_t> special[] = {
      {"varargs", HR_TPL_VARARGS}, {"kwargs", HR_TPL_KWARGS}, {"caller", HR_TPL_CALLER}};
  for (const std::string &name : node.names)
    out.params.push_back(out.name(name));
  for (const auto &[name, flag] : special)
    if (mentions(body, name) && std::find(node.names.begin(), node.names.end(), name) == node.names.end()) {
      macro.flags |= flag;
      out.params.push_back(out.name(name));
    }
  pending.push_back({&node, uint32_t(out.macros.size()), frame});
  out.macros.push_back(macro);
}

void Emitter::callBlock(const Node &node) {
  macroValue(node, true);
  call(*node.children[0], 1);
  add(HR_TPL_OP_OUTPUT);
}

void Emitter::macroBody(const Pending &pending) {
  const Node &node = *pending.node;
  bool isCaller = node.kind == Kind::callBlock;
  out.macros[pending.macro].code = here();
  frame = pending.frame;
  openFrame();
  for (const std::string &name : node.names)
    symbols.back().declare(name);
  for (const char *name : {"caller", "kwargs", "varargs"})
    symbols.back().declare(name);
  size_t first = node.children.size() - (1 + isCaller); // defaults
  for (size_t i = 0; i < node.names.size(); ++i) {
    uint32_t name = out.name(node.names[i]), bound = add(HR_TPL_OP_IF_UNBOUND);
    add(HR_TPL_OP_LOAD, name);
    size_t without = node.names.size() - first;
    if (i >= without)
      expression(*node.children[1 + isCaller + i - without]);
    else
      absent();
    add(HR_TPL_OP_STORE, name);
    land(bound);
  }
  enterFrame(*node.children[isCaller]);
  statement(*node.children[isCaller]);
  add(HR_TPL_OP_RETURN);
}

void Emitter::statement(const Node &node) {
  atLine(node.line);
  switch (node.kind) {
  case Kind::body:
    for (const NodePtr &child : node.children)
      statement(*child);
    break;
  case Kind::data:
    add(HR_TPL_OP_TEXT, out.stringConstant(node.text));
    break;
  case Kind::output:
    expression(*node.children[0]);
    atLine(node.line);
    add(HR_TPL_OP_OUTPUT);
    break;
  case Kind::ifStatement:
    return ifStatement(node);
  case Kind::forStatement:
    return forStatement(node);
  case Kind::set:
  case Kind::setBlock:
    return set(node);
  case Kind::with:
    return with(node);
  case Kind::macro:
    macroValue(node, false);
    add(HR_TPL_OP_MACRO, uint32_t(out.macros.size() - 1));
    add(HR_TPL_OP_STORE, out.name(node.text));
    break;
  case Kind::callBlock:
    return callBlock(node);
  case Kind::filterBlock:
    capture(*node.children[1]);
    unconditional([&] { filter(*node.children[0]); });
    add(HR_TPL_OP_OUTPUT);
    break;
  case Kind::scoped:
    scope();
    openFrame();
    enterFrame(*node.children[0]);
    statement(*node.children[0]);
    closeFrame();
    scopeEnd();
    break;
  default:
    leaveLoop(node);
  }
}

Result<void> Emitter::run(const Node &body) {
  openFrame();
  enterFrame(body);
  statement(body);
  add(HR_TPL_OP_END);
  while (!pending.empty()) {
    Pending next = pending.back();
    pending.pop_back();
    macroBody(next);
  }
  if (here() >= 1u << 24)
    fail(1, "the template is too large");
  if (!problem.empty())
    return Error(problem);
  return {};
}

} // namespace

Result<void> emit(const Node &body, Section &section) { return Emitter(section).run(body); }

uint32_t emitToolsTest(Section &section) {
  const uint32_t jump = 5;
  const uint32_t code[] = {HR_TPL_OP_LOAD | section.name("tools") << 8,
                           HR_TPL_OP_CONST | section.constant(HR_TPL_NONE) << 8,
                           HR_TPL_OP_CONST | section.constant(HR_TPL_ABSENT) << 8,
                           HR_TPL_OP_FILTER | HR_TPL_FILTER_default << 8 | 3u << 16,
                           HR_TPL_OP_TEST | HR_TPL_TEST_none << 8 | 1u << 16,
                           HR_TPL_OP_IF_FALSE};
  section.lines.push_back({0, 1});
  section.code.assign(std::begin(code), std::end(code));
  return jump;
}

void land(Section &section, uint32_t jump) {
  section.code[jump] = (section.code[jump] & 0xffu) | uint32_t(section.code.size()) << 8;
}

} // namespace headrace::jinja
