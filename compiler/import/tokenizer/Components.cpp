// Components.cpp - normalizers, pre-tokenizers, post-processors and decoders of tokenizer.json.
#include "compiler/import/tokenizer/CodeSet.h"
#include "compiler/import/tokenizer/SpecReader.h"

namespace headrace::tokenizer {

/// {"String": s} or {"Regex": s}; the second only where `regex` may be set.
static std::string readPattern(const JsonField &pattern, bool *regex) {
  if (pattern.has("String"))
    return pattern["String"].string();
  if (pattern.has("Regex") && regex) {
    *regex = true;
    return pattern["Regex"].string();
  }
  pattern.fail(regex ? "a String or a Regex" : "a String", pattern.has("Regex") ? "a Regex" : "neither");
  return "";
}

void readNormalizer(const JsonField &field, Spec &spec) {
  if (field.isNull() || field.failed())
    return;
  std::string type = field.type();
  if (type == "Sequence") {
    JsonField list = field["normalizers"];
    for (size_t i = 0, count = list.listSize(); i < count; i++)
      readNormalizer(list.at(i), spec);
    return;
  }
  Normalizer step;
  if (type == "NFC")
    step.kind = HR_TOK_TO_NFC;
  else if (type == "Prepend") {
    step.kind = HR_TOK_PREPEND;
    step.with = field["prepend"].string();
  } else if (type == "Replace") {
    step.kind = HR_TOK_REPLACE;
    step.find = readPattern(field["pattern"], nullptr);
    step.with = field["content"].string();
    if (step.find.empty())
      field["pattern"].fail("a String that is not empty");
  } else
    return field.failType("NFC, Prepend, Replace or Sequence");
  if (spec.normalizers.size() == HR_TOK_MAX_NORMALIZERS)
    return field.fail("at most 16 normalizers", "more");
  spec.normalizers.push_back(step);
}

// ---- pre-tokenizers ----
static void readSplit(const JsonField &field, Spec &spec) {
  static constexpr std::pair<const char *, hr_tok_behavior> behaviors[] = {
      {"Isolated", HR_TOK_ISOLATED},
      {"Removed", HR_TOK_REMOVED},
      {"Contiguous", HR_TOK_CONTIGUOUS},
      {"MergedWithPrevious", HR_TOK_MERGED_WITH_PREVIOUS},
      {"MergedWithNext", HR_TOK_MERGED_WITH_NEXT}};
  bool regex = false, known = false;
  Split split;
  split.pattern = readPattern(field["pattern"], &regex);
  split.kind = regex ? Split::Regex : Split::Literal;
  split.where = field["pattern"].where();
  split.invert = field["invert"].booleanOr(false);
  std::string behavior = field["behavior"].string();
  for (auto [name, value] : behaviors)
    if (behavior == name) {
      split.behavior = value;
      known = true;
    }
  if (!known)
    field["behavior"].fail("Isolated, Removed, Contiguous, MergedWithPrevious or MergedWithNext");
  if (split.pattern.empty() || split.pattern.size() > HR_TOK_MAX_CODE / 2)
    field["pattern"].fail("a pattern of 1 to 512 bytes", bytesText(split.pattern.size()));
  spec.splits.push_back(split);
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
  if (type != "ByteLevel" && type != "Split" && type != "Digits")
    return field.failType("ByteLevel, Split, Digits or Sequence");
  if (spec.byteLevel)
    return field.fail("nothing after ByteLevel", type);
  if (type == "ByteLevel")
    readByteLevel(field, spec);
  else if (type == "Split")
    readSplit(field, spec);
  else {
    Split split;
    split.kind = Split::Digits;
    split.eachDigit = field["individual_digits"].booleanOr(false);
    split.behavior = split.eachDigit ? HR_TOK_ISOLATED : HR_TOK_CONTIGUOUS;
    spec.splits.push_back(split);
  }
  if (spec.splits.size() > HR_TOK_MAX_SPLITS)
    field.fail("at most 8 stages", "more");
}

// ---- post-processors ----
/// Adds the ids that the template's special token stands for.
static void addTemplateIds(const JsonField &processor, const JsonField &name, std::vector<uint32_t> &ids) {
  JsonField known = processor["special_tokens"][name.string().c_str()];
  if (!known.isObject())
    return name.fail("a name among special_tokens");
  JsonField list = known["ids"];
  for (size_t i = 0, count = list.listSize(); i < count; i++)
    ids.push_back(list.at(i).number(HR_TOK_MAX_TOKENS, "an id"));
}

static void readTemplate(const JsonField &field, Spec &spec) {
  JsonField single = field["single"];
  std::vector<uint32_t> before, after;
  size_t texts = 0;
  for (size_t i = 0, count = single.listSize(); i < count; i++) {
    JsonField piece = single.at(i);
    if (piece.has("Sequence")) {
      if (piece["Sequence"]["id"].string() != "A")
        piece["Sequence"]["id"].fail("'A'");
      texts++;
    } else if (piece.has("SpecialToken"))
      addTemplateIds(field, piece["SpecialToken"]["id"], texts ? after : before);
    else
      piece.fail("a Sequence or a SpecialToken", jsonKindText(piece.value()));
  }
  if (texts != 1)
    return single.fail("one Sequence", std::to_string(texts));
  if (!spec.prefix.empty() || !spec.suffix.empty())
    return field.fail("one TemplateProcessing", "another");
  spec.prefix = before;
  spec.suffix = after;
}

void readPostProcessor(const JsonField &field, Spec &spec) {
  if (field.isNull() || field.failed())
    return;
  std::string type = field.type();
  if (type == "Sequence") {
    JsonField list = field["processors"];
    for (size_t i = 0, count = list.listSize(); i < count; i++)
      readPostProcessor(list.at(i), spec);
  } else if (type == "TemplateProcessing")
    readTemplate(field, spec);
  else if (type != "ByteLevel") // which only moves offsets
    field.failType("TemplateProcessing, ByteLevel or Sequence");
}

// ---- decoders ----
/// Steps must come in the order Replace, ByteFallback, Fuse, Strip: each then acts on single tokens, on bytes, or on
/// the beginning of the text, which a stream can do.
static int decoderStep(const JsonField &field, Spec &spec) {
  std::string type = field.type();
  Decoder &decoder = spec.decoder;
  if (type == "Replace") {
    decoder.replaces.emplace_back(readPattern(field["pattern"], nullptr), field["content"].string());
    if (decoder.replaces.back().first.empty())
      field["pattern"].fail("a String that is not empty");
    return 1;
  }
  if (type == "ByteFallback") {
    decoder.byteFallback = true;
    return 2;
  }
  if (type == "Fuse")
    return 3;
  if (type == "Strip") {
    std::vector<uint32_t> content = codesOf(field["content"].string());
    if (content.size() != 1)
      field["content"].fail("one character");
    else
      decoder.stripChar = content[0];
    decoder.stripCount = field["start"].number(256, "a count");
    if (field["stop"].number(HR_TOK_MAX_TOKENS, "a count"))
      field["stop"].fail("0");
    return 4;
  }
  if (type == "ByteLevel") {
    decoder.byteLevel = true;
    return 5;
  }
  field.failType("ByteLevel, Replace, ByteFallback, Fuse, Strip or Sequence");
  return 0;
}

static void readDecoders(const JsonField &list, Spec &spec) {
  int last = 0;
  for (size_t i = 0, count = list.listSize(); i < count && !list.failed(); i++) {
    JsonField step = list.at(i);
    int order = decoderStep(step, spec);
    if (step.failed())
      return;
    bool fits = order == 1 ? last <= 1 : order == 4 ? last == 3 : order == 5 ? last == 0 && count == 1 : order > last;
    if (!fits)
      return step.fail("the order Replace, ByteFallback, Fuse, Strip, or ByteLevel alone", step.type());
    last = order;
  }
}

void readDecoder(const JsonField &field, Spec &spec) {
  if (field.isNull()) {
    spec.decoder.joinSpace = true;
    return;
  }
  if (field.type() == "Sequence")
    return readDecoders(field["decoders"], spec);
  if (field.type() == "Strip")
    return field.fail("Strip in a Sequence after Fuse", "Strip");
  decoderStep(field, spec);
}

} // namespace headrace::tokenizer
