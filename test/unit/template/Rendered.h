// Rendered.h - a template compiled and rendered with a context, in memory of a given size.
#ifndef HEADRACE_TEST_TEMPLATE_RENDERED_H
#define HEADRACE_TEST_TEMPLATE_RENDERED_H

#include "compiler/import/template/Template.h"
#include "headrace.h"

#include <cstring>
#include <string>
#include <vector>

namespace fixtures {

struct Rendered {
  hr_status status = HR_OK;
  std::string text, message;
  uint32_t line = 0, raised = 0, outOf = 0;
};

struct RenderMemory {
  size_t text = 1 << 16, scratch = 1 << 20;
  uint64_t steps = 0;
  const char *now = nullptr;
};

/// A section in words, as it must be aligned.
inline std::vector<uint32_t> words(const std::vector<uint8_t> &section) {
  std::vector<uint32_t> aligned((section.size() + 3) / 4);
  std::memcpy(aligned.data(), section.data(), section.size());
  return aligned;
}

inline Rendered renderSection(const std::vector<uint8_t> &section, const std::string &context, RenderMemory memory = {}) {
  const std::vector<uint32_t> aligned = words(section);
  hr_template chatTemplate;
  Rendered result;
  result.status = hr_template_open(&chatTemplate, aligned.data(), section.size());
  if (result.status != HR_OK)
    return result;
  std::vector<char> text(memory.text), scratch(memory.scratch);
  hr_render_request request = {};
  request.context = context.data();
  request.context_bytes = context.size();
  request.now = memory.now;
  request.text = text.data();
  request.capacity = text.size();
  request.scratch = scratch.data();
  request.scratch_bytes = scratch.size();
  request.max_steps = memory.steps;
  size_t bytes = 0;
  hr_render_error error = {};
  result.status = hr_render(&chatTemplate, &request, &bytes, &error);
  result.text.assign(text.data(), bytes);
  if (result.status != HR_OK && error.message_bytes)
    result.message.assign(error.message, error.message_bytes);
  result.line = error.line;
  result.raised = error.raised;
  result.outOf = error.out_of;
  return result;
}

/// What cannot be compiled has its error as the message.
inline Rendered render(const std::string &text, const std::string &context, RenderMemory memory = {},
                       const headrace::TemplateDefaults &defaults = {}) {
  auto section = headrace::compileTemplate(text, "t", defaults);
  if (!section)
    return {HR_BAD_BUNDLE, "", section.error().message()};
  return renderSection(*section, context, memory);
}

} // namespace fixtures
#endif
