// Math.h - exp and the activations of runtime/abi/README.md on scalars and vectors.
#ifndef HEADRACE_TARGETS_CPU_MATH_H
#define HEADRACE_TARGETS_CPU_MATH_H
#include "targets/common/KernelSpec.h"
#include "targets/cpu/VectorBuilder.h"

namespace headrace {

/// e^x to the bit as runtime/abi/README.md states it. Without `mayOverflow` the caller knows x <= 88.7.
Value buildExp(VectorBuilder &b, Value x, bool mayOverflow = true);

/// cap * tanh(x / cap); x itself where cap is 0, for none.
Value buildSoftcap(VectorBuilder &b, float cap, Value x);

Value buildActivation(VectorBuilder &b, Activation act, Value x);

} // namespace headrace
#endif
