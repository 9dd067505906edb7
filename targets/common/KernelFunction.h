// KernelFunction.h - the signature of a kernel as MLIR.
#ifndef HEADRACE_TARGETS_COMMON_KERNELFUNCTION_H
#define HEADRACE_TARGETS_COMMON_KERNELFUNCTION_H
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "targets/common/KernelSpec.h"

namespace headrace {

/// `func.func @name(!llvm.ptr x operandCount, [i32 site,] i32 n_valid, i32 pos, i32 begin, i32 end)`, as
/// runtime/abi/README.md has it.
mlir::FunctionType kernelFunctionType(mlir::MLIRContext *context, const KernelSpec &spec);

/// Creates that function at the builder's insertion point with an empty entry block; pointers that cannot overlap carry
/// llvm.noalias. Leaves the builder's insertion point where it was.
mlir::func::FuncOp createKernelFunction(mlir::OpBuilder &builder, mlir::Location loc, const KernelSpec &spec);

/// The trailing arguments of a function made by createKernelFunction.
struct KernelArguments {
  mlir::ValueRange operands;
  mlir::Value site; ///< null for families without
  mlir::Value nValid, pos, begin, end;
};
KernelArguments kernelArguments(mlir::func::FuncOp function, const KernelSpec &spec);

} // namespace headrace
#endif
