// PostProcessors.cpp - post-processors of tokenizer.json.
#include "compiler/import/tokenizer/SpecReader.h"

namespace headrace::tokenizer {

/// Adds the ids that the template's special token stands for.
static void addTemplateIds(const JsonField &processor, const JsonField &name, std::vector<uint32_t> &ids) {
  JsonField known = processor["special_tokens"].named(name.string());
  if (!known.isObject())
    return name.fail("a name among special_tokens");
  JsonField list = known["ids"];
  for (size_t i = 0, count = list.listSize(); i < count; i++)
    ids.push_back(list.at(i).number(HR_TOK_MAX_TOKENS, "an id"));
}

/// Puts ids around what earlier processors made.
static void addAround(Spec &spec, const std::vector<uint32_t> &before, const std::vector<uint32_t> &after) {
  spec.prefix.insert(spec.prefix.begin(), before.begin(), before.end());
  spec.suffix.insert(spec.suffix.end(), after.begin(), after.end());
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
  addAround(spec, before, after);
}

/// {"sep": ["[SEP]", 102], "cls": ["[CLS]", 101]}
static void readClsSep(const JsonField &field, Spec &spec) {
  uint32_t ids[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    JsonField pair = field[i ? "sep" : "cls"];
    if (pair.listSize() != 2)
      return pair.fail("a token and its id");
    ids[i] = pair.at(1).number(HR_TOK_MAX_TOKENS, "an id");
  }
  addAround(spec, {ids[0]}, {ids[1]});
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
  else if (type == "BertProcessing" || type == "RobertaProcessing")
    readClsSep(field, spec);
  else if (type != "ByteLevel") // which only moves offsets
    field.failType("TemplateProcessing, ByteLevel, BertProcessing, RobertaProcessing or Sequence");
}

} // namespace headrace::tokenizer
