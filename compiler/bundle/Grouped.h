// Grouped.h - weights as published quantizers store them: integer codes with a scale, and perhaps a zero point, for
// each group of inputs (no MLIR). value = (code - zero) * scale.
#ifndef HEADRACE_BUNDLE_GROUPED_H
#define HEADRACE_BUNDLE_GROUPED_H

#include "compiler/bundle/Pack.h"

#include <optional>
#include <string_view>

namespace headrace {

/// Where codes, scales and zero points of a matrix of n outputs and k inputs lie; "words" are 32 bits, codes in them
/// ascending from the lowest bits.
enum class GroupLayout {
  /// codes: words [k / per][n], of inputs; zeros: words [groups][n / per], of outputs; scales [groups][n].
  InputsPacked,
  /// 4 bits; codes: words [k][n / 8], of outputs in the order 0 2 4 6 1 3 5 7; zeros: words [groups][n / 8], likewise;
  /// scales [groups][n].
  OutputsPacked,
  /// codes: words [n][k / per], of inputs; zeros: words [n / per][groups], of outputs; scales [n][groups].
  RowsPacked,
  /// codes: signed bytes [n][k]; zeros: signed bytes [n][groups]; scales [n][groups].
  Bytes,
};

enum class ScaleType { F32, F16, BF16 };

struct GroupedMatrix {
  GroupLayout layout;
  unsigned bits;      ///< 4 or 8
  size_t n, k, group; ///< group: inputs that share a scale; the last group may be short
  int zeroShift;      ///< added to a stored zero point, without carry into more bits
  ScaleType scaleType;
  const uint8_t *codes, *scales;
  const uint8_t *zeros; ///< null: the middle of the range
  const uint8_t *order; ///< null, or i32 [k]: the group of each input; each has been checked to be in range

  size_t groups() const { return (k + group - 1) / group; }
  size_t groupOf(size_t input) const;
  int code(size_t output, size_t input) const; ///< unsigned but for Bytes
  int zero(size_t output, size_t group) const;
  float scale(size_t output, size_t group) const;

  /// Bytes of codes, zeros and scales as the sizes imply them.
  size_t codeBytes() const, zeroBytes() const, scaleBytes() const;

  /// Values of one output, in f32.
  void values(size_t output, float *out) const;
  /// Whether runs of `size` inputs, the last perhaps short, each lie within one group of this matrix.
  bool isGroupedBy(size_t size) const;
  /// One output as codes of `shape`, whose groups isGroupedBy; writes row `row` of `out`. False when a code does not
  /// fit, a scale lies beyond the precision of binary16, or the storage has minima. `exact` becomes false when a scale
  /// was rounded to binary16; it is left alone otherwise.
  bool recode(const T32Shape &shape, size_t output, size_t row, CodedRows &out, bool &exact) const;

private:
  unsigned perWord() const { return 32 / bits; }
};

/// "inputs_packed", "outputs_packed", "rows_packed" and "bytes", by their numbers.
const char *groupLayoutName(GroupLayout layout);
std::optional<GroupLayout> findGroupLayout(std::string_view name);

} // namespace headrace
#endif
