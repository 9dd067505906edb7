#include "targets/cpu/Matmul.h"

namespace headrace {
namespace {

/// Codes become the floats that they stand for, in registers: the same additions as with float weights.
class WidenedAccumulator {
public:
  WidenedAccumulator(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block)
      : b(b), spec(spec), block(block), octetBytes(isFourBits(spec.enc) ? 128 : 256),
        prefetch(block.x.size() == 1 ? tuningOf(b.variant).prefetchBytes : 0) {
    Value halfShift = b.shrl(block.shift, 1);
    for (Value tile : block.tiles) {
      quants.push_back(b.at(tile, block.shift));
      scales.push_back(b.at(b.at(tile, spec.tileScales()), halfShift));
    }
  }

  Values run() {
    int64_t full = spec.k / spec.group;
    Values acc = b.loop(b.i64c(0), b.i64c(full), 1, startOfBlock(b, block),
                        [&](Value g, ValueRange carried) { return group(g, carried, spec.group); });
    if (int64_t rest = spec.k % spec.group)
      acc = group(b.i64c(full), acc, rest);
    return acc;
  }

private:
  /// Of each output of a tile.
  struct TileNumbers {
    Values scales, offsets;
  };

  Values group(Value g, ValueRange start, int64_t length) {
    llvm::SmallVector<TileNumbers> numbers;
    Value at = b.shl(g, 6);
    for (Value tile : scales) {
      TileNumbers &of = numbers.emplace_back();
      Value groupScales = b.at(tile, at);
      of.scales = b.loadTile(b.f16, groupScales, block.registers);
      if (hasOffsets(spec.enc))
        of.offsets = b.loadTile(b.f16, b.at(groupScales, spec.tileOffsets() - spec.tileScales()), block.registers);
    }
    Value first = b.imul(g, b.i64c(spec.group / 8));
    int64_t whole = length / 8;
    Values acc = b.loop(b.i64c(0), b.i64c(whole), 1, start,
                        [&](Value i, ValueRange carried) { return octet(b.iadd(first, i), numbers, carried, 8); });
    if (length % 8)
      acc = octet(b.iadd(first, b.i64c(whole)), numbers, acc, unsigned(length % 8));
    return acc;
  }

  /// acc = fma(x[k], w[k], acc) for `count` of the eight ascending k of an octet.
  Values octet(Value index, llvm::ArrayRef<TileNumbers> numbers, ValueRange carried, unsigned count) {
    llvm::SmallVector<Values> x;
    for (Value row : block.x)
      x.push_back(b.broadcastRun(b.at(row, b.shl(index, 5)), count));
    Value offset = b.imul(index, b.i64c(octetBytes));
    Values acc(carried);
    auto tileAcc = acc.begin();
    for (auto [tile, of] : llvm::zip(quants, numbers)) {
      Value from = b.at(tile, offset);
      for (int64_t line = 0; prefetch && line < octetBytes; line += 64)
        b.prefetch(from, prefetch + line);
      for (unsigned v = 0; v != block.registers; ++v) {
        Value low = b.load(b.ints(), from, v * b.variant.vectorBytes);
        Value high = isFourBits(spec.enc) ? b.shrl(low, 4) : b.load(b.ints(), from, 128 + v * b.variant.vectorBytes);
        for (unsigned i = 0; i != count; ++i) {
          Value w = value(b.shrl(i < 4 ? low : high, i % 4 * 8), of, v);
          for (auto [row, run] : llvm::enumerate(x)) {
            Value &to = tileAcc[row * block.registers + v];
            to = b.fma(run[i], w, to);
          }
        }
      }
      tileAcc += block.x.size() * block.registers;
    }
    return acc;
  }

  /// The weights whose stored codes are the low bits of `word`.
  Value value(Value word, const TileNumbers &of, unsigned v) {
    Value stored = b.iand(word, b.integer(b.ints(), isFourBits(spec.enc) ? 15 : 255));
    Value code = b.sitofp(b.isub(stored, b.integer(b.ints(), zeroPointOf(spec.enc))));
    return valueOfCodes(b, spec.enc, code, of.scales[v], of.offsets.empty() ? Value() : of.offsets[v]);
  }

  VectorBuilder &b;
  const KernelSpec &spec;
  const MatmulBlock &block;
  const int64_t octetBytes, prefetch;
  Values quants, scales;
};

} // namespace

Values accumulateWidened(VectorBuilder &b, const KernelSpec &spec, const MatmulBlock &block) {
  return WidenedAccumulator(b, spec, block).run();
}

} // namespace headrace
