/* hr_ref_math.h - the arithmetic of runtime/abi/README.md, written as plainly as it is stated there.
 *
 * Freestanding: no libm. Everything is binary32 with one rounding per operation; compile with -ffp-contract=off, and on
 * x86 with -mfma so that __builtin_fmaf is an instruction. Half conversions are done on the bits, so that this oracle
 * does not share the conversion instructions of the kernels it judges.
 */
#ifndef HR_REF_MATH_H
#define HR_REF_MATH_H
#include "hr_ref.h"
#include <stdint.h>

static inline uint32_t hr_ref_bits(float x) {
  uint32_t u;
  __builtin_memcpy(&u, &x, 4);
  return u;
}

static inline float hr_ref_float(uint32_t u) {
  float x;
  __builtin_memcpy(&x, &u, 4);
  return x;
}

static inline int32_t hr_ref_pad32(int32_t n) { return (n + 31) & ~31; }

/* binary16 to binary32, exact. */
static inline float hr_ref_half_to_float(uint16_t h) {
  const uint32_t sign = (uint32_t)(h >> 15) << 31, exponent = (h >> 10) & 31u, mantissa = h & 1023u;
  if (exponent == 31)
    return hr_ref_float(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) { /* zero or denormal: mantissa * 2^-24 */
    const float magnitude = (float)(int32_t)mantissa * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return hr_ref_float(sign | (exponent + 112u) << 23 | mantissa << 13);
}

/* binary32 to binary16, nearest even; overflow gives infinity, NaN stays a quiet NaN. */
static inline uint16_t hr_ref_float_to_half(float x) {
  const uint32_t bits = hr_ref_bits(x), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x477ff000u) /* 65520 and above round to infinity */
    return (uint16_t)(sign | 0x7c00u);
  if (magnitude < 0x33000000u) /* below 2^-25: zero (2^-25 itself is a tie, rounded below) */
    return (uint16_t)sign;
  uint32_t value, shift;
  if (magnitude < 0x38800000u) { /* denormal half: align the 24-bit significand to units of 2^-24 */
    shift = 126u - (magnitude >> 23);
    value = (magnitude & 0x7fffffu) | 0x800000u;
  } else {
    shift = 13;
    value = magnitude - (112u << 23);
  }
  const uint32_t rest = value & ((1u << shift) - 1u), halfway = 1u << (shift - 1u);
  value >>= shift;
  if (rest > halfway || (rest == halfway && (value & 1u)))
    value++;
  return (uint16_t)(sign | value);
}

/* 2^n for n in -126 .. 127 */
static inline float hr_ref_exp2i(int32_t n) { return hr_ref_float((uint32_t)(n + 127) << 23); }

static inline float hr_ref_exp(float x) {
  if (x < -87.33654f)
    return 0.0f;
  if (x > 88.72283f)
    return __builtin_inff();
  const float n = __builtin_roundevenf(x * 1.44269504f);
  float r = __builtin_fmaf(n, -0.693359375f, x);
  r = __builtin_fmaf(n, 2.12194440e-4f, r);
  float p = 1.9875691500e-4f;
  p = __builtin_fmaf(p, r, 1.3981999507e-3f);
  p = __builtin_fmaf(p, r, 8.3334519073e-3f);
  p = __builtin_fmaf(p, r, 4.1665795894e-2f);
  p = __builtin_fmaf(p, r, 1.6666665459e-1f);
  p = __builtin_fmaf(p, r, 5.0000001201e-1f);
  const float y = __builtin_fmaf(p, r * r, r) + 1.0f;
  const int32_t i = (int32_t)n, low = i >> 1;
  return (y * hr_ref_exp2i(low)) * hr_ref_exp2i(i - low);
}

static inline float hr_ref_with_sign(float magnitude, float sign) {
  return hr_ref_float((hr_ref_bits(magnitude) & 0x7fffffffu) | (hr_ref_bits(sign) & 0x80000000u));
}

static inline float hr_ref_abs(float x) { return hr_ref_float(hr_ref_bits(x) & 0x7fffffffu); }

static inline float hr_ref_silu(float x) { return x / (1.0f + hr_ref_exp(-x)); }

static inline float hr_ref_tanh(float x) {
  const float t = hr_ref_exp(-2.0f * hr_ref_abs(x));
  return hr_ref_with_sign((1.0f - t) / (1.0f + t), x);
}

/* cap of runtime/abi/README.md; 0 is none. */
static inline float hr_ref_softcap(float x, float cap) { return cap == 0.0f ? x : cap * hr_ref_tanh(x / cap); }

static inline float hr_ref_erf(float x) {
  const float a = hr_ref_abs(x), t = 1.0f / __builtin_fmaf(0.3275911f, a, 1.0f);
  float p = 1.061405429f;
  p = __builtin_fmaf(p, t, -1.453152027f);
  p = __builtin_fmaf(p, t, 1.421413741f);
  p = __builtin_fmaf(p, t, -0.284496736f);
  p = __builtin_fmaf(p, t, 0.254829592f);
  return hr_ref_with_sign(1.0f - (p * t) * hr_ref_exp(-(x * x)), x);
}

static inline float hr_ref_gelu_tanh(float x) {
  const float u = 0.7978845608f * __builtin_fmaf(0.044715f * x, x * x, x);
  return (0.5f * x) * (1.0f + hr_ref_tanh(u));
}

static inline float hr_ref_gelu(float x) { return (0.5f * x) * (1.0f + hr_ref_erf(x * 0.70710678118f)); }

/* lane[i] += lane[i + h] for h = 16, 8, 4, 2, 1: the fixed tree of norms and softmax sums. */
static inline float hr_ref_tree(float lane[32]) {
  for (int h = 16; h > 0; h /= 2)
    for (int i = 0; i < h; i++)
      lane[i] += lane[i + h];
  return lane[0];
}
/* What normalises a row: y = (x - mean) * inv, and the sum that must be finite. kind: hr_ref_norm_kind. */
typedef struct hr_ref_moments {
  float mean, inv, total;
} hr_ref_moments;

static inline hr_ref_moments hr_ref_moments_of(const float *x, int32_t cols, int32_t kind, float eps) {
  hr_ref_moments m = {0.0f, 0.0f, 0.0f};
  if (kind == HR_REF_LAYER) {
    float lane[32] = {0};
    for (int32_t i = 0; i < cols; i++)
      lane[i % 32] = lane[i % 32] + x[i];
    m.mean = hr_ref_tree(lane) / (float)cols;
  }
  float lane[32] = {0};
  for (int32_t i = 0; i < cols; i++) {
    const float d = kind == HR_REF_LAYER ? x[i] - m.mean : x[i];
    lane[i % 32] = __builtin_fmaf(d, d, lane[i % 32]);
  }
  m.total = hr_ref_tree(lane);
  m.inv = 1.0f / __builtin_sqrtf(m.total / (float)cols + eps);
  return m;
}

/* Element i of the normalised row; bias may be NULL. */
static inline float hr_ref_normalised(const float *x, const float *weight, const float *bias, hr_ref_moments m,
                                      int32_t kind, int32_t i) {
  const float y = (kind == HR_REF_LAYER ? x[i] - m.mean : x[i]) * m.inv;
  return bias ? __builtin_fmaf(y, weight[i], bias[i]) : y * weight[i];
}
#endif
