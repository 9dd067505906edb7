// Variant.h - one instruction set that kernels are generated for (no MLIR, no LLVM).
#ifndef HEADRACE_TARGETS_DEVICES_VARIANT_H
#define HEADRACE_TARGETS_DEVICES_VARIANT_H
#include "runtime/abi/hr_abi.h"

namespace headrace {

/// The instruction that multiplies 8-bit integers and adds them up in groups of four (or eight).
enum class DotKind {
  Scalar,      ///< none: the reference target
  Maddubs,     ///< AVX2: vpmaddubsw + vpmaddwd (W4), vpmovsxbw + vpmaddwd (W8)
  VpdpbusdYmm, ///< AVX-VNNI: vpdpbusd on 256 bits; VEX-encoded, or EVEX in the variant that tests execute
  VpdpbusdZmm, ///< AVX512-VNNI: vpdpbusd on 512 bits
  NeonMull,    ///< Armv8.0: smull, sadalp
  Sdot,        ///< Armv8.2 dotprod
  Smmla        ///< Armv8.6 i8mm: sdot for one row, smmla for several
};

/// One row of the table in Variants.cpp. A kernel generator chooses by `dot` and `vectorBytes`, never by `name`.
struct Variant {
  const char *name;     ///< "x86-64-v3+avxvnni"
  const char *triple;   ///< the bundle's lib/<triple> folder and LLVM's triple: "x86_64-linux-gnu"
  const char *cpu;      ///< LLVM target-cpu
  const char *tune;     ///< LLVM tune-cpu
  const char *features; ///< LLVM target-features
  unsigned vectorBytes; ///< width of a vector register the generators use
  DotKind dot;
  uint32_t cpuFeatures; ///< hr_cpu_feature bits that a machine must have
  bool testOnly;        ///< not listed: exists to execute another variant's IR on a machine that lacks its encoding

  bool isX86() const { return triple[0] == 'x'; }
  bool isAArch64() const { return triple[0] == 'a'; }
};

/// All variants, the most capable of an architecture last. Two per architecture are scalar ("reference-x86-64").
struct VariantList {
  const Variant *first, *last;
  const Variant *begin() const { return first; }
  const Variant *end() const { return last; }
};
VariantList allVariants();

/// The variant of that name, or null.
const Variant *findVariant(const char *name);

} // namespace headrace
#endif
