// template_probe - compiles and renders templates for the tests that compare with Jinja. Reads requests on stdin:
//
//   request: u32 bytes of the template, u32 bytes of the context (JSON), then both
//   answer:  i32 status (-1: not compiled), u32 line, u32 bytes, then the text or the message
#include "compiler/import/template/Template.h"
#include "headrace.h"

#include <cstdio>
#include <string>
#include <vector>

namespace {

bool readAll(void *to, size_t bytes) { return bytes == 0 || fread(to, 1, bytes, stdin) == bytes; }

void answer(int32_t status, uint32_t line, const std::string &text) {
  auto bytes = uint32_t(text.size());
  fwrite(&status, 4, 1, stdout);
  fwrite(&line, 4, 1, stdout);
  fwrite(&bytes, 4, 1, stdout);
  fwrite(text.data(), 1, text.size(), stdout);
  fflush(stdout);
}

void render(const std::string &text, const std::string &context) {
  static std::vector<char> room(size_t(4) << 20), scratch(size_t(64) << 20);
  auto section = headrace::compileTemplate(text, "template", {});
  if (!section)
    return answer(-1, 0, section.error().message());
  std::vector<uint32_t> aligned((section->size() + 3) / 4);
  std::copy(section->begin(), section->end(), reinterpret_cast<uint8_t *>(aligned.data()));
  hr_template chatTemplate;
  hr_status status = hr_template_open(&chatTemplate, aligned.data(), section->size());
  if (status != HR_OK)
    return answer(status, 0, "the section is refused");
  hr_render_request request = {};
  request.context = context.data();
  request.context_bytes = context.size();
  request.text = room.data();
  request.capacity = room.size();
  request.scratch = scratch.data();
  request.scratch_bytes = scratch.size();
  size_t bytes = 0;
  hr_render_error error;
  status = hr_render(&chatTemplate, &request, &bytes, &error);
  if (status != HR_OK)
    return answer(status, error.line, std::string(error.message, error.message_bytes));
  answer(0, 0, std::string(room.data(), bytes));
}

} // namespace

int main() {
  uint32_t sizes[2];
  while (readAll(sizes, sizeof sizes)) {
    std::string text(sizes[0], ' '), context(sizes[1], ' ');
    if (!readAll(text.data(), text.size()) || !readAll(context.data(), context.size()))
      return 1;
    render(text, context);
  }
  return 0;
}
