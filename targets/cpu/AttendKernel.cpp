#include "targets/cpu/Kernels.h"
#include "targets/cpu/Math.h"
#include "targets/cpu/Tuning.h"
#include <limits>

namespace headrace {
namespace {

/// One row and head. Scores of up to `tuning.attendTiles` tiles of 32 positions are computed together (positions are
/// lanes), then the online softmax takes the tiles one after another. Sums over positions keep head elements in lanes,
/// in `out` itself.
class AttendEmitter {
public:
  AttendEmitter(VectorBuilder &b, const KernelSpec &spec)
      : b(b), spec(spec), tuning(tuningOf(b.variant)), kElement(spec.kType == Encoding::F32 ? b.f32 : b.f16),
        vElement(spec.vType == Encoding::F32 ? b.f32 : b.f16), kBytes(kElement.getIntOrFloatBitWidth() / 8),
        vBytes(vElement.getIntOrFloatBitWidth() / 8), scores(b.scratch(tuning.attendTiles * 128)) {}

  void run(const KernelArguments &args) {
    int64_t dim = spec.headDim;
    b.loop(b.toIndex(args.begin), b.toIndex(args.end), 1, [&](Value tile) {
      Value rows = b.toIndex(args.nValid), head = b.udiv(tile, rows), row = b.isub(tile, b.imul(head, rows));
      Value kvHead = b.udiv(head, b.i64c(spec.heads / spec.kvHeads)), headOffset = b.imul(head, b.i64c(dim * 4));
      q = b.at(b.at(args.operands[0], b.imul(row, b.i64c(KernelSpec::floatRowBytes(spec.qkvCols())))), headOffset);
      k = b.at(args.operands[1], b.imul(kvHead, b.i64c(spec.context * dim * kBytes)));
      v = b.at(args.operands[2], b.imul(kvHead, b.i64c(spec.context * dim * vBytes)));
      Value outRow = b.at(args.operands[3], b.imul(row, b.i64c(KernelSpec::floatRowBytes(spec.heads * dim))));
      out = b.at(outRow, headOffset);
      one(b.iadd(b.iadd(b.toIndex(args.pos), row), b.i64c(1)));
      if (spec.heads * dim != KernelSpec::pad32(spec.heads * dim))
        b.ifThen(b.less(b.i64c(spec.heads - 2), head), [&] { clearPadding(outRow); });
    });
  }

private:
  /// Attends to positions 0 .. count-1.
  void one(Value count) {
    b.forEachRun(unsigned(spec.headDim),
                 [&](unsigned first, unsigned width) { b.store(b.real(b.vec(b.f32, width), 0.0f), out, first * 4); });
    int64_t atOnce = 32 * tuning.attendTiles;
    Value minusInfinity = b.real(b.f32, -std::numeric_limits<float>::infinity()), zero = b.real(b.f32, 0.0f);
    Value whole = b.iand(count, b.i64c(-atOnce));
    Values state = b.loop(b.i64c(0), whole, atOnce, {minusInfinity, zero}, [&](Value first, ValueRange carried) {
      writeScores(first, tuning.attendTiles, Value());
      return b.loop(b.i64c(0), b.i64c(atOnce), 32, carried, [&](Value offset, ValueRange inner) {
        return softmaxStep(b.at(scores, b.shl(offset, 2)), b.iadd(first, offset), b.i64c(32), inner);
      });
    });
    state = b.loop(whole, count, 32, state, [&](Value first, ValueRange carried) {
      Value valid = b.smin(b.isub(count, first), b.i64c(32));
      writeScores(first, 1, valid);
      return softmaxStep(scores, first, valid, carried);
    });
    Value inverse = b.fdiv(b.real(b.f32, 1.0f), state[1]);
    b.forEachRun(unsigned(spec.headDim), [&](unsigned first, unsigned width) {
      Value sum = b.load(b.vec(b.f32, width), out, first * 4);
      b.store(b.fmul(sum, b.splat(inverse, width)), out, first * 4);
    });
  }

  /// scores[j] = (chain over d of q[d] * k[d][j]) * scale for `tiles` tiles from position `first`; lanes at or beyond
  /// `valid` of a tile (when given) become -inf, whatever the cache holds there.
  void writeScores(Value first, unsigned tiles, Value valid) {
    int64_t dim = spec.headDim, whole = dim / 4 * 4;
    Value from = b.at(k, b.imul(first, b.i64c(dim * kBytes)));
    auto steps = [&](Value d, ValueRange carried, unsigned count) {
      Values acc(carried), x = b.broadcastRun(b.at(q, b.shl(d, 2)), count);
      Value at = b.at(from, b.imul(d, b.i64c(32 * kBytes)));
      for (unsigned i = 0; i != count; ++i)
        for (unsigned t = 0; t != tiles; ++t) {
          Values keys = b.loadTile(kElement, b.at(at, (t * dim + i) * 32 * kBytes), b.perTile);
          for (unsigned r = 0; r != b.perTile; ++r)
            acc[t * b.perTile + r] = b.fma(x[i], keys[r], acc[t * b.perTile + r]);
        }
      return acc;
    };
    Values acc(tiles * b.perTile, b.real(b.floats(), 0.0f));
    acc = b.loop(b.i64c(0), b.i64c(whole), 4, acc, [&](Value d, ValueRange carried) { return steps(d, carried, 4); });
    if (whole != dim)
      acc = steps(b.i64c(whole), acc, unsigned(dim - whole));
    Value limit = valid ? b.splat(b.trunc(valid, b.i32), b.lanes) : Value();
    Value masked = b.real(b.floats(), -std::numeric_limits<float>::infinity());
    for (unsigned r = 0; r != acc.size(); ++r) {
      Value s = b.fmul(acc[r], b.real(b.floats(), spec.scale));
      if (valid)
        s = b.select(b.less(b.iota(b.lanes, r * b.lanes), limit), s, masked);
      b.store(s, scores, r * b.lanes * 4);
    }
  }

  /// One tile: state is (m, l). exp(-inf) = 0 makes both the first tile's factor and the masked lanes 0.
  Values softmaxStep(Value tile, Value first, Value valid, ValueRange state) {
    Values s = b.loadTile(b.f32, tile, b.perTile);
    Value mt = b.reduceTree(s, [&](Value x, Value y) { return b.fmax(x, y); });
    Value m = b.fmax(state[0], mt), factor = buildExp(b, b.fsub(state[0], m), /*mayOverflow=*/false);
    Value subtract = b.splat(m, b.lanes);
    Values p;
    for (unsigned r = 0; r != b.perTile; ++r) {
      p.push_back(buildExp(b, b.fsub(s[r], subtract), /*mayOverflow=*/false));
      b.store(p[r], tile, r * b.lanes * 4);
    }
    Value l = b.fma(state[1], factor, b.reduceTree(p, [&](Value x, Value y) { return b.fadd(x, y); }));
    addValues(tile, first, valid, factor);
    return {m, l};
  }

  /// out = out * factor + sum over the valid positions, ascending, of p[j] * v[j].
  void addValues(Value p, Value first, Value valid, Value factor) {
    Value from = b.at(v, b.imul(first, b.i64c(spec.headDim * vBytes)));
    llvm::SmallVector<std::pair<unsigned, unsigned>> runs;
    b.forEachRun(unsigned(spec.headDim), [&](unsigned at, unsigned width) { runs.emplace_back(at, width); });
    for (llvm::ArrayRef<std::pair<unsigned, unsigned>> rest = runs; !rest.empty();) {
      auto now = rest.take_front(tuning.attendRegisters);
      rest = rest.drop_front(now.size());
      Values acc;
      for (auto [at, width] : now)
        acc.push_back(b.fmul(b.load(b.vec(b.f32, width), out, at * 4), b.splat(factor, width)));
      auto positions = [&](Value j, ValueRange carried, unsigned count) {
        Values next(carried);
        Value row = b.at(from, b.imul(j, b.i64c(spec.headDim * vBytes))), weight = b.at(p, b.shl(j, 2));
        for (unsigned i = 0; i != count; ++i) {
          Value scalar = b.load(b.f32, weight, i * 4);
          for (auto [to, run] : llvm::zip(next, now)) {
            Value values = b.extf(b.load(b.vec(vElement, run.second), row, (i * spec.headDim + run.first) * vBytes));
            to = b.fma(b.splat(scalar, run.second), values, to);
          }
        }
        return next;
      };
      Value whole = b.iand(valid, b.i64c(-4));
      acc = b.loop(b.i64c(0), whole, 4, acc, [&](Value j, ValueRange carried) { return positions(j, carried, 4); });
      acc = b.loop(whole, valid, 1, acc, [&](Value j, ValueRange carried) { return positions(j, carried, 1); });
      for (auto [sum, run] : llvm::zip(acc, now))
        b.store(sum, out, run.first * 4);
    }
  }

  /// The row's padding belongs to its last head.
  void clearPadding(Value outRow) {
    for (int64_t i = spec.heads * spec.headDim; i < KernelSpec::pad32(spec.heads * spec.headDim); ++i)
      b.store(b.real(b.f32, 0.0f), outRow, i * 4);
  }

  VectorBuilder &b;
  const KernelSpec &spec;
  const Tuning &tuning;
  Type kElement, vElement;
  int64_t kBytes, vBytes;
  Value scores, q, k, v, out;
};

} // namespace

void buildAttend(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  AttendEmitter(b, spec).run(args);
}

} // namespace headrace
