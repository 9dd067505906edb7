// Prints the model-stage module of a Hugging Face folder: what every later dump starts from.
//   headrace-import MODEL_DIR [--context=N] [--mlir-print-debuginfo]
#include "compiler/import/folder/ModelFolder.h"
#include "compiler/import/module/ImportModule.h"
#include "dialects/Dialects.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

static int fail(const std::string &message) {
  llvm::errs() << "headrace: error: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  cl::opt<std::string> folder(cl::Positional, cl::Required, cl::desc("<model folder>"));
  cl::opt<int64_t> positions("context", cl::desc("positions of caches and tables"), cl::init(0));
  mlir::registerAsmPrinterCLOptions();
  cl::ParseCommandLineOptions(argc, argv, "prints the model-stage module of a checkpoint\n");

  mlir::DialectRegistry registry;
  headrace::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto model = headrace::openModelFolder(folder);
  if (!model)
    return fail(model.error().message());
  headrace::ImportOptions options;
  options.context = positions;
  auto module = headrace::importModel(context, model->spec, options);
  if (!module)
    return fail(module.error().message());
  (*module)->print(llvm::outs());
  return mlir::failed(mlir::verify(**module)) ? 1 : 0;
}
