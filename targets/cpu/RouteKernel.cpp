#include "mlir/Dialect/Arith/IR/Arith.h"
#include "targets/cpu/Kernels.h"
#include "targets/cpu/Math.h"
#include <limits>

using namespace mlir;

namespace headrace {
namespace {

/// One row; its scores are few, so everything is scalar. Choices have no list of what is left: the next one is the
/// greatest behind the last in descending order of scores and ascending order of numbers.
class RowRouter {
public:
  RowRouter(VectorBuilder &b, const KernelSpec &spec, Value scores, Value out)
      : b(b), spec(spec), scores(scores), out(out) {}

  void build() {
    Value zeros = b.real(b.floats(), 0.0f);
    for (int64_t at = 0; at != KernelSpec::floatRowBytes(2 * spec.top); at += b.variant.vectorBytes)
      b.store(zeros, out, at);
    choose();
    Value most = b.load(b.f32, out);
    Value sum = sumOf(spec.normalise ? out : scores, spec.normalise ? spec.top : spec.experts, most);
    b.loop(b.i64c(0), b.i64c(spec.top), 1, [&](Value i) {
      Value at = b.at(out, b.shl(i, 2));
      Value score = b.load(b.f32, at);
      b.store(b.fdiv(buildExp(b, b.fsub(score, most)), sum), at);
    });
  }

private:
  /// Stores each choice's score in the place of its share, and its number.
  void choose() {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    b.loop(b.i64c(0), b.i64c(spec.top), 1, {b.real(b.f32, infinity), b.i64c(-1)}, [&](Value i, ValueRange last) {
      Values next = b.loop(b.i64c(0), b.i64c(spec.experts), 1, {b.real(b.f32, -infinity), b.i64c(0)},
                           [&](Value expert, ValueRange best) { return better(expert, last, best); });
      Value at = b.at(out, b.shl(i, 2));
      b.store(next[0], at);
      b.store(b.sitofp(b.trunc(next[1], b.i32)), at, spec.top * 4);
      return next;
    });
  }

  /// The better of `best` and the expert, which does not count when it is not behind `last`.
  Values better(Value expert, ValueRange last, ValueRange best) {
    Value score = b.load(b.f32, b.at(scores, b.shl(expert, 2)));
    Value equal = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, score, last[0]);
    Value later = b.less(last[1], expert), lower = b.fless(score, last[0]), greater = b.fless(best[0], score);
    Value wins = b.iand(b.ior(lower, b.iand(equal, later)), greater);
    Value bestScore = b.select(wins, score, best[0]), bestExpert = b.select(wins, expert, best[1]);
    return {bestScore, bestExpert};
  }

  /// Sum of e^(x - most) over `count` floats, ascending.
  Value sumOf(Value from, int64_t count, Value most) {
    return b.loop(b.i64c(0), b.i64c(count), 1, b.real(b.f32, 0.0f), [&](Value i, ValueRange sum) {
      Value x = b.load(b.f32, b.at(from, b.shl(i, 2)));
      return Values{b.fadd(sum[0], buildExp(b, b.fsub(x, most)))};
    })[0];
  }

  VectorBuilder &b;
  const KernelSpec &spec;
  Value scores, out;
};

} // namespace

void buildRoute(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  Value lo = b.toIndex(args.begin), hi = b.toIndex(args.end);
  b.loop(lo, hi, 1, [&](Value row) {
    Value scores = b.at(args.operands[0], b.imul(row, b.i64c(KernelSpec::floatRowBytes(spec.experts))));
    Value out = b.at(args.operands[1], b.imul(row, b.i64c(KernelSpec::floatRowBytes(2 * spec.top))));
    RowRouter(b, spec, scores, out).build();
  });
}

} // namespace headrace
