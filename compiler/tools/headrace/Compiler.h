// Compiler.h - starting headrace-compile, which lies beside this program.
#ifndef HEADRACE_TOOLS_COMPILER_H
#define HEADRACE_TOOLS_COMPILER_H

#include "compiler/support/Result.h"

#include <string>
#include <vector>

namespace headrace {

/// Replaces this process by the compiler, with the same arguments; returns only when that fails.
Error becomeCompiler(char **argv);

/// Runs `headrace-compile ARGUMENTS` quietly and waits. The error is the compiler's own line.
Result<void> runCompiler(const std::vector<std::string> &arguments);

} // namespace headrace
#endif
