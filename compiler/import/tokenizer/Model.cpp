// Model.cpp - the model of tokenizer.json: BPE, Unigram, WordPiece and WordLevel.
#include "compiler/import/tokenizer/SpecReader.h"

#include <charconv>
#include <cmath>

namespace headrace::tokenizer {

std::string byteTokenName(uint32_t byte) {
  char name[8];
  snprintf(name, sizeof name, "<0x%02X>", byte);
  return name;
}

// ---- vocabulary ----
bool addToVocabulary(Spec &spec, const std::string &token, uint32_t id) {
  auto slot = spec.vocabulary.emplace(token, id).first;
  if (spec.tokens.size() <= id)
    spec.tokens.resize(id + 1);
  if (spec.tokens[id])
    return false;
  spec.tokens[id] = &slot->first;
  return true;
}

static void readVocabulary(const JsonField &field, Spec &spec) {
  if (!field.isObject() || field.value().empty())
    return field.fail("an object of tokens and ids");
  spec.vocabulary.reserve(field.value().size());
  for (const auto &[token, id] : field.value().items()) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() >= HR_TOK_MAX_TOKENS)
      return field.fail("ids below " + std::to_string(HR_TOK_MAX_TOKENS), jsonKindText(id) + " for " + inQuotes(token));
    auto value = id.get<uint32_t>();
    if (!addToVocabulary(spec, token, value))
      return field.fail("distinct ids", std::to_string(value) + " for both " + inQuotes(*spec.tokens[value]) + " and " +
                                            inQuotes(token));
  }
}

static void readUnknown(const JsonField &field, Spec &spec) {
  auto unk = spec.vocabulary.find(field.string());
  if (unk == spec.vocabulary.end())
    return field.fail("a token of the vocabulary");
  spec.unkId = unk->second;
}

// ---- BPE ----
/// The two tokens of a merge: ["a", "b"], or "a b" in older files.
static bool mergePair(const JsonField &field, std::string &left, std::string &right) {
  if (field.isList() && field.value().size() == 2) {
    left = field.at(0).string();
    right = field.at(1).string();
    return !field.failed();
  }
  std::string text = field.isString() ? field.string() : "";
  size_t space = text.find(' ');
  if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
    field.fail("two tokens");
    return false;
  }
  left = text.substr(0, space);
  right = text.substr(space + 1);
  return true;
}

static void readMerges(const JsonField &field, Spec &spec) {
  size_t count = field.listSize(), prefix = spec.subwordPrefix.size();
  std::string left, right;
  for (size_t i = 0; i < count; i++) {
    JsonField entry = field.at(i);
    if (entry.isString() && entry.string().rfind("#version", 0) == 0)
      continue;
    if (!mergePair(entry, left, right))
      return;
    if (left.empty() || right.size() <= prefix)
      return entry.fail(prefix ? "two tokens, the second longer than the subword prefix" : "two tokens that are not empty",
                        left.empty() && right.empty() ? "two empty ones"
                        : left.empty() || right.empty() ? "an empty one"
                                                        : inQuotes(right));
    Merge merge;
    merge.rank = uint32_t(spec.merges.size());
    for (auto [text, id] : {std::pair(left, &merge.left), std::pair(right, &merge.right),
                            std::pair(left + right.substr(prefix), &merge.result)}) {
      auto token = spec.vocabulary.find(text);
      if (token == spec.vocabulary.end())
        return entry.fail("tokens of the vocabulary", inQuotes(text));
      *id = token->second;
    }
    spec.merges.push_back(merge);
  }
}

static std::string readAffix(const JsonField &model, const char *name) {
  if (!model.has(name))
    return "";
  const std::string &text = model[name].string();
  for (char c : text)
    if (c & 0x80) {
      model[name].fail("ASCII characters");
      break;
    }
  return text;
}

static void readBpe(const JsonField &model, Spec &spec) {
  spec.model = HR_TOK_BPE;
  if (model.has("dropout") && model["dropout"].value() != 0)
    return model["dropout"].fail("null");
  spec.subwordPrefix = readAffix(model, "continuing_subword_prefix");
  spec.wordSuffix = readAffix(model, "end_of_word_suffix");
  readVocabulary(model["vocab"], spec);
  if (model.failed())
    return;
  readMerges(model["merges"], spec);
  spec.fuseUnk = model["fuse_unk"].booleanOr(false);
  spec.byteFallback = model["byte_fallback"].booleanOr(false);
  spec.ignoreMerges = model["ignore_merges"].booleanOr(false);
  if (model.has("unk_token"))
    readUnknown(model["unk_token"], spec);
  if (spec.byteFallback && (!spec.subwordPrefix.empty() || !spec.wordSuffix.empty()))
    model["byte_fallback"].fail("false with a subword prefix or a word suffix");
}

// ---- Unigram ----
/// The number as the tokenizers library reads it: digits as one integer, then one multiplication or division by a power
/// of ten, which is not always the nearest double. Files hold the shortest digits that name a double, so those of
/// `value` are the file's.
static double scoreAsRead(double value) {
  char shortest[32];
  std::string text(shortest, std::to_chars(shortest, shortest + sizeof shortest, value).ptr);
  uint64_t digits = 0;
  int exponent = 0;
  bool fraction = false, full = false;
  size_t i = text[0] == '-' ? 1 : 0;
  for (; i < text.size() && text[i] != 'e'; i++) {
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    auto digit = uint64_t(text[i] - '0');
    full = full || digits > (UINT64_MAX - digit) / 10;
    if (!full)
      digits = digits * 10 + digit;
    exponent += full ? !fraction : -int(fraction);
  }
  if (i < text.size())
    exponent += atoi(text.c_str() + i + 1);
  auto result = double(digits);
  for (; exponent < -308 && result != 0; exponent += 308)
    result /= 1e308;
  char power[16];
  snprintf(power, sizeof power, "1e%d", std::min(std::abs(exponent), 308));
  result = exponent < 0 ? result / strtod(power, nullptr) : result * strtod(power, nullptr);
  return value < 0 ? -result : result;
}

static void readUnigram(const JsonField &model, Spec &spec) {
  spec.model = HR_TOK_UNIGRAM;
  JsonField vocab = model["vocab"];
  size_t count = vocab.listSize();
  if (!model.failed() && (!count || count > HR_TOK_MAX_TOKENS))
    return vocab.fail("1 to " + std::to_string(HR_TOK_MAX_TOKENS) + " tokens", std::to_string(count));
  for (size_t i = 0; i < count; i++) {
    JsonField entry = vocab.at(i);
    if (!entry.isList() || entry.value().size() != 2 || !entry.at(0).isString() || !entry.value()[1].is_number())
      return entry.fail("a token and its score");
    double score = entry.value()[1].get<double>();
    spec.scores.push_back(entry.value()[1].is_number_float() ? scoreAsRead(score) : score);
    // A token given twice counts as the last one.
    auto slot = spec.vocabulary.insert_or_assign(entry.at(0).string(), uint32_t(i)).first;
    spec.tokens.push_back(&slot->first);
  }
  spec.unkId = model["unk_id"].number(uint32_t(count), "an id");
  spec.byteFallback = model["byte_fallback"].booleanOr(false);
}

// ---- the others ----
static void readWordPiece(const JsonField &model, Spec &spec) {
  spec.model = HR_TOK_WORD_PIECE;
  spec.subwordPrefix = model["continuing_subword_prefix"].string();
  spec.maxWordChars = model["max_input_chars_per_word"].number(1u << 30, "a count");
  readVocabulary(model["vocab"], spec);
  if (!model.failed())
    readUnknown(model["unk_token"], spec);
}

static void readWordLevel(const JsonField &model, Spec &spec) {
  spec.model = HR_TOK_WORD_LEVEL;
  readVocabulary(model["vocab"], spec);
  if (!model.failed())
    readUnknown(model["unk_token"], spec);
}

void readModel(const JsonField &model, Spec &spec) {
  if (!model.isObject())
    return model.fail("an object");
  std::string type = model.type();
  if (model["type"].isNull()) // older files
    type = model.has("merges") ? "BPE" : model["vocab"].isList() ? "Unigram" : "";
  if (type == "BPE")
    readBpe(model, spec);
  else if (type == "Unigram")
    readUnigram(model, spec);
  else if (type == "WordPiece")
    readWordPiece(model, spec);
  else if (type == "WordLevel")
    readWordLevel(model, spec);
  else
    model.failType("BPE, Unigram, WordPiece or WordLevel");
}

} // namespace headrace::tokenizer
