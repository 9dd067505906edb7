#include "compiler/import/tokenizer/Regex.h"
#include "compiler/import/tokenizer/RegexParser.h"
#include "compiler/support/ErrorText.h"
#include "runtime/abi/hr_tokenizer_format.h"

#include <algorithm>
#include <map>

namespace headrace::tokenizer {

// ---- classes ----
uint32_t ClassTable::indexOf(const CodeSet &set) {
  auto it = std::find(sets.begin(), sets.end(), set);
  if (it == sets.end())
    it = sets.insert(it, set);
  return uint32_t(it - sets.begin());
}

Result<ClassTable::Partition> ClassTable::partition(const std::string &where) const {
  std::map<uint32_t, std::vector<size_t>> flips; // code point -> sets whose membership changes there
  for (size_t i = 0; i < sets.size(); i++)
    for (auto [first, last] : sets[i].ranges()) {
      flips[first].push_back(i);
      flips[last + 1].push_back(i);
    }
  flips[0];
  Partition result;
  result.classes.resize(sets.size());
  std::map<std::vector<bool>, uint32_t> categories;
  std::vector<bool> members(sets.size());
  for (const auto &[code, changed] : flips) {
    if (code >= codeLimit)
      break;
    for (size_t i : changed)
      members[i] = !members[i];
    uint32_t category = categories.emplace(members, uint32_t(categories.size())).first->second;
    if (category >= HR_TOK_MAX_CATEGORIES)
      return expectedFound(where, "at most 32 kinds of characters told apart", "more");
    for (size_t i = 0; i < sets.size(); i++)
      if (members[i])
        result.classes[i] |= 1u << category;
    if (result.ranges.empty() || (result.ranges.back() & 0xff) != category)
      result.ranges.push_back(code << 8 | category);
  }
  return result;
}

// ---- code ----
static uint32_t word(hr_tok_op op, uint32_t operand) { return uint32_t(op) | operand << 8; }

static bool canBeEmpty(const RegexNode &node) {
  switch (node.kind) {
  case RegexNode::Set:
    return false;
  case RegexNode::Sequence:
    return std::all_of(node.children.begin(), node.children.end(), canBeEmpty);
  case RegexNode::Alternation:
    return std::any_of(node.children.begin(), node.children.end(), canBeEmpty);
  case RegexNode::Repeat:
    return node.least == 0 || canBeEmpty(node.children[0]);
  case RegexNode::Look:
  case RegexNode::LineEnd:
    return true;
  }
  return true;
}

namespace {
class Emitter {
public:
  explicit Emitter(ClassTable &classes) : classes(classes) {}

  void emit(const RegexNode &node) {
    if (code.size() > HR_TOK_MAX_CODE) // refused at the end; copies of groups must not grow without bound until then
      return;
    switch (node.kind) {
    case RegexNode::Set:
      return emitSet(node.set);
    case RegexNode::Sequence:
      for (const RegexNode &child : node.children)
        emit(child);
      return;
    case RegexNode::Alternation:
      return emitAlternation(node);
    case RegexNode::Repeat:
      return emitRepeat(node);
    case RegexNode::Look:
      code.push_back(word(node.negated ? HR_TOK_OP_NOT_NEXT : HR_TOK_OP_NEXT, classes.indexOf(node.set)));
      return;
    case RegexNode::LineEnd:
      code.push_back(word(HR_TOK_OP_LINE_END, 0));
    }
  }
  void loop(hr_tok_op op, const CodeSet &set, uint32_t least, uint32_t most) {
    code.insert(code.end(), {word(op, classes.indexOf(set)), least, most});
  }

  /// Makes the word at `at` lead here.
  void patch(size_t at, hr_tok_op op) { code[at] = word(op, uint32_t(code.size())); }

  std::vector<uint32_t> code;
  std::string problem;

private:
  void emitSet(const CodeSet &set) {
    if (set.ranges().size() == 1 && set.ranges()[0].first == set.ranges()[0].second)
      code.push_back(word(HR_TOK_OP_CHAR, set.ranges()[0].first));
    else
      code.push_back(word(HR_TOK_OP_CLASS, classes.indexOf(set)));
  }
  void emitAlternation(const RegexNode &node) {
    std::vector<size_t> jumps;
    for (size_t i = 0; i < node.children.size(); i++) {
      size_t split = code.size();
      bool last = i + 1 == node.children.size();
      if (!last)
        code.push_back(0);
      emit(node.children[i]);
      if (last)
        break;
      jumps.push_back(code.size());
      code.push_back(0);
      patch(split, HR_TOK_OP_SPLIT);
    }
    for (size_t jump : jumps)
      patch(jump, HR_TOK_OP_JUMP);
  }

  void emitRepeat(const RegexNode &node) {
    const RegexNode &child = node.children[0];
    if (child.kind == RegexNode::Set) {
      bool possessive = node.possessive || node.least == node.most;
      return loop(possessive ? HR_TOK_OP_POSSESSIVE : HR_TOK_OP_LOOP, child.set, node.least, node.most);
    }
    if (node.most == HR_TOK_NONE || node.possessive) {
      problem = node.possessive ? "a possessive quantifier on a group" : "a group repeated without limit";
      return;
    }
    for (uint32_t i = 0; i < node.least; i++) {
      size_t before = code.size();
      emit(child);
      if (code.size() == before) // an empty group, or no room: more copies change nothing
        break;
    }
    std::vector<size_t> splits;
    for (uint32_t i = node.least; i < node.most && code.size() <= HR_TOK_MAX_CODE; i++) {
      splits.push_back(code.size());
      code.push_back(0);
      emit(child);
    }
    for (size_t split : splits)
      patch(split, HR_TOK_OP_SPLIT);
  }

  ClassTable &classes;
};
} // namespace

Result<std::vector<uint32_t>> compileRegex(const std::string &pattern, const std::string &where, ClassTable &classes) {
  Result<RegexNode> tree = parseRegex(pattern, where);
  if (!tree)
    return tree.error();
  if (canBeEmpty(*tree))
    return expectedFound(where, "a regex that matches some text", "one that matches the empty string");
  Emitter emitter(classes);
  emitter.emit(*tree);
  emitter.code.push_back(word(HR_TOK_OP_MATCH, 0));
  if (!emitter.problem.empty())
    return expectedFound(where, "a regex of the supported kind", emitter.problem);
  uint32_t returns = 0;
  for (size_t i = 0; i < emitter.code.size(); i++) {
    uint32_t op = emitter.code[i] & 0xff;
    returns += op == HR_TOK_OP_LOOP || op == HR_TOK_OP_SPLIT;
    i += op == HR_TOK_OP_LOOP || op == HR_TOK_OP_POSSESSIVE ? 2 : 0;
  }
  if (emitter.code.size() > HR_TOK_MAX_CODE || returns > HR_TOK_MAX_BACKTRACK)
    return expectedFound(where, "a regex of at most 96 alternatives and repeats", "a larger one");
  return std::move(emitter.code);
}

std::vector<uint32_t> runsProgram(const std::vector<CodeSet> &sets, uint32_t most, ClassTable &classes) {
  Emitter emitter(classes);
  std::vector<size_t> jumps;
  for (size_t i = 0; i < sets.size(); i++) {
    size_t split = emitter.code.size();
    bool last = i + 1 == sets.size();
    if (!last)
      emitter.code.push_back(0);
    emitter.loop(HR_TOK_OP_POSSESSIVE, sets[i], 1, most);
    if (last)
      break;
    jumps.push_back(emitter.code.size());
    emitter.code.push_back(0);
    emitter.patch(split, HR_TOK_OP_SPLIT);
  }
  for (size_t jump : jumps)
    emitter.patch(jump, HR_TOK_OP_JUMP);
  emitter.code.push_back(word(HR_TOK_OP_MATCH, 0));
  return emitter.code;
}

std::vector<uint32_t> literalProgram(const std::string &text) {
  std::vector<uint32_t> code;
  for (uint32_t c : codesOf(text))
    code.push_back(word(HR_TOK_OP_CHAR, c));
  code.push_back(word(HR_TOK_OP_MATCH, 0));
  return code;
}

} // namespace headrace::tokenizer
