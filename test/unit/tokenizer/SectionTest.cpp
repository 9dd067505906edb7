// Damaged sections: refused at open, or used without leaving the section (the sanitizers watch).
#include "Fixtures.h"
#include "hr_tokenizer_format.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace fixtures;
using nlohmann::operator""_json;

namespace {

/// Uses everything that a section offers; the result does not matter.
void use(const std::vector<uint8_t> &section) {
  // A copy of exactly this size, so that a read beyond it is seen; aligned as open wants it.
  std::vector<uint32_t> exact((section.size() + 3) / 4);
  std::copy(section.begin(), section.end(), reinterpret_cast<uint8_t *>(exact.data()));
  hr_tokenizer tokenizer;
  if (hr_tokenizer_open(&tokenizer, exact.data(), section.size()) != HR_OK)
    return;
  const std::string text = "ab abc <x>  e\xcc\x81 1234 \xea\xb0\x80\xe1\x86\xa8 it's\n\n";
  size_t n = 0, needed = hr_tokenizer_scratch(&tokenizer, text.size());
  int32_t ids[256];
  if (needed < (1u << 20)) {
    std::vector<uint64_t> scratch(needed / 8 + 1);
    hr_encode(&tokenizer, text.data(), text.size(), HR_WITH_SPECIAL, ids, 256, &n, scratch.data(), needed);
  }
  char out[4096];
  for (int32_t id = -1; id < 300; id++)
    hr_detokenize(&tokenizer, &id, 1, HR_KEEP_SPECIAL, out, sizeof out, &n);
}

nlohmann::json richJson(nlohmann::json base) {
  auto id = base["model"]["vocab"].size();
  auto add = [&](const char *text) {
    auto token = nlohmann::json::parse(text);
    token["id"] = id++;
    base["added_tokens"].push_back(token);
  };
  add(R"({"content": "<x>", "lstrip": true, "single_word": true})");
  add(R"({"content": "it", "normalized": true})");
  return base;
}

} // namespace

TEST_CASE("sections that are not what they say are refused") {
  Tokenizer good(byteLevelJson());
  hr_tokenizer tokenizer;
  std::vector<uint8_t> section = good.bytes();
  CHECK(hr_tokenizer_open(&tokenizer, nullptr, 0) == HR_INVALID_ARGUMENT);
  CHECK(hr_tokenizer_open(&tokenizer, section.data() + 1, section.size() - 1) == HR_INVALID_ARGUMENT);
  for (size_t bytes : {size_t(0), size_t(8), sizeof(hr_tok_header) - 1, section.size() - 1})
    CHECK(hr_tokenizer_open(&tokenizer, section.data(), bytes) == HR_BAD_BUNDLE);
  section[0] ^= 1;
  CHECK(hr_tokenizer_open(&tokenizer, section.data(), section.size()) == HR_BAD_BUNDLE);
}

TEST_CASE("a program that does not end with a match, or jumps badly, is refused") {
  Tokenizer good(byteLevelJson());
  std::vector<uint8_t> section = good.bytes();
  auto *header = reinterpret_cast<hr_tok_header *>(section.data());
  auto *code = reinterpret_cast<uint32_t *>(section.data() + header->parts[HR_TOK_CODE].offset);
  uint32_t words = header->parts[HR_TOK_CODE].count;
  hr_tokenizer tokenizer;
  auto refusedWith = [&](uint32_t at, uint32_t word) {
    uint32_t before = code[at];
    code[at] = word;
    hr_status status = hr_tokenizer_open(&tokenizer, section.data(), section.size());
    code[at] = before;
    return status == HR_BAD_BUNDLE;
  };
  CHECK(!refusedWith(0, code[0]));
  CHECK(refusedWith(words - 1, HR_TOK_OP_CHAR));
  CHECK(refusedWith(0, HR_TOK_OP_SPLIT));                  // to itself
  CHECK(refusedWith(0, HR_TOK_OP_JUMP | words << 8));      // beyond
  CHECK(refusedWith(0, HR_TOK_OP_CLASS | 0xffffffu << 8)); // no such class
  CHECK(refusedWith(0, 200));
}

TEST_CASE("every byte of header and small parts changed, every truncation") {
  for (nlohmann::json base :
       {richJson(byteLevelJson()), richJson(sentencePieceJson()), richJson(unigramJson()), richJson(wordPieceJson())}) {
    base["normalizer"] = base["normalizer"].is_null() ? R"({"type": "NFC"})"_json : base["normalizer"];
    std::vector<uint8_t> section = Tokenizer(base).bytes();
    auto *header = reinterpret_cast<const hr_tok_header *>(section.data());
    std::vector<size_t> places;
    for (size_t i = 0; i < sizeof *header; i++)
      places.push_back(i);
    std::vector<size_t> bounds = {section.size()};
    for (const hr_tok_span &part : header->parts)
      bounds.push_back(part.offset);
    std::sort(bounds.begin(), bounds.end());
    for (size_t part = 0; part + 1 < bounds.size(); part++) {
      size_t begin = bounds[part], end = bounds[part + 1];
      size_t step = end - begin > 600 ? (end - begin) / 100 | 1 : 1;
      for (size_t i = begin; i < end; i += step)
        places.push_back(i);
    }
    for (size_t place : places)
      for (uint8_t change : {0x01, 0x80, 0xff}) {
        std::vector<uint8_t> damaged = section;
        damaged[place] ^= change;
        use(damaged);
      }
    for (size_t size = 0; size < section.size(); size += size < 400 ? 1 : 997)
      use({section.begin(), section.begin() + ptrdiff_t(size)});
  }
}
