// Canonical composition against utf8proc.
#include "compiler/import/tokenizer/Nfc.h"
#include "Fixtures.h"
#include "compiler/import/tokenizer/CodeSet.h"

#include <catch2/catch.hpp>
#include <random>

using namespace fixtures;
using headrace::tokenizer::appendUtf8;

namespace {

nlohmann::json nfcJson() {
  nlohmann::json base = byteLevelJson();
  base["normalizer"] = {{"type", "NFC"}};
  return base;
}

std::string composed(const Tokenizer &tokenizer, const std::string &text) {
  return tokenizer.decode(tokenizer.encode(text));
}

} // namespace

TEST_CASE("single characters up to Unicode 9 compose as utf8proc says") {
  Tokenizer tokenizer(nfcJson());
  for (uint32_t first = 0; first < 0x30000; first += 0x40) {
    std::string text;
    for (uint32_t code = first; code < first + 0x40; code++)
      if (code < 0xd800 || code >= 0xe000)
        appendUtf8(text, code), text += "x";
    if (first >= 0x11900 && first < 0x12000) // U+11938 came with Unicode 13
      continue;
    INFO(first);
    REQUIRE(composed(tokenizer, text) == headrace::tokenizer::toNfc(text));
  }
}

TEST_CASE("sequences of marks and Hangul compose as utf8proc says") {
  Tokenizer tokenizer(nfcJson());
  std::mt19937 random(1);
  const uint32_t codes[] = {'a',    'o',    'q',    0x1e0b, 0x1ed9, 0x300,  0x301,   0x307,   0x323,   0x31b,
                            0x328,  0x334,  0x345,  0x344,  0x340,  0x1100, 0x1161,  0x11a8,  0x1175,  0x11c2,
                            0xac00, 0xac01, 0xd788, 0x915,  0x93c,  0x958,  0x1d157, 0x1d165, 0x1d16e, 0x1d160,
                            0x5d0,  0x5b4,  0x5bc,  0x5c1,  0x212b, 0x2adc, 0xfb2c,  0x0cc6,  0x0cc2,  0x0cd5};
  for (int i = 0; i < 20000; i++) {
    std::string text;
    for (int n = int(random() % 8) + 1; n > 0; n--)
      appendUtf8(text, codes[random() % std::size(codes)]);
    INFO(text);
    REQUIRE(composed(tokenizer, text) == headrace::tokenizer::toNfc(text));
  }
}

TEST_CASE("long runs of marks stay in bounds and in order") {
  Tokenizer tokenizer(nfcJson());
  std::string text = "a";
  for (int i = 0; i < 3000; i++)
    appendUtf8(text, i % 3 == 0 ? 0x301 : i % 3 == 1 ? 0x323 : 0x334);
  CHECK(composed(tokenizer, text) == headrace::tokenizer::toNfc(text));
}
