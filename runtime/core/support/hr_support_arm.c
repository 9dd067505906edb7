/* hr_support_arm.c - the run-time ABI of 32-bit Arm (RTABI): memory functions and 64-bit division, under the names the
 * compiler calls. */
#include "hr_support.h"

#if defined(__arm__)

HR_SUPPORT void *memcpy(void *restrict to, const void *restrict from, size_t n);
HR_SUPPORT void *memmove(void *to, const void *from, size_t n);
HR_SUPPORT void *memset(void *to, int value, size_t n);

/* The suffix says the alignment of the pointers. memset and memclr have the size before the value. */
#define HR_MEMORY(suffix)                                                                                              \
  HR_SUPPORT void __aeabi_memcpy##suffix(void *to, const void *from, size_t n) { memcpy(to, from, n); }                \
  HR_SUPPORT void __aeabi_memmove##suffix(void *to, const void *from, size_t n) { memmove(to, from, n); }              \
  HR_SUPPORT void __aeabi_memset##suffix(void *to, size_t n, int value) { memset(to, value, n); }                      \
  HR_SUPPORT void __aeabi_memclr##suffix(void *to, size_t n) { memset(to, 0, n); }

HR_MEMORY()
HR_MEMORY(4)
HR_MEMORY(8)

typedef struct quotient {
  uint64_t value, rest;
} quotient;

/* Schoolbook, a bit at a time. */
HR_SUPPORT quotient hr_udivide64(uint64_t n, uint64_t by) {
  quotient q = {0, 0};
  for (int bit = 63; by && bit >= 0; --bit) {
    q.rest = q.rest << 1 | (n >> bit & 1);
    if (q.rest >= by) {
      q.rest -= by;
      q.value |= (uint64_t)1 << bit;
    }
  }
  return q;
}

/* Quotient in r0:r1, remainder in r2:r3: no C type is returned so, and a shim moves the struct from memory into the
 * registers. */
__attribute__((naked)) HR_SUPPORT void __aeabi_uldivmod(void) {
  __asm__("push {r4, lr}\n\t"
          "sub sp, sp, #24\n\t"
          "str r2, [sp]\n\t"
          "str r3, [sp, #4]\n\t"
          "mov r2, r0\n\t"
          "mov r3, r1\n\t"
          "add r0, sp, #8\n\t"
          "bl hr_udivide64\n\t"
          "ldr r0, [sp, #8]\n\t"
          "ldr r1, [sp, #12]\n\t"
          "ldr r2, [sp, #16]\n\t"
          "ldr r3, [sp, #20]\n\t"
          "add sp, sp, #24\n\t"
          "pop {r4, pc}");
}

HR_SUPPORT uint64_t __aeabi_lmul(uint64_t a, uint64_t b) {
  uint32_t al = (uint32_t)a, ah = (uint32_t)(a >> 32), bl = (uint32_t)b, bh = (uint32_t)(b >> 32);
  uint32_t a0 = al & 0xffff, a1 = al >> 16, b0 = bl & 0xffff, b1 = bl >> 16;
  uint32_t low = a0 * b0, mid = a1 * b0 + (low >> 16), mid2 = a0 * b1 + (mid & 0xffff);
  uint32_t high = a1 * b1 + (mid >> 16) + (mid2 >> 16) + al * bh + ah * bl;
  return (uint64_t)high << 32 | (mid2 << 16 | (low & 0xffff));
}

/* Shifts of 64 bits by 0 .. 63. */
HR_SUPPORT uint64_t __aeabi_llsl(uint64_t a, int by) {
  uint32_t low = (uint32_t)a, high = (uint32_t)(a >> 32);
  if (by >= 32)
    return (uint64_t)(low << (by - 32)) << 32;
  return by ? (uint64_t)(high << by | low >> (32 - by)) << 32 | low << by : a;
}

HR_SUPPORT uint64_t __aeabi_llsr(uint64_t a, int by) {
  uint32_t low = (uint32_t)a, high = (uint32_t)(a >> 32);
  if (by >= 32)
    return high >> (by - 32);
  return by ? (uint64_t)(high >> by) << 32 | (low >> by | high << (32 - by)) : a;
}

#endif
