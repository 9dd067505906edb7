// ImportModule.h - from the description of a model to a module in the model stage.
#ifndef HEADRACE_IMPORT_IMPORTMODULE_H
#define HEADRACE_IMPORT_IMPORTMODULE_H

#include "compiler/import/spec/ModelSpec.h"
#include "compiler/support/Result.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace headrace {

/// `--context` when it is not given: the model's maximum, at most this.
inline constexpr int64_t kDefaultContext = 4096;

struct ImportOptions {
  std::string name;    // of the module; empty: the folder's
  int64_t context = 0; // positions that caches and tables hold; 0: min(model's maximum, a text's, kDefaultContext)
};

/// Builds `body` and, of a decoder, `head`. No weight is read: the module holds names, files and byte ranges only.
/// The context must have loaded the dialects func, model and recipe.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext &context, const ModelSpec &spec,
                                                      const ImportOptions &options = {});

} // namespace headrace
#endif
