// Patterns over anchors (the names that values keep from import to plan, model::anchorOf) and the device of an
// operation.
#ifndef HEADRACE_PASSES_SUPPORT_ANCHORS_H
#define HEADRACE_PASSES_SUPPORT_ANCHORS_H
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace headrace {

/// Whether `pattern` matches `anchor` or a prefix of it that ends before a dot; `*` stands for any characters but a
/// dot. So "layers.*.mlp" matches "layers.3.mlp.gate" and "layers.3.mlp", not "layers.3.mlpx".
bool matchesAnchor(llvm::StringRef pattern, llvm::StringRef anchor);

/// Index of the device that runs `op`: its `device` attribute, 0 without.
int32_t deviceOf(mlir::Operation *op);
void setDevice(mlir::Operation *op, int32_t device);

} // namespace headrace
#endif
