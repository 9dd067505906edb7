// The normal forms against utf8proc.
#include "Fixtures.h"
#include "compiler/import/tokenizer/CodeSet.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <utf8proc.h>

using namespace fixtures;
using headrace::tokenizer::appendUtf8;

namespace {

struct Form {
  const char *name;
  int options;
};
const Form forms[] = {{"NFC", UTF8PROC_COMPOSE},
                      {"NFD", UTF8PROC_DECOMPOSE},
                      {"NFKC", UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
                      {"NFKD", UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT}};

nlohmann::json jsonOf(const Form &form) {
  nlohmann::json base = byteLevelJson();
  base["normalizer"] = {{"type", form.name}};
  return base;
}

std::string expected(const Form &form, const std::string &text) {
  utf8proc_uint8_t *mapped = nullptr;
  utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()), utf8proc_ssize_t(text.size()), &mapped,
                   utf8proc_option_t(UTF8PROC_STABLE | form.options));
  REQUIRE(bytes >= 0);
  std::string result(reinterpret_cast<char *>(mapped), size_t(bytes));
  free(mapped);
  return result;
}

/// Blocks where a version of Unicode after 9 added a decomposition.
bool hasNewer(const Form &form, uint32_t block) {
  if (block >= 0x11900 && block < 0x12000) // U+11938
    return true;
  bool compatible = form.options & UTF8PROC_COMPAT;
  return compatible && (block == 0x32c0 || block == 0xa7c0 || block == 0xab40 || (block >= 0x10780 && block < 0x107c0) ||
                        block == 0x1f140 || block == 0x1fbc0 || block == 0x1e000 || block == 0x1e040);
}

std::string composed(const Tokenizer &tokenizer, const std::string &text) {
  return tokenizer.decode(tokenizer.encode(text));
}

} // namespace

TEST_CASE("single characters up to Unicode 9 are normalized as utf8proc says") {
  for (const Form &form : forms) {
    Tokenizer tokenizer(jsonOf(form));
    for (uint32_t first = 0; first < 0x30000; first += 0x40) {
      std::string text;
      for (uint32_t code = first; code < first + 0x40; code++)
        if (code < 0xd800 || code >= 0xe000)
          appendUtf8(text, code), text += "x";
      INFO(form.name << " " << first);
      REQUIRE((hasNewer(form, first) || composed(tokenizer, text) == expected(form, text)));
    }
  }
}

TEST_CASE("sequences of marks and Hangul are normalized as utf8proc says") {
  const Form &form = forms[GENERATE(0, 1, 2, 3)];
  Tokenizer tokenizer(jsonOf(form));
  std::mt19937 random(1);
  const uint32_t codes[] = {'a',    'o',    'q',    0x1e0b, 0x1ed9, 0x300,  0x301,   0x307,   0x323,   0x31b,
                            0x328,  0x334,  0x345,  0x344,  0x340,  0x1100, 0x1161,  0x11a8,  0x1175,  0x11c2,
                            0xac00, 0xac01, 0xd788, 0x915,  0x93c,  0x958,  0x1d157, 0x1d165, 0x1d16e, 0x1d160,
                            0xfb01, 0xfdfa, 0x5d0,  0x5b4,  0x5bc,  0x5c1,  0x212b, 0x2adc, 0xfb2c,  0x0cc6,  0x0cc2,  0x0cd5};
  for (int i = 0; i < 5000; i++) {
    std::string text;
    for (int n = int(random() % 8) + 1; n > 0; n--)
      appendUtf8(text, codes[random() % std::size(codes)]);
    INFO(form.name << " " << text);
    REQUIRE(composed(tokenizer, text) == expected(form, text));
  }
}

TEST_CASE("long runs of marks stay in bounds and in order") {
  Tokenizer tokenizer(jsonOf(forms[0]));
  std::string text = "a";
  for (int i = 0; i < 3000; i++)
    appendUtf8(text, i % 3 == 0 ? 0x301 : i % 3 == 1 ? 0x323 : 0x334);
  CHECK(composed(tokenizer, text) == expected(forms[0], text));
}
