#include "compiler/tools/headrace/Rendering.h"

#include <algorithm>
#include <ctime>
#include <vector>

namespace headrace {
namespace {

/// What a hostile template may use at most.
constexpr size_t mostRoom = size_t(1) << 28;

std::string localTime() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return text;
}

Error renderError(hr_status status, const hr_render_error &error) {
  std::string message = error.message_bytes ? std::string(error.message, error.message_bytes) : hr_status_text(status);
  if (error.raised || error.line == 0)
    return Error(message);
  return Error("chat template line " + std::to_string(error.line) + ": " + message);
}

} // namespace

Result<std::string> renderTemplate(const hr_template &chatTemplate, std::string_view context) {
  const std::string now = localTime();
  std::vector<char> text(context.size() + 65536), scratch(hr_render_scratch(context.size()));
  while (true) {
    hr_render_request request = {};
    request.context = context.data();
    request.context_bytes = context.size();
    request.now = now.c_str();
    request.text = text.data();
    request.capacity = text.size();
    request.scratch = scratch.data();
    request.scratch_bytes = scratch.size();
    hr_render_error error = {};
    size_t bytes = 0;
    hr_status status = hr_render(&chatTemplate, &request, &bytes, &error);
    if (status == HR_OK)
      return std::string(text.data(), bytes);
    std::vector<char> &small = error.out_of == HR_OUT_OF_TEXT ? text : scratch;
    if (status != HR_OUT_OF_MEMORY || small.size() >= std::max(mostRoom, 64 * context.size()))
      return renderError(status, error);
    small.resize(small.size() * 4);
  }
}

} // namespace headrace
