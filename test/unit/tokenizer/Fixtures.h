// Fixtures.h - small tokenizers made in memory, and a tokenizer ready for use.
#ifndef HEADRACE_TEST_TOKENIZER_FIXTURES_H
#define HEADRACE_TEST_TOKENIZER_FIXTURES_H

#include "headrace.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fixtures {

using Ids = std::vector<int32_t>;

/// tokenizer.json with GPT-2's components: a token for each byte (ids 0 to 255), "ab" (256), "abc" (257), " ab" (258).
nlohmann::json byteLevelJson();

/// tokenizer.json in the style of SentencePiece: <unk>, <s>, </s>, a token for each byte (3 to 258), "▁" (259), "a"
/// (260), "b" (261), "▁a" (262), "▁ab" (263).
nlohmann::json sentencePieceJson();

/// tokenizer.json in the style of T5: a character map (ﬁ to fi, ① to 1, "e" with acute accent to é, a tab to a space), a
/// Unigram model of <unk>, </s>, "▁", "a", "b", "ab", "▁a", "fi", "é", "1" (ids 0 to 9).
nlohmann::json unigramJson();

/// tokenizer.json in the style of BERT: [UNK], [CLS], [SEP], "a", "b", "##b", "##bc", "!", "你" (ids 0 to 8).
nlohmann::json wordPieceJson();

/// The string that a byte-level vocabulary spells bytes with.
std::string spelled(const std::string &bytes);

/// A compiled section, opened.
class Tokenizer {
public:
  explicit Tokenizer(const nlohmann::json &json) : Tokenizer(json.dump()) {}
  explicit Tokenizer(const std::string &json);
  static Tokenizer fromFile(const std::string &path);

  Ids encode(const std::string &text, uint32_t flags = 0) const;
  std::string decode(const Ids &ids, uint32_t flags = HR_KEEP_SPECIAL) const;
  std::string decodeStream(const Ids &ids, uint32_t flags = HR_KEEP_SPECIAL) const;
  const hr_tokenizer &get() const { return tokenizer; }
  const std::vector<uint8_t> &bytes() const { return section; }

private:
  std::vector<uint8_t> section;
  hr_tokenizer tokenizer = {};
};

/// The error of compiling it, "" if there is none.
std::string errorOf(const std::string &json);
std::string errorOf(const nlohmann::json &json);

/// A file below HEADRACE_TEST_DATA (default: ../shared beside the source), "" when absent. Absent under CI=true fails
/// the running test; otherwise it says that it was skipped.
std::string sharedFile(const std::string &name);

nlohmann::json readJson(const std::string &path);

} // namespace fixtures
#endif
