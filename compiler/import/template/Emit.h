// Emit.h - a template's tree to the code of its section.
#ifndef HEADRACE_IMPORT_TEMPLATE_EMIT_H
#define HEADRACE_IMPORT_TEMPLATE_EMIT_H

#include "compiler/import/template/Ast.h"
#include "compiler/import/template/Section.h"
#include "compiler/support/Result.h"

namespace headrace::jinja {

/// An error is "LINE: message": a filter, test or argument that there is not.
Result<void> emit(const Node &body, Section &section);

/// A jump, taken where the context has tools that are not null. Code for contexts without them comes behind it, then
/// `land` lets it lead to what comes next.
uint32_t emitToolsTest(Section &section);
void land(Section &section, uint32_t jump);

} // namespace headrace::jinja
#endif
