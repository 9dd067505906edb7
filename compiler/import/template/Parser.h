// Parser.h - tokens of a template to a tree, with the grammar of Jinja.
#ifndef HEADRACE_IMPORT_TEMPLATE_PARSER_H
#define HEADRACE_IMPORT_TEMPLATE_PARSER_H

#include "compiler/import/template/Ast.h"
#include "compiler/import/template/Lexer.h"

namespace headrace::jinja {

/// The body of the template; an error is "LINE: message".
Result<NodePtr> parseTemplate(std::vector<Token> tokens);

} // namespace headrace::jinja
#endif
