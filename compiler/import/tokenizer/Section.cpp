#include "compiler/import/tokenizer/Section.h"
#include "compiler/import/tokenizer/CharMaps.h"
#include "compiler/import/tokenizer/Charsmap.h"
#include "compiler/import/tokenizer/Nfc.h"
#include "compiler/import/tokenizer/NormalizedText.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>

namespace headrace::tokenizer {

/// The pre-tokenizer of GPT-2, which ByteLevel stands for.
static const char *const byteLevelRegex =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// ---- added tokens ----
void SectionWriter::needSpaceAndWord() {
  header.space_class = classes.indexOf(whiteSpaceSet());
  header.word_class = classes.indexOf(wordSet());
}

void SectionWriter::writeAddedList(hr_tok_part part, bool ofNormalized, const std::vector<std::string> &contents) {
  std::vector<std::pair<std::string, const AddedToken *>> keys;
  for (size_t i = 0; i < contents.size(); i++)
    if (spec.addedTokens[i].normalized == ofNormalized && !contents[i].empty())
      keys.emplace_back(contents[i], &spec.addedTokens[i]);
  // Of tokens that look the same once normalized the first is found.
  std::sort(keys.begin(), keys.end()); // by key, then by place: pointers into one vector
  keys.erase(std::unique(keys.begin(), keys.end(), [](const auto &a, const auto &b) { return a.first == b.first; }),
             keys.end());
  std::vector<hr_tok_added> added;
  for (const auto &[key, token] : keys) {
    added.push_back({addString(key), uint32_t(key.size()), token->id, token->flags});
    if (token->flags)
      needSpaceAndWord();
  }
  setPart(part, added);
}

/// A token that is looked for in normalized text also decodes to what it is there, as since 0.23 of the reference
/// implementation; special ones stay as they are, so that they are still left out.
Result<void> SectionWriter::writeAdded() {
  std::vector<std::string> contents, toNormalize;
  for (const AddedToken &token : spec.addedTokens) {
    contents.push_back(token.content);
    toNormalize.push_back(token.normalized ? token.content : "");
  }
  writeAddedList(HR_TOK_ADDED, false, contents);
  Result<std::vector<std::string>> normalized = normalizedTexts(spec, toNormalize);
  if (!normalized)
    return normalized.error();
  writeAddedList(HR_TOK_ADDED_NORMALIZED, true, *normalized);
  for (size_t i = 0; i < contents.size(); i++)
    if (spec.addedTokens[i].normalized && !spec.addedTokens[i].special)
      normalizedTokens[spec.addedTokens[i].id] = (*normalized)[i];
  return {};
}

// ---- normalizers ----
Result<void> SectionWriter::writeNormalizer(const Normalizer &step) {
  hr_tok_normalizer row = {uint32_t(step.kind), 0, uint32_t(step.find.size()), 0, uint32_t(step.with.size())};
  row.with = addString(step.with);
  switch (step.kind) {
  case HR_TOK_MAP:
    row.find = uint32_t(maps.size());
    row.find_bytes = uint32_t(step.rows.size());
    row.with_bytes = growthOf(step.rows);
    maps.insert(maps.end(), step.rows.begin(), step.rows.end());
    break;
  case HR_TOK_STRIP:
    row.find = step.sides;
    needSpaceAndWord();
    break;
  case HR_TOK_REPLACE_MATCHES: {
    Result<std::vector<uint32_t>> program = compileRegex(step.find, step.where, classes);
    if (!program)
      return program.error();
    row.find_bytes = uint32_t(program->size());
    row.find = addProgram(*program);
    break;
  }
  case HR_TOK_CHARSMAP: {
    CharsmapParts parts = charsmapParts(spec.charsmap);
    setPart(HR_TOK_TRIE, parts.units);
    setPart(HR_TOK_TRIE_TEXT, parts.texts);
    setPart(HR_TOK_GRAPHEMES, parts.graphemes);
    row.with_bytes = parts.growth;
    break;
  }
  default:
    row.find = addString(step.find);
  }
  normalizers.push_back(row);
  return {};
}

Result<void> SectionWriter::writeNormalizers() {
  bool forms = false, nfcAlone = true;
  for (const Normalizer &step : spec.normalizers) {
    HR_TRY(writeNormalizer(step));
    bool other = step.kind == HR_TOK_TO_NFD || step.kind == HR_TOK_TO_NFKC || step.kind == HR_TOK_TO_NFKD;
    forms |= other || step.kind == HR_TOK_TO_NFC;
    nfcAlone &= !other;
  }
  setPart(HR_TOK_NORMALIZERS, normalizers);
  setPart(HR_TOK_MAPS, maps);
  if (!forms)
    return {};
  static const NormalTables all[] = {normalTables(false), normalTables(true)};
  const NormalTables &tables = all[nfcAlone];
  setPart(HR_TOK_NFC, tables.ranges);
  setPart(HR_TOK_DECOMPOSE, tables.decompose);
  setPart(HR_TOK_DECOMPOSE_K, tables.decomposeK);
  setPart(HR_TOK_DECOMPOSED, tables.decomposed);
  setPart(HR_TOK_COMPOSE, tables.compose);
  return {};
}

// ---- pre-tokenizers ----
Result<std::vector<uint32_t>> SectionWriter::programOf(const Split &split) {
  switch (split.kind) {
  case Split::Regex:
    return compileRegex(split.pattern, split.where, classes);
  case Split::ByteLevelRegex:
    return compileRegex(byteLevelRegex, split.where, classes);
  case Split::Literal:
    return literalProgram(split.pattern);
  case Split::Runs:
    return runsProgram(split.sets, split.most, classes);
  case Split::PrefixSpace:
  case Split::Metaspace:
    break;
  }
  return std::vector<uint32_t>();
}

Result<void> SectionWriter::writeSplits() {
  std::vector<hr_tok_split> steps;
  for (const Split &split : spec.splits) {
    Result<std::vector<uint32_t>> program = programOf(split);
    if (!program)
      return program.error();
    hr_tok_split row = {HR_TOK_SPLIT_PROGRAM, split.behavior,
                        (split.invert ? uint32_t(HR_TOK_SPLIT_INVERT) : 0) |
                            (split.spelled ? uint32_t(HR_TOK_SPLIT_SPELLED) : 0),
                        0, uint32_t(program->size())};
    row.code = addProgram(*program);
    if (split.kind == Split::PrefixSpace)
      row.kind = HR_TOK_SPLIT_SPACE;
    if (split.kind == Split::Metaspace) {
      row.kind = HR_TOK_SPLIT_METASPACE;
      row.code = addString(split.pattern);
      row.words = uint32_t(split.pattern.size());
    }
    steps.push_back(row);
  }
  setPart(HR_TOK_SPLITS, steps);
  setPart(HR_TOK_CODE, code);
  return {};
}

Result<void> SectionWriter::writeClasses() {
  if (classes.empty())
    return {};
  Result<ClassTable::Partition> partition = classes.partition(spec.where + ": pre_tokenizer");
  if (!partition)
    return partition.error();
  std::vector<uint8_t> ascii;
  size_t range = 0;
  for (uint32_t c = 0; c < 128; c++) {
    while (range + 1 < partition->ranges.size() && partition->ranges[range + 1] >> 8 <= c)
      range++;
    ascii.push_back(uint8_t(partition->ranges[range]));
  }
  setPart(HR_TOK_CLASSES, partition->classes);
  setPart(HR_TOK_RANGES, partition->ranges);
  setPart(HR_TOK_ASCII, ascii);
  return {};
}

// ---- the whole ----
void SectionWriter::share(hr_tok_part part, hr_tok_part other) {
  if (bytes[part] != bytes[other])
    return;
  bytes[part].clear();
  sharedWith[part] = other;
}

std::vector<uint8_t> SectionWriter::assemble() {
  size_t at = sizeof header;
  for (uint32_t part = 0; part < HR_TOK_PART_COUNT; part++) {
    header.parts[part].offset = uint32_t(at);
    at = (at + bytes[part].size() + 3) & ~size_t(3);
  }
  for (auto [part, other] : sharedWith)
    header.parts[part].offset = header.parts[other].offset;
  header.bytes = uint32_t(at);
  std::vector<uint8_t> section(at);
  std::memcpy(section.data(), &header, sizeof header);
  for (uint32_t part = 0; part < HR_TOK_PART_COUNT; part++)
    if (!bytes[part].empty())
      std::copy(bytes[part].begin(), bytes[part].end(), section.begin() + header.parts[part].offset);
  return section;
}

void SectionWriter::writeHeader() {
  header.magic = HR_TOK_MAGIC;
  header.version = HR_TOK_VERSION;
  for (auto [on, flag] : {std::pair(spec.byteLevel, HR_TOK_BYTE_LEVEL),
                          {spec.byteFallback, HR_TOK_BYTE_FALLBACK},
                          {spec.fuseUnk, HR_TOK_FUSE_UNK},
                          {spec.ignoreMerges, HR_TOK_IGNORE_MERGES},
                          {spec.decoder.joinSpace, HR_TOK_JOIN_SPACE},
                          {spec.decoder.byteFallback, HR_TOK_DECODE_BYTES},
                          {spec.decoder.byteLevel, HR_TOK_DECODE_BYTE_LEVEL},
                          {!spec.subwordPrefix.empty(), HR_TOK_SUBWORD_PREFIX},
                          {!spec.wordSuffix.empty(), HR_TOK_WORD_SUFFIX}})
    header.flags |= on ? uint32_t(flag) : 0;
  header.model = spec.model;
  header.token_count = uint32_t(spec.tokens.size());
  header.unk_id = spec.unkId;
  header.strip_char = spec.decoder.stripChar;
  header.strip_count = spec.decoder.stripCount;
  header.prefix = addString(spec.subwordPrefix);
  header.prefix_bytes = uint32_t(spec.subwordPrefix.size());
  header.max_word_chars = spec.maxWordChars;
  header.space_class = header.word_class = HR_TOK_NONE;
}

Result<std::vector<uint8_t>> SectionWriter::run() {
  writeHeader();
  HR_TRY(writeAdded());
  HR_TRY(writeTokens());
  writeVocabulary();
  writeSymbols();
  writeMerges();
  writeScores();
  HR_TRY(writeNormalizers());
  HR_TRY(writeSplits());
  HR_TRY(writeClasses());
  setPart(HR_TOK_STRINGS, strings);
  setPart(HR_TOK_PREFIX, spec.prefix);
  setPart(HR_TOK_SUFFIX, spec.suffix);
  return assemble();
}

} // namespace headrace::tokenizer
