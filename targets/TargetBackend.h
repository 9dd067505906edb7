// TargetBackend.h - what the compiler asks of a target, and nothing else: a target is a folder that no other folder
// includes.
#ifndef HEADRACE_TARGETS_TARGETBACKEND_H
#define HEADRACE_TARGETS_TARGETBACKEND_H
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "targets/common/KernelSpec.h"
#include "targets/devices/Device.h"
#include "targets/devices/Variant.h"
#include <memory>
#include <string>
#include <vector>

namespace headrace {

enum class ArtifactKind { Object, StaticLibrary, SharedLibrary, Executable };

/// A file of the bundle: `name` is its path inside it ("lib/x86_64-linux-gnu/libbrook.a").
struct Artifact {
  std::string name;
  ArtifactKind kind;
  std::string bytes;
};

class TargetBackend {
public:
  virtual ~TargetBackend() = default;

  /// "cpu", "reference": Device::backend.
  virtual llvm::StringRef getName() const = 0;

  /// The #target.device attribute that passes ask about encodings, layouts, chunk sizes and memory.
  virtual mlir::Attribute describe(mlir::MLIRContext *context, const Device &device) const = 0;

  /// Creates the function of a kernel at the builder's insertion point (see KernelFunction.h). It uses arith, math
  /// (fma, sqrt, roundeven, absf), vector, scf and llvm operations. `variant` is that of the library, whose triple it
  /// shares.
  virtual mlir::LogicalResult buildKernel(mlir::OpBuilder &builder, mlir::Location loc, const KernelSpec &spec,
                                          const Variant &variant) const = 0;
};

/// The backends of a compiler, by name. `compiler/` fills it; it is the only place that names targets.
class TargetRegistry {
public:
  void add(std::unique_ptr<TargetBackend> backend) { backends.push_back(std::move(backend)); }
  const TargetBackend *find(llvm::StringRef name) const {
    for (const auto &backend : backends)
      if (backend->getName() == name)
        return backend.get();
    return nullptr;
  }

private:
  std::vector<std::unique_ptr<TargetBackend>> backends;
};

} // namespace headrace
#endif
