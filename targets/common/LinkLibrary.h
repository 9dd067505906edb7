// LinkLibrary.h - generated objects and the runtime of their triple become the files of lib/<triple>/.
#ifndef HEADRACE_TARGETS_COMMON_LINKLIBRARY_H
#define HEADRACE_TARGETS_COMMON_LINKLIBRARY_H
#include "mlir/IR/Location.h"
#include "targets/TargetBackend.h"

namespace headrace {

/// What was compiled for a triple when Headrace was built (targets/common/runtime), as ELF bytes.
struct RuntimeObjects {
  llvm::StringRef triple;
  llvm::StringRef core;      ///< relocatable: hr_* of headrace.h and hr_barrier_wait global, everything else local
  llvm::StringRef reference; ///< relocatable: the hr_ref_* kernels
  llvm::StringRef run;       ///< relocatable: headrace-run with the raw system-call port, has _start
  llvm::StringRef portPosix; ///< the archive libhr_port_posix.a
};

/// The runtime of a triple, or null.
const RuntimeObjects *findRuntime(llvm::StringRef triple);

struct LinkInputs {
  std::string name; ///< the model's C identifier
  llvm::StringRef triple;
  std::vector<std::string> objects; ///< kernels, steps and `<name>_library`
  std::string getter;               ///< defines hr_library_get alone: programs with two models leave it out
};

/// Links lib/<triple>/{lib<name>.a, lib<name>.so, headrace-run, libhr_port_posix.a}. Nothing in the first three is
/// undefined. The linker cannot be used again after an error, so that every later call fails too.
mlir::FailureOr<std::vector<Artifact>> linkLibrary(mlir::Location loc, const LinkInputs &inputs);

} // namespace headrace
#endif
