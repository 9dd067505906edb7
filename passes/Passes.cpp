#include "passes/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "passes/model/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/plan/Passes.h"
#include "passes/quantize/Passes.h"
#include "passes/tile/Passes.h"

void headrace::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  model::registerModelPasses();
  partition::registerPartitionPasses();
  plan::registerPlanPasses();
  quantize::registerQuantizePasses();
  tile::registerTilePasses();
}
