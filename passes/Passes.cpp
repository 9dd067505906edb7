#include "passes/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "passes/model/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/quantize/Passes.h"

void headrace::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  model::registerModelPasses();
  partition::registerPartitionPasses();
  quantize::registerQuantizePasses();
}
