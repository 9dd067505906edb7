// Every pass of Headrace, for tools that name passes on the command line.
#pragma once

namespace headrace {
/// Registers the passes of all stages, and upstream's canonicalize, cse and symbol-dce.
void registerPasses();
} // namespace headrace
