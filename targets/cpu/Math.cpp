#include "targets/cpu/Math.h"
#include <limits>

namespace headrace {

/// Horner's scheme with fused steps, highest coefficient first.
static Value horner(VectorBuilder &b, Value x, llvm::ArrayRef<float> coefficients) {
  Value p = b.real(x.getType(), coefficients.front());
  for (float c : coefficients.drop_front())
    p = b.fma(p, x, b.real(x.getType(), c));
  return p;
}

/// 2^n as a float, n in -126 .. 127.
static Value exp2i(VectorBuilder &b, Value n, Type type) {
  return b.bitcast(b.shl(b.iadd(n, b.integer(n.getType(), 127)), 23), type);
}

Value buildExp(VectorBuilder &b, Value x, bool mayOverflow) {
  Type type = x.getType();
  Value tooSmall = b.fless(x, b.real(type, -87.33654f));
  Value n = b.roundEven(b.fmul(x, b.real(type, 1.44269504f)));
  Value r = b.fma(n, b.real(type, -0.693359375f), x);
  r = b.fma(n, b.real(type, 2.12194440e-4f), r);
  Value p = horner(
      b, r,
      {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  Value y = b.fadd(b.fma(p, b.fmul(r, r), r), b.real(type, 1.0f));
  // Out of range the conversion's result is not used (x86 gives INT_MIN, AArch64 saturates).
  Value i = b.fptosi(n), low = b.shra(i, 1);
  Value scaled = b.fmul(y, exp2i(b, low, type));
  Value result = b.fmul(scaled, exp2i(b, b.isub(i, low), type));
  result = b.select(tooSmall, b.real(type, 0.0f), result);
  if (mayOverflow)
    result =
        b.select(b.fless(b.real(type, 88.72283f), x), b.real(type, std::numeric_limits<float>::infinity()), result);
  return result;
}

static Value buildTanh(VectorBuilder &b, Value x) {
  Type type = x.getType();
  Value one = b.real(type, 1.0f);
  Value t = buildExp(b, b.fmul(b.real(type, -2.0f), b.fabs(x)), /*mayOverflow=*/false);
  Value numerator = b.fsub(one, t), denominator = b.fadd(one, t);
  return b.copySign(b.fdiv(numerator, denominator), x);
}

Value buildSoftcap(VectorBuilder &b, float cap, Value x) {
  if (cap == 0)
    return x;
  Value factor = b.real(x.getType(), cap);
  return b.fmul(factor, buildTanh(b, b.fdiv(x, factor)));
}

static Value buildErf(VectorBuilder &b, Value x) {
  Type type = x.getType();
  Value one = b.real(type, 1.0f);
  Value t = b.fdiv(one, b.fma(b.real(type, 0.3275911f), b.fabs(x), one));
  Value p = b.fmul(horner(b, t, {1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f}), t);
  Value e = buildExp(b, b.fneg(b.fmul(x, x)), /*mayOverflow=*/false);
  return b.copySign(b.fsub(one, b.fmul(p, e)), x);
}

/// (0.5 * x) * (1 + inner)
static Value buildGelu(VectorBuilder &b, Value x, Value inner) {
  Value half = b.fmul(b.real(x.getType(), 0.5f), x), onePlus = b.fadd(b.real(x.getType(), 1.0f), inner);
  return b.fmul(half, onePlus);
}

Value buildActivation(VectorBuilder &b, Activation act, Value x) {
  Type type = x.getType();
  switch (act) {
  case Activation::None:
    return x;
  case Activation::Silu:
    return b.fdiv(x, b.fadd(b.real(type, 1.0f), buildExp(b, b.fneg(x))));
  case Activation::Relu:
    return b.select(b.fless(b.real(type, 0.0f), x), x, b.real(type, 0.0f));
  case Activation::Tanh:
    return buildTanh(b, x);
  case Activation::Gelu:
    return buildGelu(b, x, buildErf(b, b.fmul(x, b.real(type, 0.70710678118f))));
  case Activation::GeluTanh: {
    Value scaled = b.fmul(b.real(type, 0.044715f), x), square = b.fmul(x, x);
    Value cube = b.fma(scaled, square, x);
    return buildGelu(b, x, buildTanh(b, b.fmul(b.real(type, 0.7978845608f), cube)));
  }
  }
  llvm_unreachable("all activations are handled");
}

} // namespace headrace
