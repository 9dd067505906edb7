// LibraryTables.h - hr_library and everything it points to, as constant data.
#ifndef HEADRACE_TARGETS_COMMON_LIBRARYTABLES_H
#define HEADRACE_TARGETS_COMMON_LIBRARYTABLES_H
#include "dialects/plan/Plan.h"
#include "targets/devices/Variant.h"

namespace headrace {

/// What the plan does not say of a library.
struct LibraryFacts {
  uint64_t blobHash = 0, blobBytes = 0;
  uint32_t tokenBytes = 0; ///< hr_library.token_bytes
  uint32_t cpuFeatures = 0;
};

/// Adds the constants of hr_abi.h to the module; `<library>_library` is the only one that is not private. The functions
/// of the segments (segmentSymbol) must exist.
mlir::LogicalResult buildLibraryTables(mlir::ModuleOp module, const LibraryFacts &facts);

/// A module that defines `const hr_library *hr_library_get(void)` for a library of that name, in the LLVM dialect.
mlir::OwningOpRef<mlir::ModuleOp> buildGetterModule(mlir::Location loc, llvm::StringRef library);

} // namespace headrace
#endif
