// PlanSteps.h - the segments of a plan as functions `void <entry>_seg<i>(const hr_step *step, uint32_t thread)`.
#ifndef HEADRACE_TARGETS_COMMON_PLANSTEPS_H
#define HEADRACE_TARGETS_COMMON_PLANSTEPS_H
#include "dialects/plan/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace headrace {

/// The symbol of the function of segment `index` of an entry.
std::string segmentSymbol(plan::EntryOp entry, unsigned index);

/// Creates the function of one segment at the end of the module. Bases are loaded once; each launch computes this
/// thread's tiles from hr_step.share and calls its kernel if there are any; barriers call hr_barrier_wait. `kernelOf`
/// gives the kernel's function.
void buildSegment(mlir::ModuleOp module, plan::EntryOp entry, plan::SegmentOp segment, unsigned index,
                  llvm::function_ref<mlir::func::FuncOp(llvm::StringRef)> kernelOf);

} // namespace headrace
#endif
