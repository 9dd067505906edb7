// Signatures.h - filters and tests by the names that templates call them.
#ifndef HEADRACE_IMPORT_TEMPLATE_SIGNATURES_H
#define HEADRACE_IMPORT_TEMPLATE_SIGNATURES_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headrace::jinja {

struct FilterSignature {
  uint32_t filter = 0;                      ///< hr_tpl_filter
  std::vector<std::string_view> parameters; ///< behind the value
  bool any = false;                         ///< takes what it is given
};
std::optional<FilterSignature> findFilter(std::string_view name);

struct TestSignature {
  uint32_t test = 0; ///< hr_tpl_test
  uint32_t arguments = 0;
};
std::optional<TestSignature> findTest(std::string_view name);

/// Filters and tests that Jinja has and a section has not.
bool isOfJinja(std::string_view name);

/// Whether a filter or method of this name asks for upper or lower case.
bool asksForCase(std::string_view name);

} // namespace headrace::jinja
#endif
