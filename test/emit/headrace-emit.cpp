// headrace-emit PLAN.mlir [-o FOLDER] [--asm FILE] [--opt-level N] [--jobs N]
//
// The end of `headrace compile`, from the plan on: a tool of the tests. Writes the files of lib/<triple>/ to FOLDER
// without that path, or the assembly of the generated code to FILE.
#include "compiler/driver/Targets.h"
#include "dialects/Dialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "targets/common/EmitLibrary.h"
#include "targets/common/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace {
llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("PLAN.mlir"));
llvm::cl::opt<std::string> folder("o", llvm::cl::desc("folder for the library's files"));
llvm::cl::opt<std::string> assembly("asm", llvm::cl::desc("file for the assembly; - is standard output"));
llvm::cl::opt<unsigned> optLevel("opt-level", llvm::cl::init(3), llvm::cl::desc("0 or 3"));
llvm::cl::opt<unsigned> jobs("jobs", llvm::cl::init(0), llvm::cl::desc("threads of code generation"));

LogicalResult writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error) {
    llvm::errs() << path << ": " << error.message() << "\n";
    return failure();
  }
  stream << bytes;
  return success();
}

LogicalResult emit(ModuleOp module) {
  headrace::EmitOptions options;
  options.optLevel = optLevel;
  options.threads = jobs;
  if (!assembly.empty()) {
    const headrace::Variant *variant = headrace::libraryVariant(module);
    FailureOr<std::string> text = failure();
    if (variant)
      text = headrace::emitAssembly(module, *variant, options);
    if (failed(text) || failed(writeFile(assembly.getValue(), *text)))
      return failure();
  }
  std::string target = folder; // the linker resets all options
  if (target.empty())
    return success();
  FailureOr<std::vector<headrace::Artifact>> artifacts = headrace::emitLibrary(module, options);
  if (failed(artifacts) || llvm::sys::fs::create_directories(target))
    return failure();
  for (const headrace::Artifact &artifact : *artifacts) {
    llvm::SmallString<128> path(target);
    llvm::sys::path::append(path, llvm::sys::path::filename(artifact.name));
    if (failed(writeFile(path, artifact.bytes)))
      return failure();
    if (artifact.kind == headrace::ArtifactKind::Executable)
      llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_all);
  }
  return success();
}
} // namespace

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "plan to library\n");
  DialectRegistry registry;
  headrace::registerDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(input, &context);
  if (!module)
    return 1;
  PassManager manager(&context);
  headrace::addLibraryPasses(manager, headrace::allTargets(), {1, 2});
  return succeeded(manager.run(*module)) && succeeded(emit(*module)) ? 0 : 1;
}
