// Half.h - binary16 and bfloat16 by integer arithmetic: the same bits from every compiler, with or without hardware.
#ifndef HEADRACE_BUNDLE_HALF_H
#define HEADRACE_BUNDLE_HALF_H

#include <cstdint>
#include <cstring>

namespace headrace {

inline uint32_t floatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float bfloat16ToFloat(uint16_t bits) { return floatFromBits(uint32_t(bits) << 16); }

inline float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31, fraction = half & 0x3ff;
  if (exponent == 31)
    return floatFromBits(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0)
    return floatFromBits(sign | (exponent + 112) << 23 | fraction << 13);
  // Subnormal: fraction * 2^-24, exact in binary32.
  float value = float(fraction) * 0x1p-24f;
  return sign ? -value : value;
}

/// Rounds to nearest even; too large becomes infinity.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = floatBits(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return uint16_t(sign | 0x7e00);
  if (magnitude >= 0x477ff000) // 65520 and above
    return uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) { // below 2^-14: a multiple of 2^-24; adding 0.5 rounds there
    float sum = floatFromBits(magnitude) + 0.5f;
    return uint16_t(sign | (floatBits(sum) - 0x3f000000));
  }
  uint32_t odd = magnitude >> 13 & 1;
  return uint16_t(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}

inline uint16_t floatToBfloat16(float value) {
  uint32_t bits = floatBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace headrace
#endif
