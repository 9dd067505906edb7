#include "targets/cpu/Kernels.h"
#include "targets/cpu/Math.h"
#include "targets/cpu/Matmul.h"

namespace headrace {
namespace {

class MatmulEmitter {
public:
  MatmulEmitter(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args)
      : b(b), spec(spec), tuning(tuningOf(b.variant)), nValid(args.nValid), begin(args.begin), end(args.end) {
    unsigned next = 0;
    weights = args.operands[next++];
    if (spec.bias)
      bias = args.operands[next++];
    x = args.operands[next++];
    if (spec.experts)
      route = args.operands[next++];
    if (spec.residual)
      residual = args.operands[next++];
    out = args.operands[next];
    xRowBytes = spec.isInteger() ? spec.codeRowBytes(spec.k) : KernelSpec::floatRowBytes(spec.k);
    outRowBytes = KernelSpec::floatRowBytes(spec.n);
  }

  /// Row 0 only: several tiles at once for float weights, whose accumulators are few.
  void gemv() {
    unsigned atOnce = spec.isInteger() ? 1 : tuning.floatTiles / (spec.gated ? 2 : 1);
    Value lo = b.toIndex(begin), hi = b.toIndex(end);
    unsigned registers = spec.isInteger() ? tuning.quantGemvRegisters : b.perTile;
    Value row = b.i64c(0);
    if (atOnce > 1) {
      Value count = b.isub(hi, lo);
      Value middle = b.iadd(lo, b.isub(count, b.iand(count, b.i64c(atOnce - 1))));
      b.loop(lo, middle, atOnce, [&](Value tile) { blocks(tile, atOnce, row, {1, registers}); });
      lo = middle;
    }
    b.loop(lo, hi, 1, [&](Value tile) { blocks(tile, 1, row, {1, registers}); });
  }

  /// All rows: a tile stays in cache while the rows pass, in blocks, half blocks and then one by one. Rows that choose
  /// among experts come one by one, as each has tiles of its own.
  void gemm() {
    RegisterBlock block = spec.isInteger() ? tuning.quantGemm : tuning.floatGemm;
    if (spec.gated && !spec.isInteger()) // gate and up are accumulated together
      block.rows /= 2;
    RegisterBlock single = {1, spec.isInteger() ? tuning.quantGemvRegisters : b.perTile};
    llvm::SmallVector<RegisterBlock> sizes;
    if (!spec.experts) {
      sizes.push_back(block);
      if (block.rows >= 4)
        sizes.push_back({block.rows / 2, block.registers});
    }
    sizes.push_back(single);
    Value rows = b.toIndex(nValid);
    Value lo = b.toIndex(begin), hi = b.toIndex(end);
    b.loop(lo, hi, 1, [&](Value tile) {
      Value done = b.i64c(0);
      for (RegisterBlock size : sizes) {
        Value until = b.iadd(done, b.iand(b.isub(rows, done), b.i64c(-int64_t(size.rows))));
        b.loop(done, until, size.rows, [&](Value row) { blocks(tile, 1, row, size); });
        done = until;
      }
    });
  }

private:
  /// The 32 outputs of each tile, `size.registers` at a time.
  void blocks(Value tile, unsigned tiles, Value row, RegisterBlock size) {
    if (size.registers == b.perTile)
      return block(tile, tiles, row, size, b.i64c(0));
    b.loop(b.i64c(0), b.i64c(128), size.registers * b.variant.vectorBytes,
           [&](Value shift) { block(tile, tiles, row, size, shift); });
  }

  void block(Value tile, unsigned tiles, Value row, RegisterBlock size, Value shift) {
    unsigned perOutput = spec.gated ? 2 : 1;
    MatmulBlock in;
    in.shift = shift;
    in.registers = size.registers;
    Value first = b.imul(tile, b.i64c(perOutput));
    Value choice = spec.experts ? b.at(route, b.imul(row, b.i64c(KernelSpec::floatRowBytes(2 * spec.top)))) : Value();
    Value firstTile = b.at(weightsOf(choice), b.imul(first, b.i64c(spec.tileBytes())));
    for (unsigned t = 0; t != tiles * perOutput; ++t) {
      in.tiles.push_back(b.at(firstTile, t * spec.tileBytes()));
      if (spec.bias)
        in.bias.push_back(b.at(b.at(bias, b.shl(first, 7)), t * 128));
    }
    Value firstX = b.at(x, b.imul(row, b.i64c(xRowBytes)));
    for (unsigned r = 0; r != size.rows; ++r)
      in.x.push_back(b.at(firstX, r * xRowBytes));

    Values acc = accumulate(in);
    Value share = spec.weighted ? b.splat(b.load(b.f32, choice), b.lanes) : Value();
    Value rowOffset = b.imul(row, b.i64c(outRowBytes)), tileOffset = b.shl(tile, 7);
    Value offset = b.iadd(b.iadd(rowOffset, tileOffset), shift);
    unsigned tileSize = size.rows * size.registers;
    for (unsigned t = 0; t != tiles; ++t)
      for (unsigned r = 0; r != size.rows; ++r) {
        llvm::ArrayRef<Value> at = llvm::ArrayRef<Value>(acc).drop_front(t * perOutput * tileSize + r * size.registers);
        epilogue(at.take_front(size.registers),
                 spec.gated ? at.drop_front(tileSize).take_front(size.registers) : llvm::ArrayRef<Value>(), offset,
                 r * outRowBytes + t * 128, share);
      }
  }

  /// The weights, or those of the expert of a choice.
  Value weightsOf(Value choice) {
    if (!choice)
      return weights;
    Value expert = b.toIndex(b.fptosi(b.load(b.f32, choice, spec.top * 4)));
    return b.at(weights, b.imul(expert, b.i64c(spec.expertBytes())));
  }

  Values accumulate(const MatmulBlock &in) {
    if (spec.isInteger())
      return accumulateQuantized(b, spec, in);
    return spec.isQuantized() ? accumulateWidened(b, spec, in) : accumulateFloat(b, spec, in);
  }

  void epilogue(llvm::ArrayRef<Value> acc, llvm::ArrayRef<Value> up, Value offset, int64_t extra, Value share) {
    Value to = b.at(b.at(out, offset), extra);
    Value add = spec.residual ? b.at(b.at(residual, offset), extra) : Value();
    for (auto [i, value] : llvm::enumerate(acc)) {
      Value v = buildActivation(b, spec.act, value);
      if (spec.gated)
        v = b.fmul(v, up[i]);
      v = buildSoftcap(b, spec.softcap, v);
      if (share)
        v = b.fmul(v, share);
      int64_t at = int64_t(i) * b.variant.vectorBytes;
      if (spec.residual)
        v = b.fadd(v, b.load(b.floats(), add, at));
      b.store(v, to, at);
    }
  }

  VectorBuilder &b;
  const KernelSpec &spec;
  const Tuning &tuning;
  Value weights, bias, x, route, residual, out, nValid, begin, end;
  int64_t xRowBytes, outRowBytes;
};

} // namespace

Values startOfTile(VectorBuilder &b, const MatmulBlock &block, unsigned tile) {
  if (block.bias.empty())
    return Values(block.registers, b.real(b.floats(), 0.0f));
  return b.loadTile(b.f32, b.at(block.bias[tile], block.shift), block.registers);
}

Value valueOfCodes(VectorBuilder &b, Encoding enc, Value codes, Value scale, Value offset) {
  if (enc == Encoding::W4A)
    return b.fma(codes, scale, offset);
  return b.fmul(enc == Encoding::W4Z ? b.fsub(codes, offset) : codes, scale);
}

void buildMatmul(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  MatmulEmitter emitter(b, spec, args);
  if (spec.family == Family::Gemv)
    emitter.gemv();
  else
    emitter.gemm();
}

} // namespace headrace
