// Template.h - a chat template in Jinja to the template section of weights.bin (runtime/abi/hr_template_format.h).
#ifndef HEADRACE_IMPORT_TEMPLATE_TEMPLATE_H
#define HEADRACE_IMPORT_TEMPLATE_TEMPLATE_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headrace {

/// Values of names that a context does not give: "bos_token" and its text, and so on.
using TemplateDefaults = std::vector<std::pair<std::string, std::string>>;

/// A template, and what errors call it: "chat_template.jinja".
struct TemplateText {
  std::string text, where;
};

/// What a bundle renders its conversations by.
struct TemplateSource {
  std::optional<TemplateText> plain; ///< none: a context without tools is an error
  std::optional<TemplateText> tools; ///< of contexts with tools that are not null; none: `plain`
  TemplateDefaults tokens;
  std::vector<std::string> others; ///< names of templates that are neither
};

/// Compiles the text; `where` names it in errors, which give the line and name what is not supported.
Result<std::vector<uint8_t>> compileTemplate(std::string_view text, std::string_view where,
                                             const TemplateDefaults &defaults);

/// Compiles a template, or two with the choice between them.
Result<std::vector<uint8_t>> compileTemplate(const TemplateSource &source);

} // namespace headrace
#endif
