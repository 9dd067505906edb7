#include "targets/cpu/Tuning.h"
#include "llvm/Support/ErrorHandling.h"

namespace headrace {

static constexpr Tuning tunings[] = {
    // dot, tiles, float gemm, gemv, quant gemm, attend: queries, tiles, tiles alone, registers, prefetch
    {DotKind::Maddubs, 2, {4, 2}, 4, {4, 1}, 3, 1, 2, 4, 8192},
    {DotKind::VpdpbusdYmm, 2, {4, 2}, 4, {4, 2}, 3, 1, 2, 4, 8192},
    {DotKind::VpdpbusdZmm, 4, {8, 2}, 2, {8, 2}, 4, 2, 4, 4, 8192},
    {DotKind::NeonMull, 1, {4, 4}, 4, {2, 2}, 3, 1, 1, 8, 0},
    {DotKind::Sdot, 1, {4, 4}, 8, {4, 4}, 3, 1, 1, 8, 0},
    {DotKind::Smmla, 1, {4, 4}, 8, {8, 2}, 3, 1, 1, 8, 0},
};

const Tuning &tuningOf(const Variant &variant) {
  for (const Tuning &tuning : tunings)
    if (tuning.dot == variant.dot)
      return tuning;
  llvm_unreachable("the backend refuses variants without a row");
}

} // namespace headrace
