// Recipe.h - the interpreter of the recipe dialect: rows of a weight, computed from the mapped checkpoint as they are
// needed.
#ifndef HEADRACE_BUNDLE_RECIPE_H
#define HEADRACE_BUNDLE_RECIPE_H

#include "compiler/support/MappedFile.h"
#include "dialects/model/Model.h"
#include "dialects/recipe/Computed.h"
#include "dialects/recipe/Quantized.h"

#include <map>
#include <string>
#include <vector>

namespace headrace {

/// The mapped files of a checkpoint folder, opened before threads read them.
class CheckpointFiles {
public:
  explicit CheckpointFiles(std::string folder) : folder(std::move(folder)) {}
  /// Opens what the recipe of a weight names, and checks that its ranges lie inside.
  mlir::LogicalResult open(model::WeightOp weight);
  /// Pages of the weight's sources may leave memory: whatever the checkpoint's size, few of them stay.
  void release(model::WeightOp weight) const;
  const MappedFile &file(llvm::StringRef name) const { return files.at(name.str()); }

private:
  std::string folder;
  std::map<std::string, MappedFile> files;
};

/// Computes rows of a weight's value as f32. A row is what the first dimension counts; of a vector, one element. Const
/// and without state: many threads may read different rows of one weight.
class RecipeReader {
public:
  RecipeReader(const CheckpointFiles &files, model::WeightOp weight) : files(files), value(weight.getYielded()) {}
  /// Rows [first, first + count) to `out`, one after the other.
  void read(int64_t first, int64_t count, float *out) const { rows(value, first, count, out); }

private:
  void rows(mlir::Value value, int64_t first, int64_t count, float *out) const;
  void range(recipe::RangeOp op, int64_t first, int64_t count, float *out) const;
  void fromBlocks(recipe::FromBlocksOp op, int64_t first, int64_t count, float *out) const;
  void fromGroups(recipe::FromGroupsOp op, int64_t first, int64_t count, float *out) const;
  void convert(recipe::ConvertOp op, int64_t first, int64_t count, float *out) const;
  void concat(recipe::ConcatOp op, int64_t first, int64_t count, float *out) const;
  void interleave(recipe::InterleaveOp op, int64_t first, int64_t count, float *out) const;
  void columns(recipe::RangeOp op, int64_t first, int64_t count, float *out) const;
  void transpose(recipe::TransposeOp op, int64_t first, int64_t count, float *out) const;
  void pad(recipe::PadOp op, int64_t first, int64_t count, float *out) const;
  void take(recipe::TakeOp op, int64_t first, int64_t count, float *out) const;
  void swapRows(recipe::SwapRowsOp op, int64_t first, int64_t count, float *out) const;
  void reshape(recipe::ReshapeOp op, int64_t first, int64_t count, float *out) const;
  void repeat(recipe::RepeatOp op, int64_t first, int64_t count, float *out) const;
  void scale(recipe::ScaleOp op, int64_t first, int64_t count, float *out) const;
  void addConstant(recipe::AddConstantOp op, int64_t first, int64_t count, float *out) const;
  void add(recipe::AddOp op, int64_t first, int64_t count, float *out) const;
  void matmul(recipe::MatmulOp op, int64_t first, int64_t count, float *out) const;
  std::vector<float> whole(mlir::Value value) const;
  void ropeTable(recipe::RopeTableOp op, int64_t first, int64_t count, float *out) const;

  const CheckpointFiles &files;
  mlir::Value value;
};

/// "convert, concat": the steps of a recipe, for the manifest.
std::string recipeText(model::WeightOp weight);

} // namespace headrace
#endif
