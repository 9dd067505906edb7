// WeightSymbols.h - model.weight symbols whose recipes lead back to checkpoint tensors.
#ifndef HEADRACE_IMPORT_WEIGHTSYMBOLS_H
#define HEADRACE_IMPORT_WEIGHTSYMBOLS_H

#include "compiler/import/spec/ModelSpec.h"
#include "dialects/model/Model.h"

namespace headrace {

/// The location of an op: its anchor, and below it the checkpoint's name for the same place where it has one.
mlir::Location anchorLoc(mlir::MLIRContext *context, llvm::StringRef anchor, llvm::StringRef checkpointName = {});

/// Makes symbols before the first function of a module, in the order in which they are first asked for, which becomes
/// their order in the bundle.
class WeightSymbols {
public:
  explicit WeightSymbols(mlir::ModuleOp module) : module(module), table(module) {}

  /// The weight `symbol`; on the first call its recipe is made from `value`, one op for each step, widened to f32.
  model::WeightOp get(llvm::StringRef symbol, const TensorExpr &value);
  /// The weight of a matrix, with the encoding that the spec gives it, if any.
  model::WeightOp get(llvm::StringRef symbol, const LinearSpec &linear);
  /// The table of cosines and sines for `positions` positions.
  model::WeightOp ropeTable(llvm::StringRef symbol, const RopeSpec &rope, int64_t positions);

private:
  model::WeightOp open(llvm::StringRef symbol, mlir::RankedTensorType type, mlir::Location location);

  mlir::ModuleOp module;
  mlir::SymbolTable table;
};

} // namespace headrace
#endif
