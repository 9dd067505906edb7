#include "targets/devices/Variant.h"
#include <cstring>

namespace headrace {
namespace {

constexpr const char *x86 = "x86_64-linux-gnu";
constexpr const char *arm = "aarch64-linux-gnu";
constexpr uint32_t avx2 = HR_CPU_X86_AVX2_FMA;
constexpr uint32_t avx512 = avx2 | HR_CPU_X86_AVX512 | HR_CPU_X86_AVX512_VNNI;
constexpr uint32_t neon = HR_CPU_ARM_NEON;

// The EVEX row has the dot kind and width of AVX-VNNI, so that generators build the same IR for both. x18 belongs to
// the platform on Android, so that no AArch64 code of ours touches it.
const Variant variants[] = {
    {"reference-x86-64", x86, "x86-64-v3", "x86-64-v3", "", 4, DotKind::Scalar, avx2, true},
    {"x86-64-v3", x86, "x86-64-v3", "haswell", "", 32, DotKind::Maddubs, avx2, false},
    {"x86-64-v3+avxvnni", x86, "x86-64-v3", "alderlake", "+avxvnni", 32, DotKind::VpdpbusdYmm,
     avx2 | HR_CPU_X86_AVX_VNNI, false},
    {"x86-64-v3+avxvnni-evex", x86, "x86-64-v3", "alderlake", "+avx512f,+avx512vl,+avx512bw,+avx512dq,+avx512vnni", 32,
     DotKind::VpdpbusdYmm, avx512, true},
    {"x86-64-v4+vnni", x86, "x86-64-v4", "znver4", "+avx512vnni", 64, DotKind::VpdpbusdZmm, avx512, false},
    {"reference-aarch64", arm, "generic", "generic", "+reserve-x18", 4, DotKind::Scalar, neon, true},
    {"armv8-a", arm, "generic", "cortex-a53", "+reserve-x18", 16, DotKind::NeonMull, neon, false},
    {"armv8.2-a+dotprod", arm, "generic", "cortex-a76", "+v8.2a,+dotprod,+reserve-x18", 16, DotKind::Sdot,
     neon | HR_CPU_ARM_DOTPROD, false},
    {"armv8.6-a+i8mm", arm, "generic", "cortex-a710", "+v8.6a,+dotprod,+i8mm,+reserve-x18", 16, DotKind::Smmla,
     neon | HR_CPU_ARM_DOTPROD | HR_CPU_ARM_I8MM, false},
};

} // namespace

VariantList allVariants() { return {variants, variants + sizeof(variants) / sizeof(*variants)}; }

const Variant *findVariant(const char *name) {
  for (const Variant &variant : allVariants())
    if (std::strcmp(variant.name, name) == 0)
      return &variant;
  return nullptr;
}

} // namespace headrace
