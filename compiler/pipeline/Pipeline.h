// Pipeline.h - the passes from an imported model to a finished plan, and the options that they have.
#ifndef HEADRACE_PIPELINE_PIPELINE_H
#define HEADRACE_PIPELINE_PIPELINE_H
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace headrace {

/// What the user may decide about a compilation, in the spelling of the command line. Everything a pass is told comes
/// from here.
struct PipelineOptions {
  std::string name = "model";     ///< of the library, a C identifier
  std::vector<std::string> place; ///< rules PATTERN=DEVICE
  bool noFallback = false;        ///< refuse what a rule wants and cannot be done
  std::string quant = "w4";       ///< encoding of matrices
  std::string embed, head;        ///< of the embedding table and the head's matrix; empty: as quant
  int64_t group = 64;             ///< elements along K that share a scale
  std::string act = "a8";         ///< activations that meet quantized weights: a8, or f32
  std::string kv;                 ///< "f16", "f32" or of each, "f16,f32"; empty: by quant
  std::vector<std::string> taps;  ///< patterns of anchors
};

/// Adds all passes from the importer's module (with `target.devices`) to a plan that passed hr-verify-plan.
void addPipeline(mlir::OpPassManager &manager, const PipelineOptions &options);

} // namespace headrace
#endif
