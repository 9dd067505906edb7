#include "targets/cpu/Dot.h"

using namespace mlir;

namespace headrace {

std::unique_ptr<Dot> Dot::create(const Variant &variant, unsigned rows) {
  switch (variant.dot) {
  case DotKind::Maddubs:
    return createMaddubsDot();
  case DotKind::VpdpbusdYmm:
  case DotKind::VpdpbusdZmm:
    return createVpdpbusdDot();
  case DotKind::NeonMull:
    return createNeonMullDot();
  case DotKind::Sdot:
    return createSdotDot();
  case DotKind::Smmla: // half of its result is wasted on a single row
    return rows % 2 == 0 ? createSmmlaDot() : createSdotDot();
  case DotKind::Scalar:
    break;
  }
  llvm_unreachable("the backend refuses variants without vectors");
}

Values Dot::build(VectorBuilder &b, const DotInput &in) const {
  Values acc = start(b, in);
  int64_t weightBytes = isFourBits(in.enc) ? 512 : 1024, count = in.octets / 4;
  auto pointers = [&](Value step) {
    Values x;
    for (Value row : in.x)
      x.push_back(b.at(row, b.imul(step, b.i64c(32))));
    return x;
  };
  // A row alone is bound by instructions and by memory: no loop inside its group.
  if (in.x.size() == 1 || count == 1) {
    for (int64_t i = 0; i != count; ++i) {
      Values x;
      for (Value row : in.x)
        x.push_back(b.at(row, i * 32));
      acc = step(b, in, b.at(in.weights, i * weightBytes), x, acc);
    }
    return finish(b, in, acc);
  }
  acc = b.loop(b.i64c(0), b.i64c(count), 1, acc, [&](Value i, ValueRange carried) {
    Value weights = b.at(in.weights, b.imul(i, b.i64c(weightBytes)));
    return step(b, in, weights, pointers(i), carried);
  });
  return finish(b, in, acc);
}

WeightWords loadWords(VectorBuilder &b, const DotInput &in, Value weights, unsigned octet, unsigned index,
                      WordForm form) {
  VectorType bytes = b.vec(b.i8, b.variant.vectorBytes);
  int64_t atom = isFourBits(in.enc) ? 128 : 256, at = octet * atom + index * b.variant.vectorBytes;
  if (in.prefetch && index == 0)
    for (int64_t line = 0; line < atom; line += 64)
      b.prefetch(weights, octet * atom + in.prefetch + line);
  if (isFourBits(in.enc)) {
    Value packed = b.load(bytes, weights, at), mask = b.integer(bytes, 15);
    Value high;
    if (form == WordForm::HighInPlace)
      high = b.iand(packed, b.integer(bytes, -16));
    else if (b.variant.isX86()) // no shift of bytes: shift pairs, then mask
      high = b.iand(b.bitcast(b.shrl(b.bitcast(packed, b.vec(b.i16, b.variant.vectorBytes / 2)), 4), bytes), mask);
    else
      high = b.shrl(packed, 4);
    return {b.iand(packed, mask), high};
  }
  Value low = b.load(bytes, weights, at), high = b.load(bytes, weights, at + 128);
  if (form != WordForm::Signed)
    return {low, high};
  Value flip = b.integer(bytes, -128);
  return {b.ixor(low, flip), b.ixor(high, flip)};
}

Value zeroPoint(VectorBuilder &b, const DotInput &in, unsigned row) {
  int64_t zero = zeroPointOf(in.enc);
  if (zero == 0)
    return b.integer(b.ints(), 0);
  return b.splat(b.imul(in.sums[row], b.i32c(-zero)), b.lanes);
}

} // namespace headrace
