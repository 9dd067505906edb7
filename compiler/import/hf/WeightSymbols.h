// WeightSymbols.h - model.weight symbols whose recipes lead back to checkpoint tensors.
#ifndef HEADRACE_IMPORT_WEIGHTSYMBOLS_H
#define HEADRACE_IMPORT_WEIGHTSYMBOLS_H

#include "compiler/import/folder/LlamaFolder.h"
#include "dialects/model/Model.h"

namespace headrace {

/// The location of an op: its anchor, and below it the checkpoint's name for the same place where it has one.
mlir::Location anchorLoc(mlir::MLIRContext *context, llvm::StringRef anchor, llvm::StringRef checkpointName = {});

/// Makes symbols at the end of a module, in the order of the calls, which becomes their order in the bundle.
class WeightSymbols {
public:
  WeightSymbols(mlir::ModuleOp module, const Checkpoint &checkpoint);

  /// The weight `symbol`, read from checkpoint tensor `tensor` and widened to f32. `tensor` exists: checkTensors said
  /// so.
  model::WeightOp fromTensor(llvm::StringRef symbol, llvm::StringRef tensor);
  /// The table of cosines and sines for `positions` positions.
  model::WeightOp ropeTable(llvm::StringRef symbol, const RopeConfig &rope, int64_t positions);

private:
  model::WeightOp open(llvm::StringRef symbol, mlir::RankedTensorType type, mlir::Location location);

  mlir::OpBuilder builder;
  const Checkpoint &checkpoint;
};

} // namespace headrace
#endif
