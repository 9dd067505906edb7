// Fit.h - whether a plan fits into its device's memory, and which context would.
#ifndef HEADRACE_DRIVER_FIT_H
#define HEADRACE_DRIVER_FIT_H
#include "compiler/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace headrace {

/// Bytes that a bundle needs while it runs.
struct MemoryNeed {
  uint64_t weights = 0, cache = 0, arena = 0;
  uint64_t perPosition = 0; ///< of the cache and the rotary table: what a position of context costs
  int64_t context = 0;      ///< positions, a multiple of 32
  uint64_t total() const { return weights + cache + arena; }
};

/// Adds up the bases of a plan that passed hr-verify-plan.
MemoryNeed memoryNeedOf(mlir::ModuleOp plan);

/// The largest context, a multiple of 32, with which `usable` bytes suffice; 0 if none does.
int64_t largestContext(const MemoryNeed &need, uint64_t usable);

/// An error with the numbers when `need` exceeds `usable` (0: unknown, accepted) bytes of `device`.
Result<void> checkFit(const MemoryNeed &need, uint64_t usable, const std::string &device);

} // namespace headrace
#endif
