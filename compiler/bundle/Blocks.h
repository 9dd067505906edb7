// Blocks.h - the block types of GGUF files: to values, and to codes where an encoding of ours holds the same numbers
// (no MLIR).
#ifndef HEADRACE_BUNDLE_BLOCKS_H
#define HEADRACE_BUNDLE_BLOCKS_H

#include "compiler/bundle/Pack.h"

#include <string_view>

namespace headrace {

/// 32 elements with one scale: value = scale * code, or scale * code + minimum.
struct CodedGroup {
  float scale, minimum;
  int8_t codes[32];
};

/// Consecutive values of a row that are stored together.
struct BlockType {
  const char *name; ///< as the format spells it
  size_t elements, bytes;
  void (*dequantize)(const uint8_t *block, float *out);                ///< null where there is `decode`
  void (*decode)(const uint8_t *block, size_t group, CodedGroup &out); ///< group: of the block's elements / 32
  int low, high;                                                       ///< of the codes that decode gives
  int gap;                                                             ///< least distance of two of them
  bool hasMinimum;

  /// Whole bits of a value.
  unsigned bits() const { return unsigned(bytes * 8 / elements); }
};

/// nullptr for a name that is none of Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K to Q6_K, IQ4_NL, IQ4_XS and MXFP4.
const BlockType *findBlockType(std::string_view name);

/// The values of `count` blocks, each as the f32 operations of the format's reference give it: the scale of a block (or
/// of a part of one) times the code, plus or minus a minimum.
void dequantizeBlocks(const BlockType &type, const uint8_t *blocks, size_t count, float *out);

/// Whether `storage` in groups of 32 can hold the codes of this type's blocks, disregarding what single blocks may
/// hold.
bool canHold(const BlockType &type, Storage storage);

/// Group `group` of a block as codes of `storage`, which canHold them. False when binary16 has no number near the scale
/// or the minimum: values would move by more than an eighth of a step. `exact` becomes false when one was rounded; it
/// is left alone otherwise. codes: 32.
bool recodeGroup(const BlockType &type, const uint8_t *block, size_t group, Storage storage, int8_t *codes,
                 GroupNumbers &numbers, bool &exact);

} // namespace headrace
#endif
