// Pack.h - f32 rows to the bytes that kernels read: encodings and layouts of runtime/abi/README.md (no MLIR).
#ifndef HEADRACE_BUNDLE_PACK_H
#define HEADRACE_BUNDLE_PACK_H

#include <cstddef>
#include <cstdint>

namespace headrace {

enum class Storage { F32, F16, W8, W4 };

/// A matrix of n x k in layout T32: tiles of 32 outputs.
struct T32Shape {
  Storage storage;
  size_t n, k, group; ///< group: elements along k that share a scale; without meaning for floats

  size_t paddedK() const { return (k + 31) / 32 * 32; }
  size_t tiles() const { return (n + 31) / 32; }
  size_t groups() const { return (k + group - 1) / group; }
  /// Bytes of the codes (or elements) of one tile, then of the whole tile.
  size_t codeBytes() const;
  size_t tileBytes() const;
  size_t bytes() const { return tiles() * tileBytes(); }
};

/// The largest magnitude that a value may have, so that it (or its group's scale) does not become infinite in storage.
float largestStorable(Storage storage);
/// Index of the first value that is not a number or above that magnitude; `count` if there is none.
size_t firstUnstorable(Storage storage, const float *values, size_t count);

/// Encodes and packs one tile. rows: 32 * k floats, row by row, zeros for rows beyond n. out: tileBytes() bytes.
void packTile(const T32Shape &shape, const float *rows, uint8_t *out);

/// Round-to-nearest encoding of one group of `count` values: `codes` and the binary16 scale (returned).
uint16_t encodeGroup(Storage storage, const float *values, size_t count, int8_t *codes);

} // namespace headrace
#endif
