// How verifiers speak. A message names the numbered constraint of the op's description and what was expected and found:
//   'model.linear' op C2: expected weight columns 192, found 160
#pragma once
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace headrace {

/// Reports that constraint `rule` is broken; returns failure.
template <typename Expected, typename Found>
mlir::LogicalResult violated(mlir::Operation *op, llvm::StringRef rule, const llvm::Twine &what,
                             const Expected &expected, const Found &found) {
  return op->emitOpError() << rule << ": expected " << what << " " << expected << ", found " << found;
}

/// Succeeds when `found == expected`, else reports constraint `rule`.
template <typename Value>
mlir::LogicalResult expectEqual(mlir::Operation *op, llvm::StringRef rule, const llvm::Twine &what,
                                const Value &expected, const Value &found) {
  return expected == found ? mlir::success() : violated(op, rule, what, expected, found);
}

inline int64_t padTo(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

} // namespace headrace
