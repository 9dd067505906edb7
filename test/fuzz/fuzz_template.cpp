// Feeds arbitrary text to the compiler of chat templates; what it accepts must open, and render or fail cleanly in
// little memory and few steps.
#include "compiler/import/template/Template.h"
#include "headrace.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char context[] =
      R"json({"messages": [{"role": "user", "content": "Hi é"}, {"role": "tool", "content": null}],
      "x": [1, -2.5, true], "d": {"a": "b"}, "now": "2026-07-04T09:30:00"})json";
  auto section =
      headrace::compileTemplate({reinterpret_cast<const char *>(data), size}, "fuzz.jinja", {{"bos_token", "<s>"}});
  if (!section) {
    if (section.error().message().find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  hr_template chatTemplate;
  if (hr_template_open(&chatTemplate, section->data(), section->size()) != HR_OK)
    std::abort();
  std::vector<char> text(1 << 14), scratch(hr_render_scratch(sizeof context));
  hr_render_request request = {context,     sizeof context - 1, nullptr,        text.data(),
                               text.size(), scratch.data(),     scratch.size(), 100000};
  hr_render_error error;
  size_t bytes = 0;
  hr_status status = hr_render(&chatTemplate, &request, &bytes, &error);
  if (status != HR_OK && status != HR_TEMPLATE_ERROR && status != HR_OUT_OF_MEMORY)
    std::abort();
  return 0;
}
