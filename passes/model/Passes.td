// Stage model: from the graph as imported to fused ops with caches.
#ifndef HEADRACE_PASSES_MODEL_TD
#define HEADRACE_PASSES_MODEL_TD
include "mlir/Pass/PassBase.td"

def CanonicalForm : Pass<"hr-canonical-form", "::mlir::ModuleOp"> {
  let summary = "brings an imported graph to the form that the fusions expect";
  let description = [{
    Dead ops go, equal ops become one, conversions of a recipe to the type it already has go, and weights that nobody reads go with a
    remark, so that they cost no bytes.
    ```mlir
    model.weight @unused : ...
    %a = model.param @w : tensor<8x8xf32>
    %b = model.param @w : tensor<8x8xf32>
    // =>
    %a = model.param @w : tensor<8x8xf32>
    ```
  }];
}
#endif
