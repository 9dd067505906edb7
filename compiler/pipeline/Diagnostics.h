// Diagnostics.h - MLIR's diagnostics as the command's one-line messages.
#ifndef HEADRACE_PIPELINE_DIAGNOSTICS_H
#define HEADRACE_PIPELINE_DIAGNOSTICS_H
#include "compiler/support/Result.h"

#include "mlir/IR/Diagnostics.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headrace {

/// While it lives, collects the diagnostics of a context: the first error, and remarks and warnings as notes for the
/// report.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);

  /// "layers.0.attn.q: expected ..., found ..."; `otherwise` when a pass failed without a word.
  Error error(const std::string &otherwise) const;
  const std::vector<std::string> &notes() const { return remarks; }

private:
  void take(mlir::Diagnostic &diagnostic);
  std::mutex mutex;
  std::optional<std::string> first;
  std::vector<std::string> remarks;
  mlir::ScopedDiagnosticHandler handler; // last: others are there when it begins
};

/// What a location says to a user: an anchor or a file position, empty if nothing.
std::string locationText(mlir::Location location);

} // namespace headrace
#endif
