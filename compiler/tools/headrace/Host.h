// Host.h - the hooks of the runtime's commands (hr_host.h) over the C library.
#ifndef HEADRACE_TOOLS_HOST_H
#define HEADRACE_TOOLS_HOST_H

#include "compiler/support/MappedFile.h"
#include "hr_host.h"

namespace headrace {

/// The hooks and what stays open for them. Not movable: the table points back.
struct Host {
  Host();
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;

  hr_host table = {};
  MappedFile weights; ///< of the bundle
  MappedFile mapped;  ///< the file mapped last
};

/// The cores this process may use, at most HR_MAX_THREADS.
uint32_t usableCores();

} // namespace headrace
#endif
