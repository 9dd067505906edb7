// ReferenceTarget.h - the scalar target: the oracle of all others, and a second device to place things on.
#ifndef HEADRACE_TARGETS_REFERENCE_REFERENCETARGET_H
#define HEADRACE_TARGETS_REFERENCE_REFERENCETARGET_H
#include "targets/TargetBackend.h"

namespace headrace {

std::unique_ptr<TargetBackend> createReferenceTarget();

} // namespace headrace
#endif
