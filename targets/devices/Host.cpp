// What this machine's CPU can do, asked of the CPU (and through it of the OS, which must save the wide registers).
#include "targets/devices/Device.h"
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace headrace {

uint32_t hostCpuFeatures() {
  uint32_t features = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
    features |= HR_CPU_X86_AVX2_FMA;
  if (__builtin_cpu_supports("avxvnni"))
    features |= HR_CPU_X86_AVX_VNNI;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    features |= HR_CPU_X86_AVX512;
  if (__builtin_cpu_supports("avx512vnni"))
    features |= HR_CPU_X86_AVX512_VNNI;
#elif defined(__aarch64__)
  features |= HR_CPU_ARM_NEON;
#if defined(__linux__)
  constexpr unsigned long hwcapAsimdDp = 1ul << 20, hwcap2I8mm = 1ul << 13;
  if (getauxval(AT_HWCAP) & hwcapAsimdDp)
    features |= HR_CPU_ARM_DOTPROD;
  if (getauxval(AT_HWCAP2) & hwcap2I8mm)
    features |= HR_CPU_ARM_I8MM;
#endif
#endif
  return features;
}

const Variant *bestHostVariant(uint32_t cpuFeatures) {
#if defined(__aarch64__)
  const bool arm = true;
#else
  const bool arm = false;
#endif
  const Variant *best = nullptr;
  for (const Variant &variant : allVariants())
    if (!variant.testOnly && variant.isAArch64() == arm && (variant.cpuFeatures & ~cpuFeatures) == 0)
      best = &variant;
  return best;
}

} // namespace headrace
