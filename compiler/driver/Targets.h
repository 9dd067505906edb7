// Targets.h - the targets of this compiler. With Targets.cpp the only place that names them.
#ifndef HEADRACE_COMPILER_DRIVER_TARGETS_H
#define HEADRACE_COMPILER_DRIVER_TARGETS_H
#include "targets/TargetBackend.h"

namespace headrace {

const TargetRegistry &allTargets();

} // namespace headrace
#endif
