// Opens a tokenizer section that is arbitrary, or a good one with bytes changed, and uses it. Whatever a section holds,
// nothing outside it may be touched.
//
//   input: u8 which (0: the rest is the section; 1 to 4: a good one), u8 bytes of text, text, then the section or {u32
//   place, u8 value}...
#include "SmallCharsmap.h"
#include "compiler/import/tokenizer/Tokenizer.h"
#include "headrace.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<uint8_t>;

const char *const byteLevel = R"json({
  "added_tokens": [{"id": 8, "content": "<x>", "lstrip": true, "rstrip": true, "single_word": true, "normalized": false}],
  "normalizer": {"type": "NFC"},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "ByteLevel"}]},
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE", "unk_token": "b", "ignore_merges": true, "merges": [["a", "b"], ["ab", "a"]],
            "vocab": {"a": 0, "b": 1, "ab": 2, "aba": 3, "Ġ": 4, "Ì": 5, "ģ": 6, "Ġa": 7}}})json";

const char *const characters = R"json({
  "added_tokens": [{"id": 7, "content": "<x>", "special": true}, {"id": 8, "content": "ba b", "normalized": true}],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "_"},
                 {"type": "Replace", "pattern": {"String": " "}, "content": "__"}]},
  "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(?:a|bc)?[_b]+|\\p{L}(?!\\s)"}, "behavior": "MergedWithNext"},
  "decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "_"}, "content": " "},
              {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 2, "stop": 0}]},
  "model": {"type": "BPE", "unk_token": "b", "fuse_unk": true, "merges": ["a b", "_ _"],
            "vocab": {"a": 0, "b": 1, "ab": 2, "_": 3, "__": 4, "<0xE4>": 5, "<0xBD>": 6}}})json";

/// @ is a character map.
const char *const unigram = R"json({
  "added_tokens": [{"id": 6, "content": "<x>", "normalized": true}],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": "@"},
                 {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}, {"type": "NFKC"}]},
  "pre_tokenizer": {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"},
  "post_processor": {"type": "BertProcessing", "cls": ["a", 1], "sep": ["b", 2]},
  "decoder": {"type": "Metaspace", "replacement": "_"},
  "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true,
            "vocab": [["?", 0], ["a", -1.5], ["b", -2], ["ab", -3], ["_", -1], ["<0xE4>", -9]]}})json";

const char *const wordPiece = R"json({
  "added_tokens": [{"id": 6, "content": "<x>", "special": true}],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": true, "strip_right": true},
                 {"type": "BertNormalizer"}]},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
  "model": {"type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "##", "max_input_chars_per_word": 9,
            "vocab": {"?": 0, "a": 1, "b": 2, "##a": 3, "##b": 4, "##ab": 5}}})json";

Bytes goodSection(std::string json) {
  size_t map = json.find('@');
  if (map != std::string::npos)
    json.replace(map, 1, fixtures::SmallCharsmap({{"\xc3\xa4", "ab"}, {"a\xcc\x81", "b"}, {"c", " a"}}).base64());
  auto section = headrace::compileTokenizerText(json, "fuzz.json");
  if (!section)
    std::abort();
  return section.take();
}

Bytes good[4];

Bytes sectionOf(uint8_t which, const uint8_t *data, size_t size) {
  if (which == 0 || which > 4)
    return Bytes(data, data + size);
  Bytes section = good[which - 1];
  for (; size >= 5; data += 5, size -= 5) {
    uint32_t place;
    memcpy(&place, data, 4);
    section[place % section.size()] = data[4];
  }
  return section;
}

void use(const hr_tokenizer &tokenizer, const std::string &text, uint8_t flags) {
  size_t needed = hr_tokenizer_scratch(&tokenizer, text.size()), n = 0;
  if (needed < (1u << 20)) {
    std::vector<uint64_t> scratch(needed / 8 + 1);
    int32_t ids[64];
    hr_encode(&tokenizer, text.data(), text.size(), flags & 1, ids, 64, &n, scratch.data(), needed);
  }
  char out[256];
  hr_decoder state = {};
  std::vector<int32_t> ids;
  for (unsigned char c : text) {
    hr_decode(&tokenizer, &state, c % 16, out, sizeof out, &n);
    ids.push_back(c % 16);
  }
  hr_detokenize(&tokenizer, ids.data(), ids.size(), flags & 1, out, sizeof out, &n);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  good[0] = goodSection(byteLevel);
  good[1] = goodSection(characters);
  good[2] = goodSection(unigram);
  good[3] = goodSection(wordPiece);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  size_t textBytes = std::min<size_t>(data[1], size - 2);
  std::string text(reinterpret_cast<const char *>(data) + 2, textBytes);
  Bytes bytes = sectionOf(data[0] % 8, data + 2 + textBytes, size - 2 - textBytes);
  // Aligned, and of this size, so that a read beyond is seen.
  std::vector<uint32_t> section((bytes.size() + 3) / 4);
  if (!bytes.empty())
    memcpy(section.data(), bytes.data(), bytes.size());
  hr_tokenizer tokenizer;
  if (hr_tokenizer_open(&tokenizer, section.data(), bytes.size()) == HR_OK)
    use(tokenizer, text, data[0] >> 7);
  return 0;
}
