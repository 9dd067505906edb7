#include "compiler/import/template/Signatures.h"

#include "hr_template_format.h"

#include <algorithm>

namespace headrace::jinja {
namespace {

struct Row {
  std::string_view name, parameters;
};
#define HR_TPL_ROW(name, parameters) {#name, parameters},
constexpr Row filters[] = {HR_TPL_FILTERS(HR_TPL_ROW)};
#undef HR_TPL_ROW

struct TestRow {
  std::string_view name;
  uint32_t arguments;
};
#define HR_TPL_ROW(name, count) {#name, count},
constexpr TestRow tests[] = {HR_TPL_TESTS(HR_TPL_ROW)};
#undef HR_TPL_ROW

struct Alias {
  std::string_view name, meaning;
};
constexpr Alias filterAliases[] = {{"count", "length"}, {"d", "default"}, {"e", "escape"}};
constexpr Alias testAliases[] = {{"==", "eq"}, {"equalto", "eq"},     {"!=", "ne"},
                                 {">", "gt"},  {"greaterthan", "gt"}, {">=", "ge"},
                                 {"<", "lt"},  {"lessthan", "lt"},    {"<=", "le"}};

template <size_t N> std::string_view resolve(const Alias (&aliases)[N], std::string_view name) {
  for (const Alias &alias : aliases)
    if (alias.name == name)
      return alias.meaning;
  return name;
}

} // namespace

std::optional<FilterSignature> findFilter(std::string_view name) {
  name = resolve(filterAliases, name);
  auto row = std::find_if(std::begin(filters), std::end(filters), [&](const Row &r) { return r.name == name; });
  if (row == std::end(filters) || name == "map_attribute")
    return {};
  FilterSignature signature;
  signature.filter = uint32_t(row - std::begin(filters));
  signature.any = row->parameters == "*";
  for (std::string_view rest = signature.any ? "" : row->parameters; !rest.empty();) {
    size_t end = std::min(rest.find(' '), rest.size());
    signature.parameters.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return signature;
}

std::optional<TestSignature> findTest(std::string_view name) {
  name = resolve(testAliases, name);
  auto row = std::find_if(std::begin(tests), std::end(tests), [&](const TestRow &r) { return r.name == name; });
  if (row == std::end(tests) || name == "truthy")
    return {};
  return TestSignature{uint32_t(row - std::begin(tests)), row->arguments};
}

bool isOfJinja(std::string_view name) {
  static constexpr std::string_view names[] = {
      "attr",   "center", "groupby",   "truncate", "filesizeformat", "filter", "forceescape", "pprint",
      "random", "slice",  "striptags", "test",     "urlencode",      "urlize", "wordwrap",    "xmlattr"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool asksForCase(std::string_view name) {
  static constexpr std::string_view names[] = {"capitalize", "casefold", "dictsort", "islower", "istitle",
                                               "isupper",    "lower",    "max",      "min",     "sort",
                                               "swapcase",   "title",    "unique",   "upper"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

} // namespace headrace::jinja
