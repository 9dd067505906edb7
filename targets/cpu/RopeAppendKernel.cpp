#include "targets/cpu/Kernels.h"
#include "targets/cpu/SpanNorm.h"

namespace headrace {
namespace {

/// Where one row's rotation factors and cache slots are.
struct RopeRow {
  Value cosines, sines; ///< float[rotary / 2]
  Value k, v;           ///< cache address of this position: element 0 of kv head 0
};

int64_t bytesOf(Encoding type) { return type == Encoding::F32 ? 4 : 2; }

/// f32 to the cache's element type.
Value narrow(VectorBuilder &b, Value x, Encoding type) { return type == Encoding::F32 ? x : b.truncf(x); }

/// (a, b) -> (fma(-b, s, a * c), fma(a, s, b * c))
std::pair<Value, Value> rotate(VectorBuilder &b, Value x, Value y, Value c, Value s) {
  Value minus = b.fneg(y), xc = b.fmul(x, c), yc = b.fmul(y, c);
  return {b.fma(minus, s, xc), b.fma(x, s, yc)};
}

void rotateQueries(VectorBuilder &b, const KernelSpec &spec, const RopeRow &row, Value q) {
  unsigned half = unsigned(spec.rotary / 2);
  if (half == 0)
    return;
  b.loop(b.i64c(0), b.i64c(spec.heads * spec.headDim * 4), spec.headDim * 4, [&](Value offset) {
    Value head = b.at(q, offset);
    b.forEachRun(half, [&](unsigned first, unsigned width) {
      VectorType type = b.vec(b.f32, width);
      int64_t low = first * 4, high = (first + half) * 4;
      Value left = b.load(type, head, low), right = b.load(type, head, high);
      Value cosines = b.load(type, row.cosines, low), sines = b.load(type, row.sines, low);
      auto [x, y] = rotate(b, left, right, cosines, sines);
      b.store(x, head, low);
      b.store(y, head, high);
    });
  });
}

/// Element d of the row's key in the cache: positions are neighbours there, so keys are written one by one.
void appendKeys(VectorBuilder &b, const KernelSpec &spec, const RopeRow &row, Value k, Value kCache) {
  int64_t half = spec.rotary / 2, step = 32 * bytesOf(spec.kType);
  auto put = [&](Value x, Value element, int64_t extra) {
    Value key = narrow(b, x, spec.kType);
    b.store(key, b.at(b.at(kCache, b.imul(element, b.i64c(step))), extra * step));
  };
  if (half != 0)
    b.loop(b.i64c(0), b.i64c(half), 1, [&](Value i) {
      Value offset = b.shl(i, 2), at = b.at(k, offset);
      Value first = b.load(b.f32, at), second = b.load(b.f32, at, half * 4);
      Value cosine = b.load(b.f32, b.at(row.cosines, offset)), sine = b.load(b.f32, b.at(row.sines, offset));
      auto [x, y] = rotate(b, first, second, cosine, sine);
      put(x, i, 0);
      put(y, i, half);
    });
  b.loop(b.i64c(spec.rotary), b.i64c(spec.headDim), 1,
         [&](Value i) { put(b.load(b.f32, b.at(k, b.shl(i, 2))), i, 0); });
}

void appendValues(VectorBuilder &b, const KernelSpec &spec, Value v, Value vCache) {
  b.forEachRun(unsigned(spec.headDim), [&](unsigned first, unsigned width) {
    Value x = b.load(b.vec(b.f32, width), v, first * 4);
    b.store(narrow(b, x, spec.vType), vCache, first * bytesOf(spec.vType));
  });
}

/// The operands that only some kernels have, in their order behind qkv.
struct RopeOperands {
  RopeOperands(const KernelSpec &spec, const KernelArguments &args) {
    unsigned next = 1;
    auto take = [&](bool present) { return present ? args.operands[next++] : Value(); };
    bool norm = spec.qkNorm != NormForm::None;
    table = take(spec.rotary != 0);
    qNorm = take(norm);
    qBias = take(norm && spec.qkBias);
    kNorm = take(norm);
    kBias = take(norm && spec.qkBias);
    k = take(true);
    v = take(true);
  }
  Value table, qNorm, qBias, kNorm, kBias, k, v;
};

} // namespace

void buildRopeAppend(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  int64_t dim = spec.headDim, headBytes = dim * 4;
  int64_t kHead = spec.context * dim * bytesOf(spec.kType), vHead = spec.context * dim * bytesOf(spec.vType);
  RopeOperands operands(spec, args);
  Value begin = b.toIndex(args.begin), end = b.toIndex(args.end);
  b.loop(begin, end, 1, [&](Value index) {
    Value q = b.at(args.operands[0], b.imul(index, b.i64c(KernelSpec::floatRowBytes(spec.qkvCols()))));
    Value k = b.at(q, spec.heads * headBytes), v = b.at(k, spec.kvHeads * headBytes);
    Value position = b.iadd(b.toIndex(args.pos), index);
    RopeRow row;
    if (spec.rotary != 0) {
      row.cosines = b.at(operands.table, b.imul(position, b.i64c(spec.rotary * 4)));
      row.sines = b.at(row.cosines, spec.rotary * 2);
    }
    // K is [C / 32][dim][32], V is [C][dim]
    Value tile = b.imul(b.shrl(position, 5), b.i64c(32 * dim)), lane = b.iand(position, b.i64c(31));
    row.k = b.at(operands.k, b.imul(b.iadd(tile, lane), b.i64c(bytesOf(spec.kType))));
    row.v = b.at(operands.v, b.imul(position, b.i64c(dim * bytesOf(spec.vType))));

    if (spec.qkNorm != NormForm::None) {
      buildSpanNorm(b, {spec.qkNorm, spec.qCols(), spec.qSpan, spec.eps, operands.qNorm, operands.qBias}, q);
      buildSpanNorm(b, {spec.qkNorm, spec.kCols(), spec.kSpan, spec.eps, operands.kNorm, operands.kBias}, k);
    }
    rotateQueries(b, spec, row, q);
    b.loop(b.i64c(0), b.i64c(spec.kvHeads), 1, [&](Value head) {
      Value offset = b.imul(head, b.i64c(headBytes));
      Value keys = b.at(k, offset), kTo = b.at(row.k, b.imul(head, b.i64c(kHead)));
      appendKeys(b, spec, row, keys, kTo);
      Value values = b.at(v, offset), vTo = b.at(row.v, b.imul(head, b.i64c(vHead)));
      appendValues(b, spec, values, vTo);
    });
  });
}

} // namespace headrace
