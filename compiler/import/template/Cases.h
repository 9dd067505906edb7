// Cases.h - upper and lower case of characters, from the Unicode data of ICU, as a section has them.
#ifndef HEADRACE_IMPORT_TEMPLATE_CASES_H
#define HEADRACE_IMPORT_TEMPLATE_CASES_H

#include "compiler/import/template/Section.h"

namespace headrace::jinja {

/// Characters beyond ASCII whose upper or lower case is one other character.
const std::vector<hr_tpl_case> &caseTable();
/// Those that become several, or have a title case or folded case of their own; the texts go into the section.
std::vector<hr_tpl_special> specialTable(Section &section);
/// Which characters are cased, and which do not count beside those that are.
const std::vector<uint32_t> &kindTable();

} // namespace headrace::jinja
#endif
