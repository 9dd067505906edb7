// Sections that are not what the compiler writes: opened or refused, never read beyond their ends.
#include "Rendered.h"
#include "hr_template_format.h"

#include <catch2/catch.hpp>

using namespace fixtures;

namespace {

std::vector<uint8_t> section() {
  return *headrace::compileTemplate("{% macro m(a, b=2) %}{{ a | upper }}{{ b }}{% endmacro %}{% for x in xs if x %}"
                                    "{{ m(x) }}{{ loop.index }}{{ x[1:] }}{% endfor %}{{ bos_token }}",
                                    "t", {{"bos_token", "<s>"}});
}
constexpr const char *context = R"({"xs": ["ab", "", "cd"]})";

hr_status opened(const std::vector<uint8_t> &bytes) {
  const std::vector<uint32_t> aligned = words(bytes);
  hr_template chatTemplate;
  return hr_template_open(&chatTemplate, aligned.data(), bytes.size());
}

} // namespace

TEST_CASE("the section of the compiler renders") { CHECK(renderSection(section(), context).text == "AB21bCD22d<s>"); }

TEST_CASE("a section is refused at every other length") {
  const std::vector<uint8_t> good = section();
  for (size_t size = 1; size < good.size(); size += 1 + size / 64) {
    std::vector<uint8_t> cut(good.begin(), good.begin() + ptrdiff_t(size));
    REQUIRE(opened(cut) == HR_BAD_BUNDLE);
  }
  std::vector<uint8_t> longer = good;
  longer.resize(good.size() + 4);
  CHECK(opened(longer) == HR_BAD_BUNDLE);
}

TEST_CASE("every field of the header is looked at") {
  const std::vector<uint8_t> good = section();
  for (size_t at = 0; at < sizeof(hr_tpl_header); at += 4) {
    std::vector<uint8_t> bad = good;
    const uint32_t huge = 0x7ffffff1u;
    std::memcpy(bad.data() + at, &huge, 4);
    INFO("byte " << at);
    CHECK(opened(bad) == HR_BAD_BUNDLE);
  }
}

TEST_CASE("words that are changed are refused, or render to something or to an error") {
  const std::vector<uint8_t> good = section();
  unsigned refused = 0, rendered = 0;
  for (size_t at = sizeof(hr_tpl_header); at + 4 <= good.size() && at < 4096; at += 4)
    for (uint32_t flip : {1u, 0x100u, 0x1000u, 0xffffffffu}) {
      std::vector<uint8_t> bad = good;
      uint32_t word;
      std::memcpy(&word, bad.data() + at, 4);
      word ^= flip;
      std::memcpy(bad.data() + at, &word, 4);
      auto result = renderSection(bad, context, {4096, 1 << 18, 100000});
      refused += result.status == HR_BAD_BUNDLE;
      rendered += result.status == HR_OK;
    }
  CHECK(refused > 100);
  CHECK(rendered > 10);
}
