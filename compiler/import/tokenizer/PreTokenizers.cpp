// PreTokenizers.cpp - pre-tokenizers of tokenizer.json.
#include "compiler/import/tokenizer/SpecReader.h"

namespace headrace::tokenizer {

static hr_tok_behavior readBehavior(const JsonField &field, const char *otherwise) {
  static constexpr std::pair<const char *, hr_tok_behavior> behaviors[] = {
      {"Isolated", HR_TOK_ISOLATED},
      {"Removed", HR_TOK_REMOVED},
      {"Contiguous", HR_TOK_CONTIGUOUS},
      {"MergedWithPrevious", HR_TOK_MERGED_WITH_PREVIOUS},
      {"MergedWithNext", HR_TOK_MERGED_WITH_NEXT}};
  std::string behavior = field.isNull() && otherwise ? otherwise : field.string();
  for (auto [name, value] : behaviors)
    if (behavior == name)
      return value;
  field.fail("Isolated, Removed, Contiguous, MergedWithPrevious or MergedWithNext");
  return HR_TOK_ISOLATED;
}

static Split readSplit(const JsonField &field) {
  bool regex = false;
  Split split;
  split.pattern = readPattern(field["pattern"], &regex);
  split.kind = regex ? Split::Regex : Split::Literal;
  split.where = field["pattern"].where();
  split.invert = field["invert"].booleanOr(false);
  split.behavior = readBehavior(field["behavior"], nullptr);
  if (split.pattern.empty() || split.pattern.size() > HR_TOK_MAX_PATTERN)
    field["pattern"].fail("a pattern of 1 to 1000 bytes", bytesText(split.pattern.size()));
  return split;
}

static Split runsOf(std::vector<CodeSet> sets, uint32_t most, hr_tok_behavior behavior) {
  Split split;
  split.kind = Split::Runs;
  split.sets = std::move(sets);
  split.most = most;
  split.behavior = behavior;
  return split;
}

static void readByteLevel(const JsonField &field, Spec &spec) {
  Split split;
  spec.byteLevel = true;
  if (field["add_prefix_space"].booleanOr(true)) {
    split.kind = Split::PrefixSpace;
    spec.splits.push_back(split);
  }
  if (field["use_regex"].booleanOr(true)) {
    split.kind = Split::ByteLevelRegex;
    split.where = field.where();
    spec.splits.push_back(split);
  }
}

/// Spaces become the replacement, which is also put before pieces; then pieces begin at each replacement.
static void readMetaspace(const JsonField &field, Spec &spec) {
  static constexpr std::pair<const char *, hr_tok_prepend> schemes[] = {
      {"always", HR_TOK_PREPEND_ALWAYS}, {"first", HR_TOK_PREPEND_FIRST}, {"never", HR_TOK_PREPEND_NEVER}};
  Split split;
  split.kind = Split::Metaspace;
  split.pattern = field["replacement"].string();
  if (codesOf(split.pattern).size() != 1)
    return field["replacement"].fail("one character");
  std::string scheme = field.has("prepend_scheme") ? field["prepend_scheme"].string() : "always";
  bool known = false;
  for (auto [name, value] : schemes)
    if (scheme == name) {
      split.behavior = value;
      known = true;
    }
  if (!known)
    return field["prepend_scheme"].fail("always, first or never");
  if (!field["add_prefix_space"].booleanOr(true) && split.behavior != HR_TOK_PREPEND_NEVER)
    return field["add_prefix_space"].fail("true with prepend_scheme " + scheme);
  for (const Split &other : spec.splits)
    if (other.kind == Split::Metaspace)
      return field.fail("one Metaspace", "another");
  spec.splits.push_back(split);
  if (!field["split"].booleanOr(true))
    return;
  split.kind = Split::Literal;
  split.behavior = HR_TOK_MERGED_WITH_NEXT;
  spec.splits.push_back(split);
}

/// The pre-tokenizers that look at one character at a time; false: it is none of them.
static bool readRuns(const JsonField &field, const std::string &type, Spec &spec) {
  auto add = [&](Split split) { spec.splits.push_back(std::move(split)); };
  if (type == "Digits") {
    bool each = field["individual_digits"].booleanOr(false);
    add(runsOf({*categorySet(unicode::ofRust, "N")}, each ? 1 : HR_TOK_NONE, each ? HR_TOK_ISOLATED : HR_TOK_CONTIGUOUS));
  } else if (type == "Whitespace") {
    CodeSet neither = wordSet();
    neither.add(whiteSpaceSet());
    add(runsOf({wordSet(), neither.complement()}, HR_TOK_NONE, HR_TOK_REMOVED));
    spec.splits.back().invert = true;
  } else if (type == "WhitespaceSplit")
    add(runsOf({whiteSpaceSet()}, 1, HR_TOK_REMOVED));
  else if (type == "BertPreTokenizer") {
    add(runsOf({whiteSpaceSet()}, 1, HR_TOK_REMOVED));
    add(runsOf({punctuationSet()}, 1, HR_TOK_ISOLATED));
  } else if (type == "Punctuation")
    add(runsOf({punctuationSet()}, 1, readBehavior(field["behavior"], "Isolated")));
  else if (type == "CharDelimiterSplit") {
    std::vector<uint32_t> codes = codesOf(field["delimiter"].string());
    if (codes.size() != 1)
      field["delimiter"].fail("one character");
    else
      add(runsOf({CodeSet::range(codes[0], codes[0])}, 1, HR_TOK_REMOVED));
  } else
    return false;
  return true;
}

void readPreTokenizer(const JsonField &field, Spec &spec) {
  if (field.isNull() || field.failed())
    return;
  std::string type = field.type();
  if (type == "Sequence") {
    JsonField list = field["pretokenizers"];
    for (size_t i = 0, count = list.listSize(); i < count; i++)
      readPreTokenizer(list.at(i), spec);
    return;
  }
  size_t before = spec.splits.size();
  bool spelled = spec.byteLevel;
  if (spelled && (type == "ByteLevel" || type == "Metaspace"))
    return field.fail("no ByteLevel and no Metaspace after ByteLevel", type);
  if (type == "ByteLevel")
    readByteLevel(field, spec);
  else if (type == "Metaspace")
    readMetaspace(field, spec);
  else if (type == "Split")
    spec.splits.push_back(readSplit(field));
  else if (!readRuns(field, type, spec))
    return field.failType("ByteLevel, Split, Digits, Whitespace, WhitespaceSplit, Metaspace, BertPreTokenizer, "
                          "Punctuation, CharDelimiterSplit or Sequence");
  for (size_t i = before; i < spec.splits.size(); i++)
    spec.splits[i].spelled = spelled;
  if (spec.splits.size() > HR_TOK_MAX_SPLITS)
    field.fail("at most 12 stages", "more");
}

} // namespace headrace::tokenizer
