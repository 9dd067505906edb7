#include "targets/cpu/Dot.h"
#include "targets/cpu/Matmul.h"

namespace headrace {
namespace {

/// One weight tile against the rows of a block.
class TileAccumulator {
public:
  TileAccumulator(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block, Value tile)
      : b(b), spec(spec), block(block), dot(Dot::create(b.variant, unsigned(block.x.size()))),
        prefetch(block.x.size() == 1 && block.registers == b.perTile ? tuningOf(b.variant).prefetchBytes : 0),
        quants(b.at(tile, block.shift)) {
    Value tileScales = b.at(tile, spec.tileScales());
    scales = b.at(tileScales, b.shrl(block.shift, 1));
    if (hasOffsets(spec.enc))
      offsets = b.at(scales, spec.tileOffsets() - spec.tileScales());
    for (Value row : block.x) {
      rowScales.push_back(b.at(row, spec.codeRowScales(spec.k)));
      rowSums.push_back(b.at(row, spec.codeRowSums(spec.k)));
    }
  }

  Values run(ValueRange start) {
    int64_t padded = KernelSpec::pad32(spec.k), full = padded / spec.group;
    Values acc = b.loop(b.i64c(0), b.i64c(full), 1, start,
                        [&](Value g, ValueRange carried) { return group(g, carried, spec.group); });
    if (int64_t rest = padded % spec.group)
      acc = group(b.i64c(full), acc, rest);
    return acc;
  }

private:
  /// acc = fma(float(dot), scale_w * scale_x, acc) for `length` values of K, then the minima of w4a. Zero points are
  /// taken out of the dots in floats, which is exact: all are whole numbers below 2^24.
  Values group(Value g, ValueRange acc, int64_t length) {
    int64_t groupBytes = spec.group * (isFourBits(spec.enc) ? 16 : 32);
    DotInput in;
    in.enc = spec.enc;
    in.weights = b.at(quants, b.imul(g, b.i64c(groupBytes)));
    in.registers = block.registers;
    in.octets = length / 8;
    in.prefetch = prefetch;
    Value four = b.shl(g, 2);
    Values xScales;
    for (auto [row, codes] : llvm::enumerate(block.x)) {
      in.x.push_back(b.at(codes, b.imul(g, b.i64c(spec.group))));
      in.sums.push_back(b.load(b.i32, b.at(rowSums[row], four)));
      xScales.push_back(b.at(rowScales[row], four));
    }
    Value groupScales = b.at(scales, b.shl(g, 6));
    if (prefetch)
      b.prefetch(groupScales, prefetch);
    Values dots = dot->build(b, in), w = b.loadTile(b.f16, groupScales, block.registers), groupOffsets, next;
    if (hasOffsets(spec.enc))
      groupOffsets = b.loadTile(b.f16, b.at(offsets, b.shl(g, 6)), block.registers);
    for (unsigned row = 0; row != block.x.size(); ++row) {
      Value x = b.splat(b.load(b.f32, xScales[row]), b.lanes);
      Value minusSum = spec.enc == Encoding::W4Z ? b.splat(b.fneg(b.sitofp(in.sums[row])), b.lanes) : Value();
      for (unsigned v = 0; v != block.registers; ++v) {
        size_t at = row * block.registers + v;
        Value number = b.sitofp(dots[at]), scale = b.fmul(w[v], x);
        if (minusSum)
          number = b.fma(groupOffsets[v], minusSum, number);
        next.push_back(b.fma(number, scale, acc[at]));
      }
    }
    if (spec.enc == Encoding::W4A)
      addMinima(groupOffsets, xScales, in.sums, next);
    return next;
  }

  /// acc = fma(minimum, scale_x * sum_x, acc).
  void addMinima(llvm::ArrayRef<Value> minima, llvm::ArrayRef<Value> xScales, llvm::ArrayRef<Value> sums, Values &acc) {
    for (unsigned row = 0; row != block.x.size(); ++row) {
      Value sum = b.sitofp(sums[row]), scale = b.load(b.f32, xScales[row]);
      Value x = b.splat(b.fmul(scale, sum), b.lanes);
      for (unsigned v = 0; v != block.registers; ++v) {
        Value &to = acc[row * block.registers + v];
        to = b.fma(minima[v], x, to);
      }
    }
  }

  VectorBuilder &b;
  const KernelSpec &spec;
  const MatmulBlock &block;
  std::unique_ptr<Dot> dot;
  int64_t prefetch;
  Value quants, scales, offsets;
  Values rowScales, rowSums;
};

} // namespace

Values accumulateQuantized(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block) {
  Values all;
  for (auto [index, tile] : llvm::enumerate(block.tiles)) {
    Values start = startOfTile(b, block, unsigned(index)), rows;
    for (size_t row = 0; row != block.x.size(); ++row)
      rows.append(start);
    all.append(TileAccumulator(b, spec, block, tile).run(rows));
  }
  return all;
}

} // namespace headrace
