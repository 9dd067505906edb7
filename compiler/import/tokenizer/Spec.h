// Spec.h - what tokenizer.json says, checked and reduced to what Headrace supports.
#ifndef HEADRACE_IMPORT_TOKENIZER_SPEC_H
#define HEADRACE_IMPORT_TOKENIZER_SPEC_H

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
  uint32_t left, right, result; // ids; the rank is the place in the list
};

struct AddedToken {
  std::string content;
  uint32_t id;
  uint32_t flags; // hr_tok_added_flag
  bool normalized, special;
};

struct Normalizer {
  hr_tok_normalizer_kind kind;
  std::string find, with;
};

/// One pre-tokenizer stage.
struct Split {
  enum Kind { Regex, Literal, Digits, ByteLevelRegex, PrefixSpace };
  Kind kind;
  std::string pattern; // of Regex and Literal
  std::string where;   // for errors about the pattern
  hr_tok_behavior behavior = HR_TOK_ISOLATED;
  bool invert = false;
  bool eachDigit = false; // Digits: one by one
};

/// How a token's text comes from its vocabulary string, and what is done when texts are put together.
struct Decoder {
  bool byteLevel = false;
  bool byteFallback = false;
  bool joinSpace = false;
  std::vector<std::pair<std::string, std::string>> replaces;
  uint32_t stripChar = 0, stripCount = 0; // at the beginning of the text
};

struct Spec {
  std::string where; // the file's name, which begins each error
  std::unordered_map<std::string, uint32_t> vocabulary;
  std::vector<const std::string *> tokens; // by id; null: a hole. Points into vocabulary and addedTokens.
  std::vector<Merge> merges;
  std::vector<AddedToken> addedTokens; // special ones first, as the reference implementation looks for them
  uint32_t unkId = HR_TOK_NONE;
  bool fuseUnk = false, byteFallback = false, ignoreMerges = false;
  bool byteLevel = false; // pre-tokenizer ByteLevel: the vocabulary spells bytes
  std::vector<Normalizer> normalizers;
  std::vector<Split> splits;
  std::vector<uint32_t> prefix, suffix;
  Decoder decoder;
};

/// Reads JSON text. The result must stay in place: it points into itself.
Result<void> readSpec(std::string_view json, std::string_view where, Spec &spec);

/// Bytes that a vocabulary string of a byte-level tokenizer spells (each byte is written as one printable character);
/// false when it holds another character.
bool spelledBytes(std::string_view token, std::string &bytes);

} // namespace headrace::tokenizer
#endif
