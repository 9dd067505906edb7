#include "compiler/import/tokenizer/Tokenizer.h"
#include "compiler/import/tokenizer/Nfc.h"
#include "compiler/import/tokenizer/Regex.h"
#include "compiler/import/tokenizer/Spec.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/MappedFile.h"

#include <algorithm>
#include <cstring>

namespace headrace {

using namespace tokenizer;

namespace {

/// The pre-tokenizer of GPT-2, which ByteLevel stands for.
const char *const byteLevelRegex = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Lays the parts of the section out, one after the other.
class SectionWriter {
public:
  explicit SectionWriter(const Spec &spec) : spec(spec) {}
  Result<std::vector<uint8_t>> run();

private:
  template <typename T> void setPart(hr_tok_part part, const std::vector<T> &elements) {
    bytes[part].resize(elements.size() * sizeof(T));
    if (!elements.empty())
      std::memcpy(bytes[part].data(), elements.data(), bytes[part].size());
    header.parts[part].count = uint32_t(elements.size());
  }
  uint32_t addString(const std::string &text) {
    strings.insert(strings.end(), text.begin(), text.end());
    return uint32_t(strings.size() - text.size());
  }
  std::string decodedText(const std::string &token, bool &isByte) const;
  std::string normalized(const std::string &text) const;
  void writeTokens();
  void writeSymbols();
  void writeMerges();
  void writeWords();
  void writeAdded(hr_tok_part part, bool ofNormalized);
  void writeNormalizers();
  Result<void> writeSplits();
  Result<std::vector<uint32_t>> programOf(const Split &split);
  std::vector<uint8_t> assemble();

  const Spec &spec;
  hr_tok_header header = {};
  std::vector<uint8_t> bytes[HR_TOK_PART_COUNT];
  std::vector<uint8_t> strings;
  std::vector<uint8_t> kinds;
  ClassTable classes;
};

void replaceAll(std::string &text, const std::string &find, const std::string &with) {
  for (size_t at = 0; (at = text.find(find, at)) != std::string::npos; at += with.size())
    text.replace(at, find.size(), with);
}

/// The byte that "<0xNN>" names, as ByteFallback reads it; -1 for any other token.
int fallbackByte(const std::string &token) {
  if (token.size() != 6 || token.compare(0, 3, "<0x") != 0 || token[5] != '>')
    return -1;
  int value = 0;
  for (size_t i = 3; i < 5; i++) {
    int c = uint8_t(token[i]), lower = c | 32;
    if (i == 3 && c == '+') // a sign is read as one
      continue;
    if (!(c >= '0' && c <= '9') && !(lower >= 'a' && lower <= 'f'))
      return -1;
    value = value * 16 + (c <= '9' ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

std::string SectionWriter::decodedText(const std::string &token, bool &isByte) const {
  std::string text;
  isByte = false;
  if (spec.decoder.byteLevel)
    return spelledBytes(token, text) ? text : token;
  text = token;
  for (const auto &[find, with] : spec.decoder.replaces)
    replaceAll(text, find, with);
  int byte = spec.decoder.byteFallback ? fallbackByte(text) : -1;
  isByte = byte >= 0;
  return isByte ? std::string(1, char(byte)) : text;
}

void SectionWriter::writeTokens() {
  std::vector<uint32_t> offsets;
  std::string text;
  kinds.resize(spec.tokens.size());
  for (size_t id = 0; id < spec.tokens.size(); id++) {
    offsets.push_back(uint32_t(text.size()));
    bool isByte = false;
    std::string decoded = spec.tokens[id] ? decodedText(*spec.tokens[id], isByte) : "";
    kinds[id] = uint8_t((spec.tokens[id] ? 0 : HR_TOK_KIND_HOLE) | (isByte ? HR_TOK_KIND_BYTE : 0));
    header.max_token_bytes = std::max(header.max_token_bytes, uint32_t(decoded.size()));
    text += decoded;
  }
  offsets.push_back(uint32_t(text.size()));
  for (const AddedToken &token : spec.addedTokens)
    if (token.special)
      kinds[token.id] |= HR_TOK_KIND_SPECIAL;
  setPart(HR_TOK_OFFSETS, offsets);
  setPart(HR_TOK_KINDS, kinds);
  setPart(HR_TOK_TEXT, std::vector<char>(text.begin(), text.end()));
}

void SectionWriter::writeSymbols() {
  std::vector<uint32_t> byteIds(256, HR_TOK_NONE);
  std::vector<hr_tok_char> chars;
  std::string spelled;
  for (const auto &[token, id] : spec.vocabulary) {
    if (spec.byteLevel) {
      if (token.size() <= 2 && spelledBytes(token, spelled) && spelled.size() == 1)
        byteIds[uint8_t(spelled[0])] = id;
      continue;
    }
    std::vector<uint32_t> codes = token.size() <= 4 ? codesOf(token) : std::vector<uint32_t>();
    if (codes.size() == 1)
      chars.push_back({codes[0], id});
  }
  for (uint32_t byte = 0; spec.byteFallback && byte < 256; byte++) {
    char name[8];
    snprintf(name, sizeof name, "<0x%02X>", byte);
    byteIds[byte] = spec.vocabulary.at(name);
  }
  std::sort(chars.begin(), chars.end(), [](const hr_tok_char &a, const hr_tok_char &b) { return a.code < b.code; });
  if (spec.byteLevel || spec.byteFallback)
    setPart(HR_TOK_BYTE_IDS, byteIds);
  setPart(HR_TOK_CHARS, chars);
}

uint32_t pairHash(uint32_t left, uint32_t right) {
  uint32_t h = (left * 0x9e3779b1u) ^ (right * 0x85ebca6bu);
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  return h ^ h >> 12;
}

void SectionWriter::writeMerges() {
  std::vector<hr_tok_merge> merges;
  for (size_t rank = 0; rank < spec.merges.size(); rank++)
    merges.push_back({spec.merges[rank].left, spec.merges[rank].right, uint32_t(rank), spec.merges[rank].result});
  uint32_t buckets = 1;
  while (buckets < merges.size() / 2)
    buckets *= 2;
  std::vector<uint32_t> starts;
  for (uint32_t fullest = HR_TOK_MAX_BUCKET + 1; fullest > HR_TOK_MAX_BUCKET; buckets *= 2) {
    starts.assign(buckets + 1, 0);
    for (const hr_tok_merge &merge : merges)
      starts[(pairHash(merge.left, merge.right) & (buckets - 1)) + 1]++;
    fullest = *std::max_element(starts.begin(), starts.end());
    for (uint32_t i = 0; i < buckets; i++)
      starts[i + 1] += starts[i];
    // Of a pair given twice the last rank counts, so higher ranks come first in a bucket.
    std::sort(merges.begin(), merges.end(), [&](const hr_tok_merge &a, const hr_tok_merge &b) {
      uint32_t x = pairHash(a.left, a.right) & (buckets - 1), y = pairHash(b.left, b.right) & (buckets - 1);
      return x != y ? x < y : a.rank > b.rank;
    });
  }
  setPart(HR_TOK_BUCKETS, starts);
  setPart(HR_TOK_MERGES, merges);
}

void SectionWriter::writeWords() {
  if (!spec.ignoreMerges)
    return;
  uint32_t count = 1;
  while (count < 2 * spec.vocabulary.size())
    count *= 2;
  std::vector<uint32_t> slots(count, HR_TOK_NONE);
  std::string spelled;
  for (uint32_t id = 0; id < spec.tokens.size(); id++) {
    // Vocabulary only: an added token that is not in it is no word of the model.
    if (!spec.tokens[id] || !spec.vocabulary.count(*spec.tokens[id]) || !spelledBytes(*spec.tokens[id], spelled))
      continue;
    uint32_t h = 2166136261u;
    for (char c : spelled)
      h = (h ^ uint8_t(c)) * 16777619u;
    while (slots[h & (count - 1)] != HR_TOK_NONE)
      h++;
    slots[h & (count - 1)] = id;
  }
  setPart(HR_TOK_WORDS, slots);
}

std::string SectionWriter::normalized(const std::string &given) const {
  std::string text = given;
  for (const Normalizer &step : spec.normalizers) {
    if (step.kind == HR_TOK_PREPEND && !text.empty())
      text = step.with + text;
    else if (step.kind == HR_TOK_REPLACE)
      replaceAll(text, step.find, step.with);
    else if (step.kind == HR_TOK_TO_NFC)
      text = toNfc(text);
  }
  return text;
}

void SectionWriter::writeAdded(hr_tok_part part, bool ofNormalized) {
  std::vector<std::pair<std::string, const AddedToken *>> keys;
  for (const AddedToken &token : spec.addedTokens)
    if (token.normalized == ofNormalized)
      keys.emplace_back(ofNormalized ? normalized(token.content) : token.content, &token);
  // Of tokens that look the same once normalized the first is found.
  std::sort(keys.begin(), keys.end()); // by key, then by place: pointers into one vector
  keys.erase(std::unique(keys.begin(), keys.end(), [](const auto &a, const auto &b) { return a.first == b.first; }),
             keys.end());
  std::vector<hr_tok_added> added;
  for (const auto &[key, token] : keys) {
    if (key.empty())
      continue;
    added.push_back({addString(key), uint32_t(key.size()), token->id, token->flags});
    if (token->flags && header.space_class == HR_TOK_NONE) {
      header.space_class = classes.indexOf(whiteSpaceSet());
      header.word_class = classes.indexOf(wordSet());
    }
  }
  setPart(part, added);
}

void SectionWriter::writeNormalizers() {
  std::vector<hr_tok_normalizer> steps;
  bool nfc = false;
  for (const Normalizer &step : spec.normalizers) {
    steps.push_back({uint32_t(step.kind), addString(step.find), uint32_t(step.find.size()), addString(step.with),
                     uint32_t(step.with.size())});
    nfc |= step.kind == HR_TOK_TO_NFC;
  }
  setPart(HR_TOK_NORMALIZERS, steps);
  if (!nfc)
    return;
  const NfcTables &tables = nfcTables();
  setPart(HR_TOK_NFC, tables.ranges);
  setPart(HR_TOK_DECOMPOSE, tables.decompose);
  setPart(HR_TOK_DECOMPOSED, tables.decomposed);
  setPart(HR_TOK_COMPOSE, tables.compose);
}

Result<std::vector<uint32_t>> SectionWriter::programOf(const Split &split) {
  switch (split.kind) {
  case Split::Regex:
    return compileRegex(split.pattern, split.where, classes);
  case Split::ByteLevelRegex:
    return compileRegex(byteLevelRegex, split.where, classes);
  case Split::Literal:
    return literalProgram(split.pattern);
  case Split::Digits:
    return classProgram(*categorySet("N"), split.eachDigit ? 1 : HR_TOK_NONE, classes);
  case Split::PrefixSpace:
    break;
  }
  return std::vector<uint32_t>();
}

Result<void> SectionWriter::writeSplits() {
  std::vector<hr_tok_split> steps;
  std::vector<uint32_t> code;
  for (const Split &split : spec.splits) {
    Result<std::vector<uint32_t>> program = programOf(split);
    if (!program)
      return program.error();
    uint32_t kind = split.kind == Split::PrefixSpace ? HR_TOK_SPLIT_SPACE : HR_TOK_SPLIT_PROGRAM;
    steps.push_back({kind, uint32_t(split.behavior), split.invert, uint32_t(code.size()), uint32_t(program->size())});
    code.insert(code.end(), program->begin(), program->end());
  }
  setPart(HR_TOK_SPLITS, steps);
  setPart(HR_TOK_CODE, code);
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

std::vector<uint8_t> SectionWriter::assemble() {
  size_t at = sizeof header;
  for (uint32_t part = 0; part < HR_TOK_PART_COUNT; part++) {
    header.parts[part].offset = uint32_t(at);
    at = (at + bytes[part].size() + 3) & ~size_t(3);
  }
  header.bytes = uint32_t(at);
  std::vector<uint8_t> section(at);
  std::memcpy(section.data(), &header, sizeof header);
  for (uint32_t part = 0; part < HR_TOK_PART_COUNT; part++)
    std::copy(bytes[part].begin(), bytes[part].end(), section.begin() + header.parts[part].offset);
  return section;
}

Result<std::vector<uint8_t>> SectionWriter::run() {
  header.magic = HR_TOK_MAGIC;
  header.version = HR_TOK_VERSION;
  header.flags = (spec.byteLevel ? HR_TOK_BYTE_LEVEL : 0) | (spec.byteFallback ? HR_TOK_BYTE_FALLBACK : 0) |
                 (spec.fuseUnk ? HR_TOK_FUSE_UNK : 0) | (spec.ignoreMerges ? HR_TOK_IGNORE_MERGES : 0) |
                 (spec.decoder.joinSpace ? HR_TOK_JOIN_SPACE : 0) |
                 (spec.decoder.byteFallback ? HR_TOK_DECODE_BYTES : 0);
  header.token_count = uint32_t(spec.tokens.size());
  header.unk_id = spec.unkId;
  header.strip_char = spec.decoder.stripChar;
  header.strip_count = spec.decoder.stripCount;
  header.space_class = header.word_class = HR_TOK_NONE;
  writeTokens();
  writeSymbols();
  writeMerges();
  writeWords();
  writeAdded(HR_TOK_ADDED, false);
  writeAdded(HR_TOK_ADDED_NORMALIZED, true);
  writeNormalizers();
  HR_TRY(writeSplits());
  setPart(HR_TOK_STRINGS, strings);
  setPart(HR_TOK_PREFIX, spec.prefix);
  setPart(HR_TOK_SUFFIX, spec.suffix);
  return assemble();
}

} // namespace

Result<std::vector<uint8_t>> compileTokenizerText(std::string_view json, std::string_view where) {
  Spec spec;
  HR_TRY(readSpec(json, where, spec));
  return SectionWriter(spec).run();
}

Result<std::vector<uint8_t>> compileTokenizer(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  return compileTokenizerText(*text, fileNameOf(path));
}

} // namespace headrace
