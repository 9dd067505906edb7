// Api.h - `headrace` runs a model with the runtime inside the bundle's own shared object: what runs on the host is what
// runs on a device. A build with sanitizers uses the instrumented runtime that it is linked with instead.
#ifndef HEADRACE_TOOLS_API_H
#define HEADRACE_TOOLS_API_H

#include "compiler/support/Result.h"
#include "headrace.h"

#include <string>

namespace headrace {

struct LoadedLibrary {
  const hr_api *api;
  const hr_library *library;
};

/// Loads a bundle's shared object for the rest of the process.
Result<LoadedLibrary> loadLibrary(const std::string &path);

} // namespace headrace
#endif
