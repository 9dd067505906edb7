/* hr_support_double.c - addition and comparison of doubles for 32-bit Arm without the hardware for them, under the
 * names of the run-time ABI, on their bits. IEEE 754, rounded to nearest even: unigram tokenizers give the same ids on
 * every CPU. */
#include "hr_support.h"

#if defined(__arm__) || defined(HR_SUPPORT_TESTED)

#define SIGN (1ull << 63)
#define INFINITE (0x7ffull << 52)
#define HIDDEN (1ull << 52)

/* Rounds a magnitude with three bits below the last place, and puts it together; `exponent` is that of bit 55. */
static uint64_t round_double(uint64_t sign, uint64_t magnitude, uint32_t exponent) {
  uint32_t rest = magnitude & 7;
  magnitude >>= 3;
  if (rest > 4 || (rest == 4 && magnitude & 1))
    magnitude++;
  if (magnitude >> 53) {
    magnitude >>= 1;
    exponent++;
  }
  if (exponent >= 0x7ff)
    return sign | INFINITE;
  return sign | (magnitude >> 52 ? (uint64_t)exponent << 52 : 0) | (magnitude & (HIDDEN - 1));
}

/* Magnitude with three bits more, and the exponent of its bit 55. */
static uint64_t unpack_double(uint64_t bits, uint32_t *exponent) {
  uint32_t e = bits >> 52 & 0x7ff;
  *exponent = e ? e : 1;
  return ((bits & (HIDDEN - 1)) | (e ? HIDDEN : 0)) << 3;
}

HR_SUPPORT uint64_t HR_SUPPORT_NAME(__aeabi_dadd)(uint64_t a, uint64_t b) {
  uint32_t exponent, other;
  if ((a & ~SIGN) < (b & ~SIGN)) {
    uint64_t c = a;
    a = b;
    b = c;
  }
  if ((a & ~SIGN) > INFINITE)
    return a | 1ull << 51;
  if ((a & ~SIGN) == INFINITE)
    return b == (a ^ SIGN) ? INFINITE | 1ull << 51 : a;
  uint64_t x = unpack_double(a, &exponent), y = unpack_double(b, &other);
  uint32_t shift = exponent - other;
  if (shift)
    y = shift > 56 ? y != 0 : y >> shift | ((y & ((1ull << shift) - 1)) != 0);
  if (!((a ^ b) & SIGN)) {
    x += y;
    if (x >> 56) {
      x = x >> 1 | (x & 1);
      exponent++;
    }
    return round_double(a & SIGN, x, exponent);
  }
  x -= y;
  if (!x)
    return 0;
  for (; !(x >> 55) && exponent > 1; exponent--)
    x <<= 1;
  return round_double(a & SIGN, x, exponent);
}

HR_SUPPORT int HR_SUPPORT_NAME(__aeabi_dcmpgt)(uint64_t a, uint64_t b) {
  if ((a & ~SIGN) > INFINITE || (b & ~SIGN) > INFINITE || !((a | b) & ~SIGN))
    return 0;
  if ((a ^ b) & SIGN)
    return !(a & SIGN);
  return a & SIGN ? a < b : a > b;
}

#endif
