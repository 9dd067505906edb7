// Section.h - the parts of a template's section (runtime/abi/hr_template_format.h) while they are made.
#ifndef HEADRACE_IMPORT_TEMPLATE_SECTION_H
#define HEADRACE_IMPORT_TEMPLATE_SECTION_H

#include "hr_template_format.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace headrace::jinja {

/// Pools of strings, constants and names, each thing once; and the other parts as they come.
class Section {
public:
  uint32_t constant(uint32_t kind, uint64_t bits = 0);
  uint32_t stringConstant(std::string_view text);
  uint32_t name(std::string_view text);
  std::string_view nameText(uint32_t name) const;

  std::vector<uint32_t> code;
  std::vector<hr_tpl_line> lines;
  std::vector<hr_tpl_macro> macros;
  std::vector<uint32_t> params;
  std::vector<hr_tpl_default> defaults;
  bool needsCases = false; ///< upper or lower case of characters beyond ASCII

  /// The place of a text of at most 255 bytes, as hr_tpl_special has it.
  uint32_t shortString(std::string_view text);

  /// The bytes; empty when they are more than a section may have.
  std::vector<uint8_t> bytes();

private:
  std::pair<uint32_t, uint32_t> string(std::string_view text);

  std::string strings;
  std::map<std::string, uint32_t, std::less<>> stringPlaces;
  std::vector<hr_tpl_constant> constants;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> constantPlaces;
  std::vector<hr_tpl_name> names;
  std::map<std::string, uint32_t, std::less<>> namePlaces;
};

} // namespace headrace::jinja
#endif
