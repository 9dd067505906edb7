// Runs single passes on a dump: headrace-opt --hr-merge-qkv dumps/0005-hr-canonical-form.mlir
#include "compiler/driver/Targets.h"
#include "dialects/Dialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Passes.h"
#include "targets/common/Passes.h"

int main(int argc, char **argv) {
  headrace::registerPasses();
  headrace::registerTargetPasses(headrace::allTargets());
  mlir::DialectRegistry registry;
  headrace::registerDialects(registry);
  headrace::registerTargetDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Headrace pass driver\n", registry));
}
