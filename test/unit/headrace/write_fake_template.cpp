// write_fake_template - the chat template of the fake bundle, compiled, as a C array on stdout. Messages begin with the
// character 2 and end with the character 1, which the fake tokenizer makes ids of. The content of a message of the role
// "show" is what the template sees beside it.
#include "compiler/import/template/Template.h"

#include <cstdio>

int main() {
  const char *text = "{% for m in messages %}{% if m.role == 'robot' %}{{ raise_exception('no robots') }}{% endif %}"
                     "\x02{{ m.role }}:{% if m.role == 'show' %}{{ ([] if tools is none and documents is none else tools) | tojson }}{{ (variable or {}) | tojson }}"
                     "{% if m.thinking %}{{ m.thinking }}/{{ m.reasoning_content }}{% endif %}"
                     "{% if m.content is defined or m.name is defined %}!{% endif %}{% else %}{{ m.content }}{% endif %}"
                     "\x01{% endfor %}"
                     "{% if add_generation_prompt %}\x02"
                     "assistant:{% endif %}";
  auto section = headrace::compileTemplate(text, "fake", {});
  if (!section) {
    std::fprintf(stderr, "%s\n", section.error().message().c_str());
    return 1;
  }
  std::printf("static const uint8_t fake_template[] __attribute__((aligned(4))) = {");
  for (uint8_t byte : *section)
    std::printf("%u,", byte);
  std::printf("};\n");
}
