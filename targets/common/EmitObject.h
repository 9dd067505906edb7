// EmitObject.h - a module in the LLVM dialect becomes relocatable objects, the same bytes on any host.
#ifndef HEADRACE_TARGETS_COMMON_EMITOBJECT_H
#define HEADRACE_TARGETS_COMMON_EMITOBJECT_H
#include "mlir/IR/BuiltinOps.h"
#include "targets/devices/Variant.h"
#include <string>
#include <vector>

namespace headrace {

struct EmitOptions {
  unsigned optLevel = 3;
  /// Threads for code generation; 0: all. The bytes do not depend on it.
  unsigned threads = 0;
};

/// Translates, optimises and emits `module`, whose functions are all in the LLVM dialect, in a fixed number of parts
/// that depends on the module alone. Emits an error and fails when a part would use a symbol that the module does
/// not know, such as a function of libm.
mlir::FailureOr<std::vector<std::string>> emitObjects(mlir::ModuleOp module, const Variant &variant,
                                                      const EmitOptions &options);

/// Assembly of the whole module, for tests and for people.
mlir::FailureOr<std::string> emitAssembly(mlir::ModuleOp module, const Variant &variant, const EmitOptions &options);

} // namespace headrace
#endif
