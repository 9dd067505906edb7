// Matmul.h - the parts of gemv and gemm: a skeleton (MatmulKernel.cpp) that walks tiles, rows and register blocks and
// applies the epilogue, and three accumulators: floats, codes against codes, and codes widened to floats.
#ifndef HEADRACE_TARGETS_CPU_MATMUL_H
#define HEADRACE_TARGETS_CPU_MATMUL_H
#include "targets/common/KernelSpec.h"
#include "targets/cpu/Tuning.h"
#include "targets/cpu/VectorBuilder.h"

namespace headrace {

/// What a register block reads. `shift` is the byte offset of its first output in a row of 32 floats; it applies to
/// bias too.
struct MatmulBlock {
  Values tiles;       ///< weight tiles (a gated output tile has two: gate, up)
  Values bias;        ///< first bias of each tile, or empty
  Values x;           ///< rows of x
  Value shift;        ///< i64
  unsigned registers; ///< of outputs, for each tile and row
};

/// Bias or zeros: registers of f32 for tile `tile`.
Values startOfTile(VectorBuilder &b, const MatmulBlock &block, unsigned tile);
/// The same for all rows of all tiles, in the order of accumulated outputs.
Values startOfBlock(VectorBuilder &b, const MatmulBlock &block);

/// Values of weights from their codes, as floats; `offset` is null where groups have none.
Value valueOfCodes(VectorBuilder &b, Encoding enc, Value codes, Value scale, Value offset);

/// Accumulated outputs before the epilogue: registers, then rows, then tiles (tiles slowest).
Values accumulateFloat(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block);
Values accumulateQuantized(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block);
Values accumulateWidened(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block);

} // namespace headrace
#endif
