// SectionModel.cpp - the parts of the section that hold tokens and their model.
#include "compiler/import/tokenizer/Section.h"
#include "compiler/import/tokenizer/TokenText.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>

namespace headrace::tokenizer {

// ---- tokens ----
Result<void> SectionWriter::writeTexts(bool first, std::vector<uint8_t> &kinds) {
  std::vector<uint32_t> offsets;
  std::string text;
  for (size_t id = 0; id < spec.tokens.size(); id++) {
    offsets.push_back(uint32_t(text.size()));
    if (!spec.tokens[id])
      continue;
    auto normalized = normalizedTokens.find(uint32_t(id));
    bool other = normalized != normalizedTokens.end();
    Result<TokenText> token = textOfToken(spec, other ? normalized->second : *spec.tokens[id], first);
    if (!token)
      return token.error();
    if (token->isByte)
      kinds[id] |= first ? HR_TOK_KIND_FIRST_BYTE : HR_TOK_KIND_BYTE;
    if (token->spaceAfter)
      kinds[id] |= HR_TOK_KIND_SPACE_AFTER;
    header.max_token_bytes = std::max(header.max_token_bytes, uint32_t(token->text.size()));
    text += token->text;
    if (text.size() > UINT32_MAX / 2)
      return expectedFound(spec.where + ": decoder", "texts of less than 2 GiB in all", "longer ones");
  }
  offsets.push_back(uint32_t(text.size()));
  setPart(first ? HR_TOK_FIRST_OFFSETS : HR_TOK_OFFSETS, offsets);
  setPart(first ? HR_TOK_FIRST_TEXT : HR_TOK_TEXT, std::vector<char>(text.begin(), text.end()));
  return {};
}

Result<void> SectionWriter::writeTokens() {
  std::vector<uint8_t> kinds(spec.tokens.size());
  HR_TRY(writeTexts(false, kinds));
  HR_TRY(writeTexts(true, kinds));
  for (size_t id = 0; id < spec.tokens.size(); id++)
    if (!spec.tokens[id])
      kinds[id] = HR_TOK_KIND_HOLE;
  for (const AddedToken &token : spec.addedTokens)
    if (token.special)
      kinds[token.id] |= HR_TOK_KIND_SPECIAL;
  setPart(HR_TOK_KINDS, kinds);
  share(HR_TOK_FIRST_OFFSETS, HR_TOK_OFFSETS);
  share(HR_TOK_FIRST_TEXT, HR_TOK_TEXT);
  return {};
}

/// The sorted vocabulary, for models that look tokens up by their text.
void SectionWriter::writeVocabulary() {
  if (spec.model == HR_TOK_BPE && !spec.ignoreMerges)
    return;
  std::vector<std::pair<std::string, uint32_t>> sorted;
  std::vector<std::string> texts(spec.tokens.size());
  for (const auto &[token, id] : spec.vocabulary) {
    std::string text = token;
    if (spec.byteLevel && !spelledBytes(token, text)) // no text is spelled like that
      continue;
    texts[id] = text;
    sorted.emplace_back(std::move(text), id);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint32_t> ids, offsets = {0};
  for (const auto &[text, id] : sorted)
    ids.push_back(id);
  std::string all;
  for (const std::string &text : texts) {
    all += text;
    offsets.push_back(uint32_t(all.size()));
  }
  setPart(HR_TOK_SORTED, ids);
  setPart(HR_TOK_VOCAB_OFFSETS, offsets);
  setPart(HR_TOK_VOCAB_TEXT, std::vector<char>(all.begin(), all.end()));
  if (bytes[HR_TOK_VOCAB_OFFSETS] == bytes[HR_TOK_OFFSETS] && bytes[HR_TOK_VOCAB_TEXT] == bytes[HR_TOK_TEXT]) {
    share(HR_TOK_VOCAB_OFFSETS, HR_TOK_OFFSETS);
    share(HR_TOK_VOCAB_TEXT, HR_TOK_TEXT);
  }
}

// ---- BPE ----
/// The character that a token is, without an affix of the vocabulary: false when it is more than one, or none.
static bool characterOf(const Spec &spec, const std::string &token, uint32_t variant, uint32_t &code) {
  std::string_view text = token;
  const std::string &prefix = spec.subwordPrefix, &suffix = spec.wordSuffix;
  if (variant & HR_TOK_CHAR_CONTINUES) {
    if (prefix.empty() || text.substr(0, prefix.size()) != prefix)
      return false;
    text.remove_prefix(prefix.size());
  }
  if (variant & HR_TOK_CHAR_ENDS) {
    if (suffix.empty() || text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix)
      return false;
    text.remove_suffix(suffix.size());
  }
  if (text.size() > 4)
    return false;
  std::string spelled;
  if (spec.byteLevel) {
    if (!spelledBytes(text, spelled) || spelled.size() != 1)
      return false;
    code = uint8_t(spelled[0]);
    return true;
  }
  std::vector<uint32_t> codes = codesOf(text);
  code = codes.size() == 1 ? codes[0] : 0;
  return codes.size() == 1;
}

void SectionWriter::writeSymbols() {
  std::vector<uint32_t> byteIds(256, HR_TOK_NONE);
  std::vector<hr_tok_char> chars;
  for (const auto &[token, id] : spec.vocabulary)
    for (uint32_t variant : {0u, HR_TOK_CHAR_CONTINUES, HR_TOK_CHAR_ENDS, HR_TOK_CHAR_CONTINUES | HR_TOK_CHAR_ENDS}) {
      uint32_t symbol;
      if (!characterOf(spec, token, variant, symbol))
        continue;
      if (spec.byteLevel && !variant)
        byteIds[symbol] = id;
      else
        chars.push_back({symbol | variant, id});
    }
  for (uint32_t byte = 0; spec.byteFallback && byte < 256; byte++) {
    auto token = spec.vocabulary.find(byteTokenName(byte));
    if (token != spec.vocabulary.end())
      byteIds[byte] = token->second;
  }
  std::sort(chars.begin(), chars.end(), [](const hr_tok_char &a, const hr_tok_char &b) { return a.code < b.code; });
  if (spec.byteLevel || spec.byteFallback)
    setPart(HR_TOK_BYTE_IDS, byteIds);
  if (spec.model == HR_TOK_BPE)
    setPart(HR_TOK_CHARS, chars);
}

static uint32_t pairHash(uint32_t left, uint32_t right) {
  uint32_t h = (left * 0x9e3779b1u) ^ (right * 0x85ebca6bu);
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  return h ^ h >> 12;
}

void SectionWriter::writeMerges() {
  std::vector<hr_tok_merge> merges;
  for (const Merge &merge : spec.merges)
    merges.push_back({merge.left, merge.right, merge.rank, merge.result});
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

// ---- Unigram ----
static hr_tok_score scoreBits(double value) {
  uint64_t both;
  std::memcpy(&both, &value, sizeof both);
  return {{uint32_t(both), uint32_t(both >> 32)}};
}

void SectionWriter::writeScores() {
  if (spec.model != HR_TOK_UNIGRAM)
    return;
  std::vector<hr_tok_score> scores(spec.tokens.size());
  for (size_t i = 0; i < spec.scores.size(); i++)
    scores[i] = scoreBits(spec.scores[i]);
  setPart(HR_TOK_SCORES, scores);
  hr_tok_score unknown = scoreBits(*std::min_element(spec.scores.begin(), spec.scores.end()) - 10.0);
  header.unk_score[0] = unknown.bits[0];
  header.unk_score[1] = unknown.bits[1];
}

} // namespace headrace::tokenizer
