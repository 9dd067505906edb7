// Cases.h - the kernel specifications that conformance and benchmark build.
#ifndef HEADRACE_TEST_CONFORMANCE_CASES_H
#define HEADRACE_TEST_CONFORMANCE_CASES_H
#include "targets/common/KernelSpec.h"
#include <vector>

namespace headrace {

/// Small shapes with every kind of tail.
std::vector<KernelSpec> conformanceCases();
/// Shapes of real models, for timing.
std::vector<KernelSpec> benchmarkCases();

} // namespace headrace
#endif
