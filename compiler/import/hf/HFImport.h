// HFImport.h - from the readers' view of a Hugging Face folder to a module in the model stage.
#ifndef HEADRACE_IMPORT_HFIMPORT_H
#define HEADRACE_IMPORT_HFIMPORT_H

#include "compiler/import/folder/LlamaFolder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace headrace {

/// `--context` when it is not given: the model's maximum, at most this.
inline constexpr int64_t kDefaultContext = 4096;

struct HFImportOptions {
  std::string name;    // of the module; empty: the folder's
  int64_t context = 0; // positions that caches and tables hold; 0: min(model's maximum, kDefaultContext)
};

/// Builds body and head of a LlamaForCausalLM. No weight is read: the module holds names, files and byte ranges only.
/// The context must have loaded the dialects func, model and recipe.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importLlama(mlir::MLIRContext &context, const LlamaFolder &folder,
                                                      const HFImportOptions &options = {});

} // namespace headrace
#endif
