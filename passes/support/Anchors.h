// Anchors: the names that values keep from import to plan, such as "layers.3.mlp.gate". They live in locations.
#ifndef HEADRACE_PASSES_SUPPORT_ANCHORS_H
#define HEADRACE_PASSES_SUPPORT_ANCHORS_H
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace headrace {

/// The anchors of a location, in order: one for a named location, several for a fused one, none for an unknown one.
llvm::SmallVector<llvm::StringRef> anchorsOf(mlir::Location loc);

/// The first anchor, or the operation's name if it has none.
llvm::StringRef anchorOf(mlir::Operation *op);

/// Whether `pattern` matches `anchor` or a prefix of it that ends before a dot; `*` stands for any characters but a dot. So
/// "layers.*.mlp" matches "layers.3.mlp.gate" and "layers.3.mlp", not "layers.3.mlpx".
bool matchesAnchor(llvm::StringRef pattern, llvm::StringRef anchor);

/// A location that says `name` besides what `loc` says.
mlir::Location withAnchor(mlir::Location loc, llvm::StringRef name);

/// Index of the device that runs `op`: its `device` attribute, 0 without.
int32_t deviceOf(mlir::Operation *op);
void setDevice(mlir::Operation *op, int32_t device);

} // namespace headrace
#endif
