// Pack.h - rows of a weight to the bytes that kernels read: encodings and layouts of runtime/abi/README.md (no MLIR).
// Rows come as values, which are encoded here, or as codes, when a checkpoint holds them in the encoding already.
#ifndef HEADRACE_BUNDLE_PACK_H
#define HEADRACE_BUNDLE_PACK_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace {

enum class Storage { F32, F16, W8, W4, W4A, W4Z };

/// A matrix of n x k in layout T32: tiles of 32 outputs.
struct T32Shape {
  Storage storage;
  size_t n, k, group; ///< group: elements along k that share a scale; without meaning for floats

  size_t paddedK() const { return (k + 31) / 32 * 32; }
  size_t tiles() const { return (n + 31) / 32; }
  size_t groups() const { return (k + group - 1) / group; }
  /// Elements are codes of groups; else floats.
  bool isCoded() const { return storage != Storage::F32 && storage != Storage::F16; }
  /// Groups have a second number beside the scale.
  bool hasOffsets() const { return storage == Storage::W4A || storage == Storage::W4Z; }
  /// Bytes of the codes (or elements) of one tile, then of the whole tile.
  size_t codeBytes() const;
  size_t tileBytes() const;
  size_t bytes() const { return tiles() * tileBytes(); }
};

/// The largest magnitude that a value may have, so that it (or its group's scale) does not become infinite in storage.
float largestStorable(Storage storage);
/// Index of the first value that is not a number or above that magnitude; `count` if there is none.
size_t firstUnstorable(Storage storage, const float *values, size_t count);

/// Rows as codes: value = code * scale, for W4A code * scale + minimum, for W4Z (code - zero point) * scale. Zeros when
/// made.
struct CodedRows {
  CodedRows(const T32Shape &shape, size_t count);

  std::vector<int8_t> codes;     ///< [count][k]: W8 -128..127, W4 -8..7, W4A and W4Z 0..15
  std::vector<uint16_t> scales;  ///< [count][groups], binary16
  std::vector<uint16_t> offsets; ///< [count][groups], binary16: minima of W4A, zero points of W4Z; empty for others
};

/// Packs one tile of values. rows: 32 * k floats, row by row, zeros for rows beyond n. out: tileBytes() bytes.
void packTile(const T32Shape &shape, const float *rows, uint8_t *out);
/// Packs one tile of codes: 32 rows, zeros for rows beyond n.
void packTile(const T32Shape &shape, const CodedRows &rows, uint8_t *out);

/// What the codes of a group are multiplied with, and the minimum (W4A) or zero point (W4Z): binary16.
struct GroupNumbers {
  uint16_t scale = 0, offset = 0;
};
/// Encodes one group of `count` values, at least one, by the rules of runtime/abi/README.md.
GroupNumbers encodeGroup(Storage storage, const float *values, size_t count, int8_t *codes);

} // namespace headrace
#endif
