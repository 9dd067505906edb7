// Spec.h - what a tokenizer's file says, checked and reduced to what Headrace supports.
#ifndef HEADRACE_IMPORT_TOKENIZER_SPEC_H
#define HEADRACE_IMPORT_TOKENIZER_SPEC_H

#include "compiler/import/tokenizer/CodeSet.h"
#include "compiler/support/Result.h"
#include "runtime/abi/hr_tokenizer_format.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headrace::tokenizer {

struct Merge {
  uint32_t left, right, result; // ids
  uint32_t rank;
};

struct AddedToken {
  std::string content;
  uint32_t id;
  uint32_t flags; // hr_tok_added_flag
  bool normalized, special;
};

struct Normalizer {
  hr_tok_normalizer_kind kind;
  std::string find, with;       // find: a string, or the regex of HR_TOK_REPLACE_MATCHES
  std::string where;            // for errors about the regex
  std::vector<hr_tok_map> rows; // of HR_TOK_MAP
  uint32_t sides = 0;           // of HR_TOK_STRIP: 1 the beginning, 2 the end
};

/// One pre-tokenizer stage.
struct Split {
  enum Kind { Regex, Literal, Runs, ByteLevelRegex, PrefixSpace, Metaspace };
  Kind kind;
  std::string pattern; // of Regex and Literal; of Metaspace the replacement
  std::string where;   // for errors about the pattern
  std::vector<CodeSet> sets;  // of Runs: a match is a run of characters of one of these,
  uint32_t most = HR_TOK_NONE; // at most so many
  uint32_t behavior = HR_TOK_ISOLATED; // hr_tok_behavior; of Metaspace hr_tok_prepend
  bool invert = false;
  bool spelled = false; // after ByteLevel: sees the characters that bytes are spelled with
};

/// What one decoder makes of one token.
struct DecoderStep {
  enum Kind { Replace, Metaspace, WordPiece, Strip, Suffix };
  Kind kind;
  std::string find, with;       // Replace; Metaspace: the replacement; WordPiece: the prefix; Suffix: the suffix
  bool option = false;          // Metaspace: the first token loses its marks; WordPiece: cleanup
  uint32_t start = 0, stop = 0; // Strip: how many of `find` at either end
};

/// How a token's text comes from its vocabulary string, and what is done when texts are put together.
struct Decoder {
  std::vector<DecoderStep> steps;
  bool byteLevel = false;
  bool byteFallback = false;
  bool joinSpace = false;
  uint32_t stripChar = 0, stripCount = 0; // at the beginning of the text
};

struct Spec {
  std::string where; // the file's name, which begins each error
  hr_tok_model model = HR_TOK_BPE;
  std::unordered_map<std::string, uint32_t> vocabulary;
  std::vector<const std::string *> tokens; // by id; null: a hole. Points into vocabulary and addedTokens.
  std::vector<Merge> merges;
  std::vector<double> scores;          // of HR_TOK_UNIGRAM, by id
  std::vector<AddedToken> addedTokens; // special ones first, as the reference implementation looks for them
  uint32_t unkId = HR_TOK_NONE;
  bool fuseUnk = false, byteFallback = false, ignoreMerges = false;
  std::string subwordPrefix, wordSuffix; // of BPE and WordPiece
  uint32_t maxWordChars = 0;             // of WordPiece
  bool byteLevel = false;                // pre-tokenizer ByteLevel: the vocabulary spells bytes
  std::vector<Normalizer> normalizers;
  std::string charsmap; // of HR_TOK_CHARSMAP: the precompiled map, checked
  std::vector<Split> splits;
  std::vector<uint32_t> prefix, suffix;
  Decoder decoder;
};

/// Reads the text of a tokenizer.json. The result must stay in place: it points into itself.
Result<void> readSpec(std::string_view json, std::string_view where, Spec &spec);

/// Adds a token to the vocabulary; false when the id has one already.
bool addToVocabulary(Spec &spec, const std::string &token, uint32_t id);

/// Bytes that a vocabulary string of a byte-level tokenizer spells (each byte is written as one printable character);
/// false when it holds another character.
bool spelledBytes(std::string_view token, std::string &bytes);

/// "<0x0A>"
std::string byteTokenName(uint32_t byte);

} // namespace headrace::tokenizer
#endif
