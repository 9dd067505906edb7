/* hr_support_half.c - binary16 <-> binary32 with integers only, for CPUs (or code generators) without the instructions.
 *
 * The compilers' names differ by ABI: half as _Float16 in a float register (__extendhfsf2, __truncsfhf2) or as bits in
 * an integer one
 * (__gnu_h2f_ieee, __gnu_f2h_ieee, __aeabi_h2f, __aeabi_f2h).
 */
#include "hr_support.h"

static uint32_t widen(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 31) /* infinity, or a NaN, which becomes quiet */
    return sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000 : 0);
  if (!exponent) {
    if (!fraction)
      return sign;
    exponent = 1;
    for (; !(fraction & 0x400); --exponent) /* may wrap below 0: the sum with the bias does not */
      fraction <<= 1;
    fraction &= 0x3ff;
  }
  return sign | (exponent + 112) << 23 | fraction << 13;
}

/* Rounds value / 2^by to nearest, ties to even; 0 < by < 32. */
static uint32_t round_shift(uint32_t value, uint32_t by) {
  uint32_t kept = value >> by, rest = value & ((1u << by) - 1), half = 1u << (by - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

static uint16_t narrow(uint32_t bits) {
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
  if (magnitude >= 0x477ff000) /* rounds to 2^16 or more */
    return (uint16_t)(sign | 0x7c00);
  if (magnitude >= 0x38800000) /* normal; a carry out of the fraction moves the exponent on, as it should */
    return (uint16_t)(sign | round_shift(magnitude - 0x38000000, 13));
  if (magnitude < 0x33000000) /* below half of the smallest subnormal */
    return (uint16_t)sign;
  uint32_t fraction = (magnitude & 0x7fffff) | 0x800000;
  return (uint16_t)(sign | round_shift(fraction, 126 - (magnitude >> 23)));
}

static float as_float(uint32_t bits) {
  float f;
  __builtin_memcpy(&f, &bits, sizeof f);
  return f;
}

static uint32_t as_bits(float f) {
  uint32_t bits;
  __builtin_memcpy(&bits, &f, sizeof bits);
  return bits;
}

HR_SUPPORT float HR_SUPPORT_NAME(__gnu_h2f_ieee)(uint16_t half) { return as_float(widen(half)); }
HR_SUPPORT uint16_t HR_SUPPORT_NAME(__gnu_f2h_ieee)(float value) { return narrow(as_bits(value)); }

#if defined(__arm__)
HR_SUPPORT float HR_SUPPORT_NAME(__aeabi_h2f)(uint16_t half) { return as_float(widen(half)); }
HR_SUPPORT uint16_t HR_SUPPORT_NAME(__aeabi_f2h)(float value) { return narrow(as_bits(value)); }
#elif defined(__FLT16_MAX__)
HR_SUPPORT float HR_SUPPORT_NAME(__extendhfsf2)(_Float16 half) {
  uint16_t bits;
  __builtin_memcpy(&bits, &half, sizeof bits);
  return as_float(widen(bits));
}

HR_SUPPORT _Float16 HR_SUPPORT_NAME(__truncsfhf2)(float value) {
  uint16_t bits = narrow(as_bits(value));
  _Float16 half;
  __builtin_memcpy(&half, &bits, sizeof half);
  return half;
}
#endif
