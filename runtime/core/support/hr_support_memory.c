/* hr_support_memory.c - memcpy, memmove, memset, memcmp. To be compiled with -ffreestanding, so that no loop becomes a
 * call of itself.
 *
 * 16 bytes at a time through a vector type without alignment, then single bytes; the sizes here are rows and headers,
 * not gigabytes.
 */
#include "hr_support.h"

typedef uint8_t block __attribute__((vector_size(16), aligned(1), may_alias));

HR_SUPPORT void *HR_SUPPORT_NAME(memcpy)(void *restrict to, const void *restrict from, size_t n) {
  uint8_t *t = to;
  const uint8_t *f = from;
  for (; n >= 16; n -= 16, t += 16, f += 16)
    *(block *)t = *(const block *)f;
  for (; n; --n)
    *t++ = *f++;
  return to;
}

HR_SUPPORT void *HR_SUPPORT_NAME(memmove)(void *to, const void *from, size_t n) {
  uint8_t *t = to;
  const uint8_t *f = from;
  if ((uintptr_t)t - (uintptr_t)f >=
      n) { /* also when t lies below f: then the ascending copy never overwrites what is unread */
    for (; n >= 16; n -= 16, t += 16, f += 16)
      *(block *)t = *(const block *)f;
    for (; n; --n)
      *t++ = *f++;
    return to;
  }
  while (n >= 16) {
    n -= 16;
    *(block *)(t + n) = *(const block *)(f + n);
  }
  while (n--)
    t[n] = f[n];
  return to;
}

HR_SUPPORT void *HR_SUPPORT_NAME(memset)(void *to, int value, size_t n) {
  uint8_t *t = to, b = (uint8_t)value;
  const block all = {b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
  for (; n >= 16; n -= 16, t += 16)
    *(block *)t = all;
  for (; n; --n)
    *t++ = b;
  return to;
}

HR_SUPPORT int HR_SUPPORT_NAME(memcmp)(const void *a, const void *b, size_t n) {
  const uint8_t *x = a, *y = b;
  for (; n; --n, ++x, ++y)
    if (*x != *y)
      return *x < *y ? -1 : 1;
  return 0;
}
