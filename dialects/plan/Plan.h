// Dialect `plan`: what the devices execute. Operations and constraints: Plan.td; the C notation of the same:
// runtime/abi/hr_abi.h.
#ifndef HEADRACE_DIALECTS_PLAN_PLAN_H
#define HEADRACE_DIALECTS_PLAN_PLAN_H
#include "dialects/tile/KernelFamilies.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"

#include "dialects/plan/PlanDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.h.inc"

namespace headrace::plan {
/// The module's library operation, or null.
LibraryOp findLibrary(mlir::ModuleOp module);

/// Bases of the module in order; the index in this list is the number of hr_step.base.
llvm::SmallVector<BaseOp> basesOf(mlir::ModuleOp module);

/// Bytes that an operand or slot of `rows` rows covers from its address on; -1 when the family does not say.
int64_t extentOf(const tile::OperandInfo &info, int64_t rows);

/// Rows of a step that a launch of `family` in an entry of `entryRows` rows works on (gemv: 1).
int64_t rowsOf(const tile::Family &family, int64_t entryRows);
} // namespace headrace::plan
#endif
