// RecipeCodes.h - rows of a weight as the codes that the checkpoint holds, where its recipe only moves rows and the
// weight's encoding has the same numbers: nothing is rounded a second time.
#ifndef HEADRACE_BUNDLE_RECIPECODES_H
#define HEADRACE_BUNDLE_RECIPECODES_H

#include "compiler/bundle/Blocks.h"
#include "compiler/bundle/Grouped.h"
#include "compiler/bundle/Recipe.h"

#include <optional>

namespace headrace {

/// The rows of blocks that a recipe.from_blocks reads, where they lie in the mapped file.
struct BlockRows {
  BlockRows(recipe::FromBlocksOp op, const CheckpointFiles &files);
  const uint8_t *row(int64_t index) const { return data + size_t(index) * perRow * type.bytes; }

  const BlockType &type;
  size_t perRow; ///< blocks
  const uint8_t *data;
};

/// A row of a checkpoint's tensor.
struct TensorRow {
  recipe::RangeOp tensor;
  int64_t row;
};
/// Where row `row` of a weight comes from, if its recipe takes it whole from one tensor, changed only element by
/// element.
std::optional<TensorRow> originOf(model::WeightOp weight, int64_t row);

/// The matrix that a recipe.from_groups reads, where it lies in the mapped files.
GroupedMatrix groupedMatrix(recipe::FromGroupsOp op, const CheckpointFiles &files);

/// Const and without state, as RecipeReader.
class RecipeCodes {
public:
  RecipeCodes(const CheckpointFiles &files, model::WeightOp weight) : files(files), value(weight.getYielded()) {}
  /// Whether every row comes from blocks or groups that `shape`'s storage and group can hold.
  bool hold(const T32Shape &shape) const;
  /// Rows [first, first + count) to the first rows of `out`; hold() is true. Returns the first row with a number that
  /// the storage has not, `first + count` if there is none.
  int64_t read(const T32Shape &shape, int64_t first, int64_t count, CodedRows &out) const;

private:
  const CheckpointFiles &files;
  mlir::Value value;
};

} // namespace headrace
#endif
