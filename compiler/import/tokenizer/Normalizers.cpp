// Normalizers.cpp - normalizers of tokenizer.json.
#include "compiler/import/tokenizer/CharMaps.h"
#include "compiler/import/tokenizer/Charsmap.h"
#include "compiler/import/tokenizer/SpecReader.h"

namespace headrace::tokenizer {

std::string readPattern(const JsonField &pattern, bool *regex) {
  if (pattern.has("String"))
    return pattern["String"].string();
  if (pattern.has("Regex") && regex) {
    *regex = true;
    return pattern["Regex"].string();
  }
  pattern.fail(regex ? "a String or a Regex" : "a String", pattern.has("Regex") ? "a Regex" : "neither");
  return "";
}

static void addStep(const JsonField &field, Spec &spec, Normalizer step) {
  if (spec.normalizers.size() == HR_TOK_MAX_NORMALIZERS)
    return field.fail("at most 16 normalizers", "more");
  spec.normalizers.push_back(std::move(step));
}

static void addMap(const JsonField &field, Spec &spec, std::vector<hr_tok_map> rows) {
  Normalizer step{HR_TOK_MAP, "", "", "", std::move(rows), 0};
  addStep(field, spec, std::move(step));
}

static void readBert(const JsonField &field, Spec &spec) {
  BertOptions options;
  options.cleanText = field["clean_text"].booleanOr(true);
  options.chineseCharacters = field["handle_chinese_chars"].booleanOr(true);
  options.lowercase = field["lowercase"].booleanOr(true);
  options.stripAccents = field["strip_accents"].booleanOr(options.lowercase);
  if (options.cleanText || options.chineseCharacters)
    addMap(field, spec, bertCleaning(options));
  if (options.stripAccents)
    addStep(field, spec, {HR_TOK_TO_NFD, "", "", "", {}, 0});
  if (options.stripAccents || options.lowercase)
    addMap(field, spec, bertFolding(options));
}

static Normalizer readReplace(const JsonField &field) {
  Normalizer step{HR_TOK_REPLACE, "", "", field["pattern"].where(), {}, 0};
  bool regex = false;
  step.find = readPattern(field["pattern"], &regex);
  step.with = field["content"].string();
  if (regex)
    step.kind = HR_TOK_REPLACE_MATCHES;
  if (step.find.empty() || step.find.size() > HR_TOK_MAX_PATTERN)
    field["pattern"].fail("a pattern of 1 to 1000 bytes", bytesText(step.find.size()));
  return step;
}

static void readCharsmap(const JsonField &field, Spec &spec) {
  JsonField text = field["precompiled_charsmap"];
  Result<std::string> map = charsmapOf(text.string(), text.where());
  if (!spec.charsmap.empty())
    field.fail("one Precompiled", "another");
  else if (!map)
    field.failWith(map.error());
  else if (!map->empty()) { // an empty one maps nothing
    spec.charsmap = map.take();
    addStep(field, spec, {HR_TOK_CHARSMAP, "", "", "", {}, 0});
  }
}

void readNormalizer(const JsonField &field, Spec &spec) {
  if (field.isNull() || field.failed())
    return;
  static constexpr std::pair<const char *, hr_tok_normalizer_kind> plain[] = {{"NFC", HR_TOK_TO_NFC},
                                                                              {"NFD", HR_TOK_TO_NFD},
                                                                              {"NFKC", HR_TOK_TO_NFKC},
                                                                              {"NFKD", HR_TOK_TO_NFKD},
                                                                              {"ByteLevel", HR_TOK_SPELL_BYTES}};
  std::string type = field.type();
  for (auto [name, kind] : plain)
    if (type == name)
      return addStep(field, spec, {kind, "", "", "", {}, 0});
  if (type == "Sequence") {
    JsonField list = field["normalizers"];
    for (size_t i = 0, count = list.listSize(); i < count; i++)
      readNormalizer(list.at(i), spec);
  } else if (type == "Prepend")
    addStep(field, spec, {HR_TOK_PREPEND, "", field["prepend"].string(), "", {}, 0});
  else if (type == "Replace")
    addStep(field, spec, readReplace(field));
  else if (type == "Strip")
    addStep(field, spec,
            {HR_TOK_STRIP, "", "", "", {}, field["strip_left"].boolean() + 2u * field["strip_right"].boolean()});
  else if (type == "Lowercase")
    addMap(field, spec, lowercaseMap());
  else if (type == "StripAccents")
    addMap(field, spec, markRemoval());
  else if (type == "Nmt")
    addMap(field, spec, nmtMap());
  else if (type == "BertNormalizer")
    readBert(field, spec);
  else if (type == "Precompiled")
    readCharsmap(field, spec);
  else
    field.failType("NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, BertNormalizer, Replace, Prepend, Precompiled, "
                   "Nmt, ByteLevel or Sequence");
}

} // namespace headrace::tokenizer
