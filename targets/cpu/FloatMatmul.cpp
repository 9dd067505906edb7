#include "targets/cpu/Matmul.h"

namespace headrace {
namespace {

constexpr unsigned unroll = 4;

/// acc += w[k] * x[k] for `count` ascending k, beginning at `k`.
Values steps(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block, ValueRange acc, Value k,
             unsigned count) {
  Type element = spec.enc == Encoding::F32 ? b.f32 : b.f16;
  int64_t rowBytes = spec.enc == Encoding::F32 ? 128 : 64;
  Value shift = spec.enc == Encoding::F32 ? block.shift : b.shrl(block.shift, 1);
  Value offset = b.iadd(b.imul(k, b.i64c(rowBytes)), shift);
  llvm::SmallVector<Values> x;
  for (Value row : block.x)
    x.push_back(b.broadcastRun(b.at(row, b.shl(k, 2)), count));
  unsigned prefetchBytes = block.x.size() == 1 ? tuningOf(b.variant).prefetchBytes : 0;
  Values next(acc);
  for (unsigned i = 0; i != count; ++i) {
    auto to = next.begin();
    for (Value tile : block.tiles) {
      Value from = b.at(b.at(tile, offset), i * rowBytes);
      for (int64_t line = 0; prefetchBytes && line < rowBytes; line += 64)
        b.prefetch(from, prefetchBytes + line);
      Values w = b.loadTile(element, from, block.registers);
      for (const Values &row : x)
        for (Value register_ : w) {
          *to = b.fma(row[i], register_, *to);
          ++to;
        }
    }
  }
  return next;
}

} // namespace

Values startOfBlock(VectorBuilder &b, const MatmulBlock &block) {
  Values acc;
  for (unsigned tile = 0; tile != block.tiles.size(); ++tile) {
    Values start = startOfTile(b, block, tile);
    for (size_t row = 0; row != block.x.size(); ++row)
      acc.append(start);
  }
  return acc;
}

Values accumulateFloat(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block) {
  Values acc = startOfBlock(b, block);
  int64_t whole = spec.k / unroll * unroll;
  acc = b.loop(b.i64c(0), b.i64c(whole), unroll, acc,
               [&](Value k, ValueRange carried) { return steps(b, spec, block, carried, k, unroll); });
  if (whole != spec.k)
    acc = steps(b, spec, block, acc, b.i64c(whole), unsigned(spec.k - whole));
  return acc;
}

} // namespace headrace
