// Rendering.h - a chat template and a context to text, by the runtime, in memory that grows as needed.
#ifndef HEADRACE_TOOLS_RENDERING_H
#define HEADRACE_TOOLS_RENDERING_H

#include "compiler/support/Result.h"
#include "headrace.h"

#include <string>
#include <string_view>

namespace headrace {

/// context: a JSON object. Where it has no "now", strftime_now gives the local time. The error is the template's own
/// message where it raised one, else it has the template's line.
Result<std::string> renderTemplate(const hr_template &chatTemplate, std::string_view context);

} // namespace headrace
#endif
