// DescribePlan.h - what a finished plan says of its bundle, as the manifest has it.
#ifndef HEADRACE_BUNDLE_DESCRIBEPLAN_H
#define HEADRACE_BUNDLE_DESCRIBEPLAN_H

#include "compiler/bundle/Manifest.h"
#include "runtime/abi/hr_abi.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace headrace {

/// Devices, entries, memory, buffers, weights with their provenance, kernels, fusions and predicted cost. `sections` is
/// the table of weights.bin.
void describePlan(mlir::ModuleOp plan, const std::vector<hr_blob_section> &sections, uint32_t tokenBytes,
                  Manifest &manifest);

/// hr_cpu_feature bits that the library requires: those of its first device, whose variant it is compiled for.
uint32_t requiredFeatures(mlir::ModuleOp plan);

} // namespace headrace
#endif
