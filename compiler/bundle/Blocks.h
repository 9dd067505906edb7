// Blocks.h - the block types of GGUF files: to values, and to codes where an encoding of ours holds the same numbers
// (no MLIR).
#ifndef HEADRACE_BUNDLE_BLOCKS_H
#define HEADRACE_BUNDLE_BLOCKS_H

#include "compiler/bundle/Pack.h"

#include <string_view>

namespace headrace {

/// A block of 32 with one scale: value = scale * code, or scale * code + minimum.
struct CodedBlock {
  float scale, minimum;
  int8_t codes[32];
};

/// Consecutive values of a row that are stored together.
struct BlockType {
  const char *name; ///< as the format spells it
  size_t elements, bytes;
  void (*dequantize)(const uint8_t *block, float *out); ///< null where there is `decode`
  void (*decode)(const uint8_t *block, CodedBlock &out);
  int low, high; ///< of the codes that decode gives
  bool hasMinimum;

  /// Whole bits of a value.
  unsigned bits() const { return unsigned(bytes * 8 / elements); }
};

/// nullptr for a name that is none of Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K to Q6_K, IQ4_NL, IQ4_XS and MXFP4.
const BlockType *findBlockType(std::string_view name);

/// The values of `count` blocks, each as the f32 operations of the format's reference give it: the scale of a block (or
/// of a part of one) times the code, plus or minus a minimum.
void dequantizeBlocks(const BlockType &type, const uint8_t *blocks, size_t count, float *out);

/// Whether `storage` in groups of 32 can hold blocks of this type exactly, disregarding what single blocks may hold.
bool canHold(const BlockType &type, Storage storage);

/// One block of 32 as codes of `storage`, which canHold it. False when this block has a number that the storage has
/// not: a scale or a minimum that is none of binary16. codes: 32.
bool recodeBlock(const BlockType &type, const uint8_t *block, Storage storage, int8_t *codes, GroupNumbers &numbers);

} // namespace headrace
#endif
