#include "compiler/pipeline/DumpIR.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace headrace {
namespace fs = llvm::sys::fs;

namespace {
/// "0005-hr-merge-qkv.mlir": ours to replace.
bool isDump(llvm::StringRef name) {
  return name.size() > 10 && llvm::all_of(name.take_front(4), llvm::isDigit) && name[4] == '-' &&
         name.ends_with(".mlir");
}

class DumpInstrumentation : public mlir::PassInstrumentation {
public:
  explicit DumpInstrumentation(DumpIR &dumps) : dumps(dumps) {}
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    if (llvm::isa<mlir::ModuleOp>(op) && !pass->getArgument().empty())
      dumps.write(op, pass->getArgument());
  }

private:
  DumpIR &dumps;
};
} // namespace

Result<std::unique_ptr<DumpIR>> DumpIR::open(const std::string &folder) {
  if (std::error_code error = fs::create_directories(folder))
    return Error("--dump-ir " + folder + ": " + error.message());
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    if (isDump(llvm::sys::path::filename(it->path())))
      fs::remove(it->path());
  if (error)
    return Error("--dump-ir " + folder + ": " + error.message());
  return std::unique_ptr<DumpIR>(new DumpIR(folder));
}

void DumpIR::write(mlir::Operation *module, llvm::StringRef name) {
  std::string file;
  llvm::raw_string_ostream(file) << llvm::format("%04u-", next++) << name << ".mlir";
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  if (!error) {
    module->print(stream, flags);
    stream << "\n";
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error && failure.empty())
    failure = std::string(path) + ": " + error.message();
}

std::unique_ptr<mlir::PassInstrumentation> DumpIR::instrument() { return std::make_unique<DumpInstrumentation>(*this); }

Result<void> DumpIR::finish() const {
  if (!failure.empty())
    return Error("--dump-ir " + failure);
  return {};
}

} // namespace headrace
