// CpuTarget.h - vectorised kernels for x86-64 and AArch64 processors.
#ifndef HEADRACE_TARGETS_CPU_CPUTARGET_H
#define HEADRACE_TARGETS_CPU_CPUTARGET_H
#include "targets/TargetBackend.h"

namespace headrace {

std::unique_ptr<TargetBackend> createCpuTarget();

} // namespace headrace
#endif
