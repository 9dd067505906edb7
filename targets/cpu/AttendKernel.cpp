#include "targets/cpu/Kernels.h"
#include "targets/cpu/Math.h"
#include "targets/cpu/Tuning.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

namespace headrace {
namespace {

/// One row and head: its query, its output, and the positions that it attends to: those below `count`, with a window
/// from `first` on.
struct Query {
  Value q, out, count, first;
};

/// Attention of a block of queries that share a kv head, so that keys and values are loaded and widened once for all of
/// them. Scores of some tiles of 32 positions are computed together (positions are lanes); the online softmax then
/// takes the tiles one after another. Sums over positions keep head elements in lanes, in `out` itself.
///
/// Queries of a block may end at different positions. A tile that lies wholly beyond a query's end changes nothing in
/// it, to the bit: all scores are -inf, so m stays, the factor is exp(0) = 1 and the sum 0. So it is with a tile that
/// lies wholly before a query's window, since m then starts at the lowest finite number.
class AttendEmitter {
public:
  AttendEmitter(VectorBuilder &b, const KernelSpec &spec)
      : b(b), spec(spec), tuning(tuningOf(b.variant)), kElement(spec.kType == Encoding::F32 ? b.f32 : b.f16),
        vElement(spec.vType == Encoding::F32 ? b.f32 : b.f16), kBytes(kElement.getIntOrFloatBitWidth() / 8),
        vBytes(vElement.getIntOrFloatBitWidth() / 8), weights(b.scratch(maxTiles * 128)), tileFactors(b.scratch(128)) {}

  void run(const KernelArguments &args) {
    Value begin = b.toIndex(args.begin), end = b.toIndex(args.end);
    // Consecutive tiles are the rows of a head, then those of the next: this many share a kv head.
    int64_t headsPerKv = spec.heads / spec.kvHeads;
    Value share = b.imul(b.toIndex(args.nValid), b.i64c(headsPerKv));
    Value last = b.udiv(b.iadd(end, b.isub(share, b.i64c(1))), share);
    int64_t atOnce = queriesAtOnce(headsPerKv);
    b.loop(b.udiv(begin, share), last, 1, [&](Value kvHead) {
      k = b.at(args.operands[1], b.imul(kvHead, b.i64c(spec.context * spec.headDim * kBytes)));
      v = b.at(args.operands[2], b.imul(kvHead, b.i64c(spec.context * spec.headDim * vBytes)));
      Value first = b.imul(kvHead, share), lo = b.smax(begin, first), hi = b.smin(end, b.iadd(first, share));
      Value blocked = b.isub(hi, b.urem(b.isub(hi, lo), b.i64c(atOnce)));
      b.loop(lo, blocked, atOnce, [&](Value tile) { attendFrom(args, tile, atOnce, tuning.attendTiles); });
      b.loop(blocked, hi, 1, [&](Value tile) { attendFrom(args, tile, 1, tuning.attendTilesAlone); });
    });
  }

private:
  using Part = std::pair<unsigned, unsigned>; ///< first element, number of elements

  /// Most tiles of scores that are held at once: queries times tiles.
  static constexpr int64_t maxTiles = 16;

  /// The most queries the registers allow, rather fewer if then a kv head's queries are a whole number of blocks.
  int64_t queriesAtOnce(int64_t headsPerKv) const {
    for (int64_t n = tuning.attendQueries; n > 1; --n)
      if (headsPerKv % n == 0)
        return n;
    return tuning.attendQueries;
  }

  void attendFrom(const KernelArguments &args, Value tile, int64_t queries, unsigned tiles) {
    int64_t dim = spec.headDim, width = spec.heads * dim;
    Value rows = b.toIndex(args.nValid), pos = b.toIndex(args.pos);
    llvm::SmallVector<Query> block;
    for (int64_t i = 0; i != queries; ++i) {
      Value index = b.iadd(tile, b.i64c(i)), head = b.udiv(index, rows), row = b.isub(index, b.imul(head, rows));
      Value offset = b.imul(head, b.i64c(dim * 4));
      Value outRow = b.at(args.operands[3], b.imul(row, b.i64c(KernelSpec::floatRowBytes(width))));
      Value qRow = b.at(args.operands[0], b.imul(row, b.i64c(KernelSpec::floatRowBytes(spec.qkvCols()))));
      Value q = b.at(qRow, offset), out = b.at(outRow, offset);
      Value count = spec.causal ? b.iadd(b.iadd(pos, row), b.i64c(1)) : rows;
      Value start = spec.window ? b.smax(b.isub(count, b.i64c(spec.window)), b.i64c(0)) : Value();
      block.push_back({q, out, count, start});
      if (width != KernelSpec::pad32(width)) // a row's padding belongs to its last head
        b.ifThen(b.less(b.i64c(spec.heads - 2), head), [&] {
          for (int64_t j = width; j < KernelSpec::pad32(width); ++j)
            b.store(b.real(b.f32, 0.0f), outRow, j * 4);
        });
    }
    attend(block, tiles);
  }

  void attend(llvm::ArrayRef<Query> block, unsigned tiles) {
    Value least = block.front().count, most = least, zero = b.real(b.f32, 0.0f);
    for (const Query &query : block) {
      least = b.smin(least, query.count);
      most = b.smax(most, query.count);
      forEachPart(
          [&](unsigned first, unsigned width) { b.store(b.real(b.vec(b.f32, width), 0.0f), query.out, first * 4); });
    }
    Values state(block.size(), b.real(b.f32, spec.window ? std::numeric_limits<float>::lowest()
                                                         : -std::numeric_limits<float>::infinity()));
    state.append(block.size(), zero);
    auto masked = [&](Value first, ValueRange carried) { return softmaxTiles(block, first, 1, true, carried); };
    int64_t step = 32 * tiles;
    Value open = b.i64c(0), whole;
    if (spec.window) {
      auto [from, to] = tilesOfStarts(block);
      state = b.loop(from, to, 32, state, masked);
      open = to;
      whole = b.iadd(open, b.iand(b.smax(b.isub(least, open), b.i64c(0)), b.i64c(-step)));
    } else {
      whole = b.iand(least, b.i64c(-step));
    }
    state = b.loop(open, whole, step, state, [&](Value first, ValueRange carried) {
      return softmaxTiles(block, first, tiles, /*masked=*/false, carried);
    });
    state = b.loop(whole, most, 32, state, masked);
    for (size_t i = 0; i != block.size(); ++i) {
      Value inverse = b.fdiv(b.real(b.f32, 1.0f), state[block.size() + i]);
      forEachPart([&](unsigned first, unsigned width) {
        Value sum = b.load(b.vec(b.f32, width), block[i].out, first * 4);
        b.store(b.fmul(sum, b.splat(inverse, width)), block[i].out, first * 4);
      });
    }
  }

  /// Tiles in which a window of the block begins: from the first of them to where all windows have begun.
  std::pair<Value, Value> tilesOfStarts(llvm::ArrayRef<Query> block) {
    Value least = block.front().first, most = least;
    for (const Query &query : block) {
      least = b.smin(least, query.first);
      most = b.smax(most, query.first);
    }
    Value from = b.iand(least, b.i64c(-32)), up = b.iadd(most, b.i64c(31));
    return {from, b.iand(up, b.i64c(-32))};
  }

  /// s[j] = (chain over d of q[d] * k[d][j]) * scale for `tiles` tiles from position `first`: registers, then tiles,
  /// then queries. When masked, lanes beyond a query's end, or before its window, become -inf, whatever the cache holds
  /// there.
  Values scoresOf(llvm::ArrayRef<Query> block, Value first, unsigned tiles, bool masked) {
    int64_t dim = spec.headDim, whole = dim / 4 * 4;
    unsigned perQuery = tiles * b.perTile;
    Value from = b.at(k, b.imul(first, b.i64c(dim * kBytes)));
    auto steps = [&](Value d, ValueRange carried, unsigned count) {
      Values acc(carried);
      llvm::SmallVector<Values> x;
      for (const Query &query : block)
        x.push_back(b.broadcastRun(b.at(query.q, b.shl(d, 2)), count));
      Value at = b.at(from, b.imul(d, b.i64c(32 * kBytes)));
      for (unsigned i = 0; i != count; ++i)
        for (unsigned t = 0; t != tiles; ++t)
          for (unsigned r = 0; r != b.perTile; ++r) {
            Value keys = b.extf(b.load(b.vec(kElement, b.lanes), at, ((t * dim + i) * 32 + r * b.lanes) * kBytes));
            for (size_t n = 0; n != block.size(); ++n) {
              Value &to = acc[n * perQuery + t * b.perTile + r];
              to = b.fma(x[n][i], keys, to);
            }
          }
      return acc;
    };
    Values acc(block.size() * perQuery, b.real(b.floats(), 0.0f));
    acc = b.loop(b.i64c(0), b.i64c(whole), 4, acc, [&](Value d, ValueRange carried) { return steps(d, carried, 4); });
    if (whole != dim)
      acc = steps(b.i64c(whole), acc, unsigned(dim - whole));
    Value infinity = b.real(b.floats(), -std::numeric_limits<float>::infinity());
    for (size_t n = 0; n != block.size(); ++n) {
      Value limit = masked ? b.splat(b.trunc(b.isub(block[n].count, first), b.i32), b.lanes) : Value();
      bool starts = masked && spec.window;
      Value start = starts ? b.splat(b.trunc(b.isub(block[n].first, first), b.i32), b.lanes) : Value();
      for (unsigned r = 0; r != perQuery; ++r) {
        Value &s = acc[n * perQuery + r];
        s = buildSoftcap(b, spec.softcap, b.fmul(s, b.real(b.floats(), spec.scale)));
        if (masked)
          s = b.select(b.less(b.iota(b.lanes, r * b.lanes), limit), s, infinity);
        if (starts)
          s = b.select(b.less(b.iota(b.lanes, r * b.lanes), start), infinity, s);
      }
    }
    return acc;
  }

  /// `tiles` steps of the online softmax of every query; state is all m, then all l. The scores are known beforehand,
  /// so that the exponentials overlap. exp(-inf) = 0 makes both the first tile's factor and the masked lanes 0.
  Values softmaxTiles(llvm::ArrayRef<Query> block, Value first, unsigned tiles, bool masked, ValueRange state) {
    unsigned perQuery = tiles * b.perTile;
    Values s = scoresOf(block, first, tiles, masked), maxima, steps, nextM, nextL;
    for (size_t n = 0; n != block.size(); ++n) {
      Value m = state[n];
      for (unsigned t = 0; t != tiles; ++t) {
        llvm::ArrayRef<Value> tile = llvm::ArrayRef<Value>(s).slice(n * perQuery + t * b.perTile, b.perTile);
        Value next = b.fmax(m, b.reduceTree(tile, [&](Value x, Value y) { return b.fmax(x, y); }));
        steps.push_back(b.fsub(m, next));
        maxima.push_back(m = next);
      }
      nextM.push_back(m);
    }
    size_t used = steps.size();
    steps.resize(llvm::PowerOf2Ceil(used), steps.front());
    Value factors = buildExp(b, b.fromElements(steps), /*mayOverflow=*/false);
    for (size_t n = 0; n != block.size(); ++n) {
      Value l = state[block.size() + n];
      for (size_t t = n * tiles; t != (n + 1) * tiles; ++t) {
        Value subtract = b.splat(maxima[t], b.lanes);
        Values p;
        for (unsigned r = 0; r != b.perTile; ++r) {
          p.push_back(buildExp(b, b.fsub(s[t * b.perTile + r], subtract), /*mayOverflow=*/false));
          b.store(p[r], weights, (t * b.perTile + r) * b.variant.vectorBytes);
        }
        Value factor = b.extract(factors, unsigned(t));
        l = b.fma(l, factor, b.reduceTree(p, [&](Value x, Value y) { return b.fadd(x, y); }));
      }
      nextL.push_back(l);
    }
    b.store(factors, tileFactors);
    if (tiles == 1)
      addValues(block, first, b.i64c(0), 1, masked);
    else
      b.loop(b.i64c(0), b.i64c(tiles), 1, [&](Value t) { addValues(block, first, t, tiles, masked); });
    nextM.append(nextL);
    return nextM;
  }

  /// Where the positions of a tile begin and end for each query, and for all of them: [shared.lo, shared.hi).
  struct Ranges {
    Values lo, hi; ///< empty: the whole tile
    Value sharedLo, sharedHi;
  };

  Ranges rangesOf(llvm::ArrayRef<Query> block, Value start) {
    Ranges ranges;
    ranges.sharedLo = b.i64c(0);
    ranges.sharedHi = b.i64c(32);
    auto within = [&](Value position) { return b.smax(b.smin(b.isub(position, start), b.i64c(32)), b.i64c(0)); };
    for (const Query &query : block) {
      ranges.hi.push_back(within(query.count));
      ranges.sharedHi = b.smin(ranges.sharedHi, ranges.hi.back());
      if (!spec.window)
        continue;
      ranges.lo.push_back(within(query.first));
      ranges.sharedLo = b.smax(ranges.sharedLo, ranges.lo.back());
    }
    if (spec.window)
      ranges.sharedHi = b.smax(ranges.sharedHi, ranges.sharedLo);
    return ranges;
  }

  /// For tile `tile` of those at hand: out = out * factor + sum over the valid positions, ascending, of p[j] * v[j].
  void addValues(llvm::ArrayRef<Query> block, Value first, Value tile, unsigned tiles, bool masked) {
    Value start = b.iadd(first, b.shl(tile, 5));
    Values p, factors;
    for (size_t n = 0; n != block.size(); ++n) {
      Value mine = b.at(tileFactors, b.shl(tile, 2));
      factors.push_back(b.load(b.f32, mine, int64_t(n * tiles) * 4));
      p.push_back(b.at(b.at(weights, b.shl(tile, 7)), int64_t(n * tiles) * 128));
    }
    Ranges ranges = masked ? rangesOf(block, start) : Ranges{{}, {}, b.i64c(0), b.i64c(32)};
    from = b.at(v, b.imul(start, b.i64c(spec.headDim * vBytes)));
    llvm::SmallVector<Part> parts;
    forEachPart([&](unsigned at, unsigned width) { parts.emplace_back(at, width); });
    for (llvm::ArrayRef<Part> rest = parts; !rest.empty();) {
      llvm::ArrayRef<Part> now = rest.take_front(tuning.attendRegisters);
      rest = rest.drop_front(now.size());
      addParts(block, p, factors, ranges, now);
    }
  }

  /// addValues for some parts of the heads. What not all queries see lies before and behind what they share.
  void addParts(llvm::ArrayRef<Query> block, ValueRange p, ValueRange factors, const Ranges &ranges,
                llvm::ArrayRef<Part> now) {
    Values acc;
    for (size_t n = 0; n != block.size(); ++n)
      for (auto [at, width] : now) {
        Value sum = b.load(b.vec(b.f32, width), block[n].out, at * 4), factor = b.splat(factors[n], width);
        acc.push_back(b.fmul(sum, factor));
      }
    auto sumsOf = [&](size_t n) { return Values(llvm::ArrayRef<Value>(acc).slice(n * now.size(), now.size())); };
    for (size_t n = 0; block.size() > 1 && n != ranges.lo.size(); ++n) {
      Value end = b.smin(ranges.sharedLo, ranges.hi[n]);
      Values mine = positions(p[n], now, ranges.lo[n], end, sumsOf(n));
      llvm::copy(mine, acc.begin() + n * now.size());
    }
    acc = positions(p, now, ranges.sharedLo, ranges.sharedHi, acc);
    for (size_t n = 0; n != block.size(); ++n) {
      Values mine = sumsOf(n);
      if (!ranges.hi.empty() && block.size() > 1) {
        Value end = spec.window ? b.smax(ranges.sharedHi, ranges.hi[n]) : ranges.hi[n];
        mine = positions(p[n], now, ranges.sharedHi, end, mine);
      }
      for (auto [sum, part] : llvm::zip(mine, now))
        b.store(sum, block[n].out, part.first * 4);
    }
  }

  /// acc += p[j] * v[j] for j from `lo` to `hi`, for the queries whose weights are given.
  Values positions(ValueRange p, llvm::ArrayRef<Part> parts, Value lo, Value hi, ValueRange start) {
    auto steps = [&](Value j, ValueRange carried, unsigned count) {
      Values acc(carried);
      Value row = b.at(from, b.imul(j, b.i64c(spec.headDim * vBytes)));
      for (unsigned i = 0; i != count; ++i) {
        Values values;
        for (auto [at, width] : parts)
          values.push_back(b.extf(b.load(b.vec(vElement, width), row, (i * spec.headDim + at) * vBytes)));
        for (size_t n = 0; n != p.size(); ++n) {
          Value weight = b.load(b.f32, b.at(p[n], b.shl(j, 2)), i * 4);
          for (size_t r = 0; r != parts.size(); ++r) {
            Value &to = acc[n * parts.size() + r];
            to = b.fma(b.splat(weight, parts[r].second), values[r], to);
          }
        }
      }
      return acc;
    };
    Value whole = b.iadd(lo, b.iand(b.isub(hi, lo), b.i64c(-4)));
    Values acc = b.loop(lo, whole, 4, start, [&](Value j, ValueRange carried) { return steps(j, carried, 4); });
    return b.loop(whole, hi, 1, acc, [&](Value j, ValueRange carried) { return steps(j, carried, 1); });
  }

  void forEachPart(llvm::function_ref<void(unsigned, unsigned)> body) const {
    b.forEachRun(unsigned(spec.headDim), body);
  }

  VectorBuilder &b;
  const KernelSpec &spec;
  const Tuning &tuning;
  Type kElement, vElement;
  int64_t kBytes, vBytes;
  Value weights;     ///< softmax weights of the tiles at hand: [query][tile][32]
  Value tileFactors; ///< what `out` is scaled by before each of them: [query][tile]
  Value k, v;        ///< of the kv head
  Value from;        ///< values of the tile being added
};

} // namespace

void buildAttend(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  AttendEmitter(b, spec).run(args);
}

} // namespace headrace
