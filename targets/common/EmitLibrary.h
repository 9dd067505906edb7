// EmitLibrary.h - from a finished plan to the files of lib/<triple>/.
#ifndef HEADRACE_TARGETS_COMMON_EMITLIBRARY_H
#define HEADRACE_TARGETS_COMMON_EMITLIBRARY_H
#include "targets/TargetBackend.h"
#include "targets/common/EmitObject.h"

namespace headrace {

/// What a library must know of the weights.bin that it belongs to.
struct BlobIdentity {
  uint64_t hash = 0;       ///< hr_blob_header.table_hash
  uint64_t bytes = 0;      ///< hr_blob_header.file_bytes
  uint32_t tokenBytes = 0; ///< hr_library.token_bytes
};

/// Plan to the LLVM dialect: hr-lower-plan, clean-up, hr-lower-to-llvm. `registry` must outlive the pass manager.
void addLibraryPasses(mlir::OpPassManager &manager, const TargetRegistry &registry, BlobIdentity blob);

/// Object code and linking for a module that went through addLibraryPasses; its symbol name is the library's.
mlir::FailureOr<std::vector<Artifact>> emitLibrary(mlir::ModuleOp module, const EmitOptions &options);

} // namespace headrace
#endif
