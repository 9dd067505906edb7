// Passes.h - the passes below `plan` that CPU-like targets share.
#ifndef HEADRACE_TARGETS_COMMON_PASSES_H
#define HEADRACE_TARGETS_COMMON_PASSES_H
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "targets/TargetBackend.h"

namespace headrace {
#define GEN_PASS_DECL
#include "targets/common/Passes.h.inc"

/// hr-lower-plan asks the backends of `registry`, which must outlive the pass.
std::unique_ptr<mlir::Pass> createLowerPlan(const TargetRegistry &registry, LowerPlanOptions options = {});

/// Registers the passes of this folder for headrace-opt.
void registerTargetPasses(const TargetRegistry &registry);

/// Registers the upstream dialects that occur below a plan, so that dumps parse.
void registerTargetDialects(mlir::DialectRegistry &registry);

/// The device of the table that the module's device `index` (target.devices) is, or null after an error.
const Device *mountedDevice(mlir::ModuleOp module, unsigned index);

/// The variant that a module's code is generated for: that of its device 0. Null after an error.
const Variant *libraryVariant(mlir::ModuleOp module);
} // namespace headrace
#endif
