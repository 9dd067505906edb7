// Opens a chat template's section that is arbitrary, or a good one with bytes changed, and renders an arbitrary
// context. Whatever they hold, nothing outside section, context and the memory given may be touched.
//
//   input: u8 which (0: the rest is the section), u8 bytes of the context, the context, then the section or
//   {u32 place, u8 value}...
#include "compiler/import/template/Template.h"
#include "headrace.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace {

const char *const good[] = {
    R"({% macro m(a, b=1) %}{{ a }}{{ caller(b) if caller else varargs }}{% endmacro %}{% set ns = namespace(i=0) %}
{% for m in messages if m.role is string %}{{ loop.index ~ m.content | tojson(indent=2) }}{% set ns.i = ns.i + 1 %}{% else %}none{% endfor %}
{% call(x) m(ns.i) %}{{ x }}{% endcall %}{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | join(', ') }})",
    R"({% filter upper %}{{ x[::-1] }}{{ d.items() | list }}{% endfilter %}{{ '%s %5.2f' | format(x, 2) }}{{ strftime_now('%d %b %Y') }}
{% set t %}{{ x | sort | unique | list }}{% endset %}{{ t.split(',')[1:] }}{{ {'a': 1.5} | dictsort }}{{ 7 // 2 ** 3 }}{{ raise_exception(t) if d }})"};

std::vector<uint8_t> sections[2];

std::vector<uint8_t> sectionOf(uint8_t which, const uint8_t *data, size_t size) {
  if (which == 0 || which > 2)
    return std::vector<uint8_t>(data, data + size);
  std::vector<uint8_t> section = sections[which - 1];
  for (; size >= 5; data += 5, size -= 5) {
    uint32_t place;
    memcpy(&place, data, 4);
    section[place % section.size()] = data[4];
  }
  return section;
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  for (int i = 0; i < 2; ++i) {
    auto section = headrace::compileTemplate(good[i], "fuzz.jinja", {{"bos_token", "<s>"}});
    if (!section)
      std::abort();
    sections[i] = section.take();
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  size_t contextBytes = std::min<size_t>(data[1], size - 2);
  std::vector<char> context(data + 2, data + 2 + contextBytes); // of this size, so that a read beyond is seen
  std::vector<uint8_t> bytes = sectionOf(data[0] % 4, data + 2 + contextBytes, size - 2 - contextBytes);
  std::vector<uint32_t> section((bytes.size() + 3) / 4);
  if (!bytes.empty())
    memcpy(section.data(), bytes.data(), bytes.size());
  hr_template chatTemplate;
  if (bytes.empty() || hr_template_open(&chatTemplate, section.data(), bytes.size()) != HR_OK)
    return 0;
  std::vector<char> text(4096), scratch(1 << 17);
  hr_render_request request = {context.data(), context.size(), "2026-07-04T09:30:00", text.data(),
                               text.size(),    scratch.data(), scratch.size(),        20000};
  hr_render_error error;
  size_t n = 0;
  hr_render(&chatTemplate, &request, &n, &error);
  return 0;
}
