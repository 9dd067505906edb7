// KernelSpec.h - a plan.kernel's family and parameters, typed and checked: what a kernel generator builds from.
#ifndef HEADRACE_TARGETS_COMMON_KERNELSPEC_H
#define HEADRACE_TARGETS_COMMON_KERNELSPEC_H
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include <cstdint>
#include <string>

namespace headrace {

/// Families, operands, layouts and arithmetic: runtime/abi/README.md.
enum class Family { Embed, Norm, Quantize, Gemv, Gemm, RopeAppend, Attend, Add, Route };
/// Encoding of a weight matrix; also the element type of a KV buffer (F32 or F16) and the output of a norm (F32, or
/// A8).
enum class Encoding { F32, F16, W8, W4, W4A, W4Z, A8 };
/// Two codes a byte.
constexpr bool isFourBits(Encoding encoding) { return encoding >= Encoding::W4 && encoding <= Encoding::W4Z; }
/// A group has a second number beside its scale: a minimum (W4A) or a zero point (W4Z).
constexpr bool hasOffsets(Encoding encoding) { return encoding == Encoding::W4A || encoding == Encoding::W4Z; }
/// What a stored code is above the code, in every group.
constexpr int64_t zeroPointOf(Encoding encoding) {
  return encoding == Encoding::W8 ? 128 : encoding == Encoding::W4 ? 8 : 0;
}

enum class Activation { None, Silu, Relu, Tanh, Gelu, GeluTanh };
enum class NormForm { None, Rms, Layer };

/// Fields that a family does not have, and neutral ones, keep their defaults. Names follow the parameter keys of
/// plan.kernel.
struct KernelSpec {
  std::string name; ///< symbol of the function
  Family family = Family::Add;
  unsigned device = 0;

  // embed, gemv, gemm. n: outputs (gated: outputs after gating); embed: vocabulary. k: inputs; embed: hidden size.
  Encoding enc = Encoding::F32;
  Encoding x = Encoding::F32; ///< gemv, gemm: rows of F32, or of A8 in the weight's groups
  int64_t group = 0, n = 0, k = 0;
  Activation act = Activation::None;
  bool bias = false, gated = false;
  bool residual = false;  ///< norm too
  bool positions = false; ///< embed: learned positions are added
  float softcap = 0;      ///< attend too; 0: none
  int64_t experts = 0;    ///< gemv, gemm: in the weight, 0: it is one matrix; route: scores of a row
  int64_t top = 0;        ///< route, and gemv and gemm with experts: choices of a row
  bool weighted = false;  ///< gemv, gemm: times the share of the choice
  bool normalise = false; ///< route: shares of the choices alone

  // norm, quantize, add
  int64_t cols = 0;
  float eps = 0;                 ///< rope_append with qkNorm too
  Encoding out = Encoding::F32;  ///< norm: F32 or A8 (then `group`)
  NormForm kind = NormForm::Rms; ///< norm, which may then have a `bias`

  // rope_append, attend. context: positions of the cache, a multiple of 32.
  int64_t heads = 0, kvHeads = 0, headDim = 0, rotary = 0, context = 0;
  Encoding kType = Encoding::F32, vType = Encoding::F32;
  float scale = 1;                  ///< embed too
  NormForm qkNorm = NormForm::None; ///< rope_append: of each run of qSpan columns of q and kSpan of k
  int64_t qSpan = 0, kSpan = 0;
  bool qkBias = false;
  int64_t window = 0; ///< attend: positions seen, 0: all
  bool causal = true;

  /// Reads `params` as dialects/tile/KernelFamilies.h allows them; on another parameter emits one error and fails.
  static mlir::FailureOr<KernelSpec> parse(llvm::StringRef name, llvm::StringRef family, mlir::DictionaryAttr params,
                                           unsigned device, llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  bool isMatmul() const { return family == Family::Gemv || family == Family::Gemm; }
  /// Weights are codes.
  bool isQuantized() const { return enc == Encoding::W8 || isFourBits(enc); }
  /// Weights and x are codes: integer dot products.
  bool isInteger() const { return x == Encoding::A8; }
  /// `int32_t site` comes before n_valid.
  bool hasSite() const;
  /// Pointer operands of the family, in the order of runtime/abi/README.md.
  unsigned operandCount() const;

  static int64_t pad32(int64_t v) { return (v + 31) / 32 * 32; }
  static int64_t pad64(int64_t v) { return (v + 63) / 64 * 64; }
  /// Groups along K (or along `cols` for norm and quantize); the last may be short.
  int64_t groups() const { return groupsOf(isMatmul() || family == Family::Embed ? k : cols); }
  int64_t groupsOf(int64_t length) const { return (length + group - 1) / group; }
  /// Bytes from one f32 row of `length` columns to the next.
  static int64_t floatRowBytes(int64_t length) { return pad32(length) * 4; }
  /// Bytes from one a8 row of `length` columns to the next; offsets of its scales and sums.
  int64_t codeRowBytes(int64_t length) const { return pad64(pad32(length) + groupsOf(length) * 8); }
  int64_t codeRowScales(int64_t length) const { return pad32(length); }
  int64_t codeRowSums(int64_t length) const { return pad32(length) + groupsOf(length) * 4; }
  /// Bytes of one T32 row tile (32 outputs), and where its scales and the offsets of its groups start.
  int64_t tileBytes() const;
  /// Row tiles of an output tile, and bytes of one expert.
  int64_t tilesPerOutput() const { return gated ? 2 : 1; }
  int64_t expertBytes() const { return pad32(n) / 32 * tilesPerOutput() * tileBytes(); }
  int64_t tileScales() const;
  int64_t tileOffsets() const { return tileScales() + groups() * 64; }
  /// Floats of one row of `qkv`, without and with padding.
  int64_t qCols() const { return heads * headDim; }
  int64_t kCols() const { return kvHeads * headDim; }
  int64_t qkvCols() const { return (heads + 2 * kvHeads) * headDim; }
};

llvm::StringRef stringify(Family family);
llvm::StringRef stringify(Encoding encoding);
llvm::StringRef stringify(Activation activation);
llvm::StringRef stringify(NormForm kind);

} // namespace headrace
#endif
