// DumpIR.h - --dump-ir: the module after every pass, in files that headrace-opt reads again.
#ifndef HEADRACE_PIPELINE_DUMPIR_H
#define HEADRACE_PIPELINE_DUMPIR_H
#include "compiler/support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <memory>
#include <string>

namespace headrace {

/// Writes NNNN-NAME.mlir files with locations into a folder; numbers go on over several pass managers.
class DumpIR {
public:
  /// Makes the folder. Numbered dumps of an earlier run in it are removed, other files stay.
  static Result<std::unique_ptr<DumpIR>> open(const std::string &folder);
  /// Writes the module as the next file.
  void write(mlir::Operation *module, llvm::StringRef name);
  /// For PassManager::addInstrumentation: a file after each pass on a module, named after the pass.
  std::unique_ptr<mlir::PassInstrumentation> instrument();
  /// The first file that could not be written.
  Result<void> finish() const;

private:
  explicit DumpIR(std::string folder) : folder(std::move(folder)) {}
  std::string folder;
  std::string failure;
  unsigned next = 0;
};

} // namespace headrace
#endif
