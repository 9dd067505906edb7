// Template.h - a chat template in Jinja to the template section of weights.bin (runtime/abi/hr_template_format.h).
#ifndef HEADRACE_IMPORT_TEMPLATE_TEMPLATE_H
#define HEADRACE_IMPORT_TEMPLATE_TEMPLATE_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headrace {

/// Values of names that a context does not give: "bos_token" and its text, and so on.
using TemplateDefaults = std::vector<std::pair<std::string, std::string>>;

/// Compiles the text; `where` names it in errors, which give the line and name what is not supported.
Result<std::vector<uint8_t>> compileTemplate(std::string_view text, std::string_view where,
                                             const TemplateDefaults &defaults);

} // namespace headrace
#endif
