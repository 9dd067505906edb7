/* hr_cpu.c - what CPUID and XGETBV (x86-64) or the kernel's capability words (AArch64) say.
 *
 * A vector feature counts only when the operating system saves its registers: XCR0 has the bits of AVX (1, 2) and
 * AVX-512 (5, 6, 7).
 */
#include "hr_cpu.h"

#if defined(__x86_64__)

typedef struct regs {
  uint32_t a, b, c, d;
} regs;

static regs cpuid(uint32_t leaf, uint32_t subleaf) {
  regs r;
  __asm__ volatile("cpuid" : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d) : "a"(leaf), "c"(subleaf));
  return r;
}

static uint32_t xcr0(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static uint32_t all_of(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

uint32_t hr_cpu_detect(uint64_t hwcap, uint64_t hwcap2) {
  (void)hwcap, (void)hwcap2;
  uint32_t most = cpuid(0, 0).a, features = 0;
  regs one = cpuid(1, 0);
  if (most < 7 || !all_of(one.c, 1u << 27)) /* OSXSAVE */
    return 0;
  uint32_t saved = xcr0();
  regs seven = cpuid(7, 0), seven1 = seven.a >= 1 ? cpuid(7, 1) : (regs){0, 0, 0, 0};
  if (!all_of(saved, 0x6))
    return 0;
  if (all_of(one.c, 1u << 12 | 1u << 28 | 1u << 29) && all_of(seven.b, 1u << 5)) /* FMA, AVX, F16C; AVX2 */
    features |= HR_CPU_X86_AVX2_FMA;
  if (all_of(seven1.a, 1u << 4))
    features |= HR_CPU_X86_AVX_VNNI;
  if (all_of(saved, 0xe6) && all_of(seven.b, 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31)) { /* F, DQ, BW, VL */
    features |= HR_CPU_X86_AVX512;
    if (all_of(seven.c, 1u << 11))
      features |= HR_CPU_X86_AVX512_VNNI;
  }
  return features;
}

#elif defined(__aarch64__)

uint32_t hr_cpu_detect(uint64_t hwcap, uint64_t hwcap2) {
  uint32_t features = HR_CPU_ARM_NEON;
  if (hwcap >> 20 & 1) /* HWCAP_ASIMDDP */
    features |= HR_CPU_ARM_DOTPROD;
  if (hwcap2 >> 13 & 1) /* HWCAP2_I8MM */
    features |= HR_CPU_ARM_I8MM;
  return features;
}

#else

uint32_t hr_cpu_detect(uint64_t hwcap, uint64_t hwcap2) {
  (void)hwcap, (void)hwcap2;
  return 0;
}

#endif
