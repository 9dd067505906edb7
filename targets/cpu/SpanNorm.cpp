#include "targets/cpu/SpanNorm.h"

namespace headrace {
namespace {

/// One run of columns. Nothing behind it is zero or may be touched, so its last elements are taken one by one where
/// they do not fill a register.
class SpanEmitter {
public:
  SpanEmitter(VectorBuilder &b, const SpanNorm &norm, Value x, Value weight, Value bias)
      : b(b), norm(norm), x(x), weight(weight), bias(bias), zero(b.real(b.floats(), 0.0f)) {}

  void run() {
    if (norm.kind == NormForm::Layer) {
      Value total = fold([&](Value lane, Value value) { return b.fadd(lane, value); });
      mean = b.splat(b.fdiv(total, columns()), b.lanes);
    }
    Value total = fold([&](Value lane, Value value) { return b.fma(value, value, lane); });
    Value root = b.sqrt(b.fadd(b.fdiv(total, columns()), b.real(b.f32, norm.eps)));
    inv = b.splat(b.fdiv(b.real(b.f32, 1.0f), root), b.lanes);
    int64_t whole = norm.span / 32 * 32;
    b.loop(b.i64c(0), b.i64c(whole * 4), b.lanes * 4, [&](Value offset) { write(offset, b.lanes); });
    for (int64_t i = whole; i < norm.span; i += b.lanes)
      write(b.i64c(i * 4), std::min<int64_t>(b.lanes, norm.span - i));
  }

private:
  Value columns() { return b.real(b.f32, float(norm.span)); }

  /// `count` floats, and zeros where they do not fill a register.
  Value load(Value base, Value offset, int64_t count) {
    Value from = b.at(base, offset);
    if (count == b.lanes)
      return b.load(b.floats(), from);
    Values elements;
    for (int64_t i = 0; i != b.lanes; ++i)
      elements.push_back(i < count ? b.load(b.f32, from, i * 4) : b.real(b.f32, 0.0f));
    return b.fromElements(elements);
  }

  /// Elements of x, less the mean once it is known; zeros behind `count`.
  Value loadCentred(Value offset, int64_t count) {
    Value value = load(x, offset, count);
    if (!mean)
      return value;
    value = b.fsub(value, mean);
    if (count == b.lanes)
      return value;
    return b.select(b.less(b.iota(b.lanes), b.integer(b.ints(), count)), value, zero);
  }

  /// The tree over 32 lanes of which lane i took elements i, i + 32 ... by `step`. Zeros change no lane.
  Value fold(llvm::function_ref<Value(Value, Value)> step) {
    int64_t whole = norm.span / 32 * 32;
    Values lanes(b.perTile, zero);
    lanes = b.loop(b.i64c(0), b.i64c(whole * 4), 128, lanes, [&](Value offset, ValueRange carried) {
      Values next;
      for (unsigned v = 0; v != b.perTile; ++v) {
        Value value = loadCentred(b.iadd(offset, b.i64c(v * b.lanes * 4)), b.lanes);
        next.push_back(step(carried[v], value));
      }
      return next;
    });
    for (unsigned v = 0; v * b.lanes < norm.span - whole; ++v) {
      int64_t first = whole + v * b.lanes;
      Value value = loadCentred(b.i64c(first * 4), std::min<int64_t>(b.lanes, norm.span - first));
      lanes[v] = step(lanes[v], value);
    }
    return b.reduceTree(lanes, [&](Value p, Value q) { return b.fadd(p, q); });
  }

  void write(Value offset, int64_t count) {
    Value scaled = b.fmul(loadCentred(offset, count), inv), w = load(weight, offset, count);
    Value y = bias ? b.fma(scaled, w, load(bias, offset, count)) : b.fmul(scaled, w);
    Value to = b.at(x, offset);
    if (count == b.lanes)
      return b.store(y, to);
    for (int64_t i = 0; i != count; ++i)
      b.store(b.extract(y, unsigned(i)), to, i * 4);
  }

  VectorBuilder &b;
  const SpanNorm &norm;
  Value x, weight, bias, zero;
  Value mean, inv; ///< in all lanes
};

} // namespace

void buildSpanNorm(VectorBuilder &b, const SpanNorm &norm, Value x) {
  b.loop(b.i64c(0), b.i64c(norm.cols * 4), norm.span * 4, [&](Value offset) {
    Value run = b.at(x, offset), weight = b.at(norm.weight, offset);
    Value bias = norm.bias ? b.at(norm.bias, offset) : Value();
    SpanEmitter(b, norm, run, weight, bias).run();
  });
}

} // namespace headrace
