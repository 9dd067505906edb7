// WriteBundle.h - from a finished plan and a checkpoint to a bundle folder.
#ifndef HEADRACE_BUNDLE_WRITEBUNDLE_H
#define HEADRACE_BUNDLE_WRITEBUNDLE_H

#include "compiler/bundle/Manifest.h"
#include "compiler/import/spec/ModelSpec.h"
#include "targets/TargetBackend.h"
#include "targets/common/EmitLibrary.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>
#include <vector>

namespace headrace {

/// What a bundle is written from. References live as long as the call.
struct BundleRequest {
  /// After hr-verify-plan: plan operations, and model.weight symbols with enc, layout, device, offset and bytes whose
  /// recipes say where the bytes come from. Not changed.
  mlir::ModuleOp plan;
  const ModelSpec &spec;
  std::string name;          ///< a C identifier: of the libraries, the header and the manifest
  ManifestSettings settings; ///< what the manifest repeats
  std::vector<ManifestStored> stored;
  std::string tokenizer;    ///< bytes of the tokenizer section; empty: none
  std::string chatTemplate; ///< bytes of the chat template section; empty: none
  unsigned threads = 0;     ///< for recipes; 0: all cores. The bytes do not depend on it.
  /// Generates the files of lib/<triple>/ once the identity of weights.bin is known. Reports its own errors as MLIR
  /// diagnostics and returns failure after them.
  std::function<mlir::FailureOr<std::vector<Artifact>>(BlobIdentity)> emit;
  /// Called with what is being done and how much of it, 0 .. 1; may be empty.
  std::function<void(const std::string &what, double done)> progress;
  /// Generates a shared object (its bytes) of the same plan for the machine that compiles, for golden vectors of a
  /// bundle that cannot run there. The float contract makes its numbers those of the bundle. May be empty: such bundles
  /// then have no golden vectors.
  std::function<mlir::FailureOr<std::string>(BlobIdentity)> emitForHost;
};

/// Writes the bundle to `path`: weights.bin, libraries, header, CMake package file, golden vectors, report, manifest.
/// It appears whole or not at all. Returns what its manifest says.
Result<Manifest> writeBundle(const std::string &path, const BundleRequest &request);

} // namespace headrace
#endif
