// SpanNorm.h - norms over runs of columns, in place: of the heads of q and k before they are rotated.
#ifndef HEADRACE_TARGETS_CPU_SPANNORM_H
#define HEADRACE_TARGETS_CPU_SPANNORM_H
#include "targets/common/KernelSpec.h"
#include "targets/cpu/VectorBuilder.h"

namespace headrace {

struct SpanNorm {
  NormForm kind;
  int64_t cols, span; ///< span divides cols; neither need be a multiple of anything
  float eps;
  Value weight, bias; ///< a value a column; bias may be null
};

/// Normalises the `cols` floats at `x`, each run of `span` by itself, by the arithmetic of family norm.
void buildSpanNorm(VectorBuilder &b, const SpanNorm &norm, Value x);

} // namespace headrace
#endif
