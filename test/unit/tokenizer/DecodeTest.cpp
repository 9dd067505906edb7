// The decoder's contract: streams never split a character; what is no character becomes U+FFFD as in the reference.
#include "Fixtures.h"

#include <catch2/catch.hpp>

using namespace fixtures;

static const std::string bad = "\xef\xbf\xbd";

TEST_CASE("a byte-level stream holds bytes until a character is complete") {
  Tokenizer tokenizer(byteLevelJson());
  hr_decoder state = {};
  std::string shown;
  char piece[64];
  size_t n;
  for (int32_t id : {0xf0, 0x9f, 0x91, 0x8d, int('a')}) {
    REQUIRE(hr_decode(&tokenizer.get(), &state, id, piece, sizeof piece, &n) == HR_OK);
    shown += std::string(piece, n) + "|";
  }
  CHECK(shown == "|||\xf0\x9f\x91\x8d|a|");
}

TEST_CASE("byte-level: one U+FFFD for each longest beginning of a character") {
  Tokenizer tokenizer(byteLevelJson());
  struct {
    Ids ids;
    std::string text;
  } cases[] = {{{0x80}, bad},
               {{0xe4, 0xbd}, bad},
               {{0xe4, 0xbd, 'a'}, bad + "a"},
               {{0xe0, 0x80, 0x80}, bad + bad + bad},
               {{0xf0, 0x9f, 0x91, 0xf0, 0x9f, 0x91, 0x8d}, bad + "\xf0\x9f\x91\x8d"},
               {{0xed, 0xa0, 0x80}, bad + bad + bad},
               {{0xc0, 0xaf}, bad + bad},
               {{0xf4, 0x90}, bad + bad}};
  for (const auto &c : cases) {
    CHECK(tokenizer.decode(c.ids) == c.text);
    CHECK(tokenizer.decodeStream(c.ids) == c.text);
  }
}

TEST_CASE("byte fallback: a run that is not well-formed becomes U+FFFD for each byte") {
  Tokenizer tokenizer(sentencePieceJson());
  auto byte = [](int value) { return 3 + value; };
  CHECK(tokenizer.decode({262, byte(0xe4), byte(0xbd), byte(0xa0), 261}) == "a\xe4\xbd\xa0"
                                                                            "b");
  CHECK(tokenizer.decode({byte(0xe4), byte(0xbd), byte(0xa0), byte(0xff)}) == bad + bad + bad + bad);
  CHECK(tokenizer.decodeStream({byte(0xe4), byte(0xbd), byte(0xa0), byte(0xff)}) == "\xe4\xbd\xa0" + bad);
  CHECK(tokenizer.decode({byte(0xe4), byte(0xbd)}) == bad + bad);
  CHECK(tokenizer.decodeStream({byte(0xe4), byte(0xbd), 261, byte('c')}) == bad + bad + "bc");
}

TEST_CASE("leading space, special tokens and unknown ids") {
  Tokenizer tokenizer(sentencePieceJson());
  CHECK(tokenizer.decode({262, 262}) == "a a");
  CHECK(tokenizer.decode({1, 262}, 0) == "a");
  CHECK(tokenizer.decode({1, 262}) == "<s> a");
  CHECK(tokenizer.decode({259, 262}) == " a");
  CHECK(tokenizer.decode({-2, 9999, 262}) == "a");
}

TEST_CASE("without a decoder tokens are joined by spaces") {
  auto base = sentencePieceJson();
  base["decoder"] = nullptr;
  CHECK(Tokenizer(base).decode({260, 1, 261}) == "a <s> b");
}

TEST_CASE("added tokens looked for in normalized text decode to what they are there, special ones to what they are") {
  auto base = sentencePieceJson();
  base["normalizer"] = {{"type", "Lowercase"}};
  base["added_tokens"].push_back({{"id", 264}, {"content", "<X>"}, {"normalized", true}});
  base["added_tokens"].push_back({{"id", 265}, {"content", "<Y>"}, {"normalized", false}});
  base["added_tokens"].push_back({{"id", 266}, {"content", "<Z>"}, {"normalized", true}, {"special", true}});
  Tokenizer tokenizer(base);
  CHECK(tokenizer.encode("a<x>b<Y><z>") == Ids{260, 264, 261, 265, 266});
  CHECK(tokenizer.decode({260, 264, 265, 266}) == "a<x><Y><Z>");
  CHECK(tokenizer.decode({260, 264, 265, 266}, 0) == "a<x><Y>");
}

TEST_CASE("a call without room leaves the stream as it was") {
  Tokenizer tokenizer(byteLevelJson());
  hr_decoder state = {};
  char piece[8];
  size_t n;
  REQUIRE(hr_decode(&tokenizer.get(), &state, 0xc3, piece, sizeof piece, &n) == HR_OK);
  CHECK(hr_decode(&tokenizer.get(), &state, 0xa9, piece, 1, &n) == HR_OUT_OF_MEMORY);
  CHECK(hr_decode(&tokenizer.get(), &state, 0xa9, piece, 2, &n) == HR_OK);
  CHECK(std::string(piece, n) == "\xc3\xa9");
}
