// QuantizeGroup.h - one group of f32 values to int8 codes: what quantize and norm with an a8 output share.
#ifndef HEADRACE_TARGETS_CPU_QUANTIZEGROUP_H
#define HEADRACE_TARGETS_CPU_QUANTIZEGROUP_H
#include "targets/cpu/VectorBuilder.h"

namespace headrace {

/// Where the results of a group go.
struct GroupOutput {
  Value codes, scale, sum; ///< pointers
};

/// Quantizes the values (native registers of f32) and stores codes, scale and sum. Returns an i1: a value was a NaN or
/// an infinity.
Value buildQuantizeGroup(VectorBuilder &b, llvm::ArrayRef<Value> values, const GroupOutput &out);

/// `if (bad && *fault == 0) *fault = site + 1;`
void buildFault(VectorBuilder &b, Value bad, Value fault, Value site);

} // namespace headrace
#endif
