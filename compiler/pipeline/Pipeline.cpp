// The compiler on one page: every pass, and what has become true when it is done. Each stage ends in a gate that checks
// it.
#include "compiler/pipeline/Pipeline.h"

#include "passes/model/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/plan/Passes.h"
#include "passes/quantize/Passes.h"
#include "passes/tile/Passes.h"

namespace headrace {

// The network as imported becomes few, large operations.
static void addModelStage(mlir::OpPassManager &manager) {
  // Nothing is dead, doubled or unread.
  manager.addPass(model::createCanonicalForm());
  // Query, key and value of an attention come from one matrix product.
  manager.addPass(model::createMergeQKV());
  // Gate and up of an MLP come from one matrix product whose halves meet in registers.
  manager.addPass(model::createMergeGateUp());
  // A residual sum that is normalised is made by the norm.
  manager.addPass(model::createFuseResidualNorm());
  // Activations, gating and the other residual sums belong to the matrix product before them.
  manager.addPass(model::createFuseEpilogue());
  // Attention is one operation with a cache of its own: rotation, append and softmax.
  manager.addPass(model::createFormAttention());
  manager.addPass(model::createVerifyModel());
}

// Numbers get the form in which they are stored.
static void addQuantizeStage(mlir::OpPassManager &manager, const PipelineOptions &options) {
  // Each weight and each cache has an encoding, decided once for all entries.
  quantize::AssignEncodingsOptions encodings;
  encodings.quant = options.quant;
  encodings.embed = options.embed;
  encodings.head = options.head;
  encodings.group = options.group;
  encodings.kv = options.kv;
  manager.addPass(quantize::createAssignEncodings(encodings));
  // What meets a quantized weight is quantized itself, once per value, in the weight's groups; or stays as it is.
  manager.addPass(quantize::createInsertQuantize({options.act}));
  manager.addPass(quantize::createVerifyEncodings({options.act}));
}

// Everything has a device.
static void addPartitionStage(mlir::OpPassManager &manager, const PipelineOptions &options) {
  // Operations are where the rules say, weights and caches where their readers are.
  partition::PlaceOptions place;
  place.place.assign(options.place.begin(), options.place.end());
  place.noFallback = options.noFallback;
  manager.addPass(partition::createPlace(place));
  // What crosses between devices does so visibly.
  manager.addPass(partition::createInsertTransfers());
  manager.addPass(partition::createVerifyPlacement());
}

// Operations become invocations of kernels.
static void addTileStage(mlir::OpPassManager &manager) {
  // There is an entry for each number of rows that the device wants, with static shapes.
  manager.addPass(tile::createSpecialise());
  // Each weight lies in memory as its device's kernels read it.
  manager.addPass(tile::createAssignLayouts());
  // Every operation names a kernel family and all of its parameters.
  manager.addPass(tile::createFormKernels());
  manager.addPass(tile::createVerifyTile());
}

// Kernels get memory and threads.
static void addPlanStage(mlir::OpPassManager &manager, const PipelineOptions &options) {
  // An entry is a list of launches; equal kernels are one; tapped values have names.
  plan::LowerToPlanOptions lower;
  lower.name = options.name;
  lower.taps.assign(options.taps.begin(), options.taps.end());
  manager.addPass(plan::createLowerToPlan(lower));
  // Every operand is a base and a constant offset.
  manager.addPass(plan::createAssignBuffers());
  // Threads wait for one another where they must.
  manager.addPass(plan::createScheduleThreads());
  manager.addPass(plan::createVerifyPlan());
}

void addPipeline(mlir::OpPassManager &manager, const PipelineOptions &options) {
  addModelStage(manager);
  addQuantizeStage(manager, options);
  addPartitionStage(manager, options);
  addTileStage(manager);
  addPlanStage(manager, options);
}

} // namespace headrace
