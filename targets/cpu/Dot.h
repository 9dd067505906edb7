// Dot.h - exact integer dot products of one group: quantized weights against int8 activations, by the instruction a
// variant has.
#ifndef HEADRACE_TARGETS_CPU_DOT_H
#define HEADRACE_TARGETS_CPU_DOT_H
#include "targets/common/KernelSpec.h"
#include "targets/cpu/VectorBuilder.h"
#include <memory>

namespace headrace {

/// The operands of one group and one register block.
struct DotInput {
  Encoding enc;
  Value weights;      ///< first octet of the group, shifted to the block's first output
  Values x;           ///< codes of each row at the group's start
  Values sums;        ///< i32 sum of those codes over the group
  unsigned registers; ///< native registers of outputs
  int64_t octets;     ///< K / 8 of the group, a multiple of 4
  int64_t prefetch;   ///< bytes ahead, 0: none
};

/// One instruction set's way. An octet is 8 values of K: two words of four codes an output, "low" and "high".
class Dot {
public:
  virtual ~Dot() = default;

  /// sum of code_w * code_x, code_x never -128: registers of i32 for each row, rows slowest.
  Values build(VectorBuilder &b, const DotInput &in) const;

  static std::unique_ptr<Dot> create(const Variant &variant, unsigned rows);

protected:
  /// Accumulators of whatever shape the instruction likes.
  virtual Values start(VectorBuilder &b, const DotInput &in) const = 0;
  /// 32 values of K: four octets. The pointers are those of this step.
  virtual Values step(VectorBuilder &b, const DotInput &in, Value weights, llvm::ArrayRef<Value> x,
                      ValueRange acc) const = 0;
  /// Accumulators to results, the zero point taken out.
  virtual Values finish(VectorBuilder &b, const DotInput &in, ValueRange acc) const = 0;
};

/// How weight words come to a dot instruction.
enum class WordForm {
  Offset,      ///< unsigned, as stored: codes (w4a, w4z), codes + 8 (w4), codes + 128 (w8)
  Signed,      ///< w8: the codes; four bits: as Offset, which fits
  HighInPlace, ///< four bits: the high word is 16 times that of Offset; w8: as Offset
};

/// The words of octet `octet` for output register `index`, each a native register of i8.
struct WeightWords {
  Value low, high;
};
WeightWords loadWords(VectorBuilder &b, const DotInput &in, Value weights, unsigned octet, unsigned index,
                      WordForm form);

/// -zero * sum in every lane: where an accumulator of offset codes starts.
Value zeroPoint(VectorBuilder &b, const DotInput &in, unsigned row);

std::unique_ptr<Dot> createMaddubsDot();
std::unique_ptr<Dot> createVpdpbusdDot();
std::unique_ptr<Dot> createNeonMullDot();
std::unique_ptr<Dot> createSdotDot();
std::unique_ptr<Dot> createSmmlaDot();

} // namespace headrace
#endif
