#include "targets/common/EmitLibrary.h"
#include "mlir/Transforms/Passes.h"
#include "targets/common/LibraryTables.h"
#include "targets/common/LinkLibrary.h"
#include "targets/common/Passes.h"

using namespace mlir;

namespace headrace {

void addLibraryPasses(OpPassManager &manager, const TargetRegistry &registry, BlobIdentity blob) {
  LowerPlanOptions options;
  options.blobHash = blob.hash;
  options.blobBytes = blob.bytes;
  options.tokenBytes = blob.tokenBytes;
  manager.addPass(createLowerPlan(registry, options));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLowerToLLVM());
}

FailureOr<std::vector<Artifact>> emitLibrary(ModuleOp module, const EmitOptions &options) {
  const Variant *variant = libraryVariant(module);
  if (!variant)
    return failure();
  std::optional<llvm::StringRef> name = module.getSymName();
  if (!name)
    return emitError(module.getLoc(), "expected a lowered plan, found a module without a name"), failure();
  FailureOr<std::vector<std::string>> objects = emitObjects(module, *variant, options);
  if (failed(objects))
    return failure();
  OwningOpRef<ModuleOp> getterModule = buildGetterModule(module.getLoc(), *name);
  FailureOr<std::vector<std::string>> getter = emitObjects(*getterModule, *variant, options);
  if (failed(getter))
    return failure();
  LinkInputs inputs{name->str(), variant->triple, std::move(*objects), getter->front()};
  return linkLibrary(module.getLoc(), inputs);
}

} // namespace headrace
