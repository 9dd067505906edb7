#include "targets/common/KernelFunction.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace headrace {

FunctionType kernelFunctionType(MLIRContext *context, const KernelSpec &spec) {
  SmallVector<Type> types(spec.operandCount(), LLVM::LLVMPointerType::get(context));
  types.append(spec.hasSite() ? 5 : 4, IntegerType::get(context, 32));
  return FunctionType::get(context, types, {});
}

func::FuncOp createKernelFunction(OpBuilder &builder, Location loc, const KernelSpec &spec) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = func::FuncOp::create(builder, loc, spec.name, kernelFunctionType(builder.getContext(), spec));
  for (unsigned i = 0, e = spec.operandCount(); i != e; ++i) {
    // A norm with a residual may write the sum over x; then the two pointers are equal.
    unsigned sum = spec.bias ? 4 : 3;
    bool mayAlias = spec.family == Family::Norm && spec.residual && (i == 0 || i == sum);
    if (!mayAlias)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  }
  function.addEntryBlock();
  return function;
}

KernelArguments kernelArguments(func::FuncOp function, const KernelSpec &spec) {
  ValueRange all = function.getArguments();
  KernelArguments arguments;
  unsigned next = spec.operandCount();
  arguments.operands = all.take_front(next);
  if (spec.hasSite())
    arguments.site = all[next++];
  arguments.nValid = all[next];
  arguments.pos = all[next + 1];
  arguments.begin = all[next + 2];
  arguments.end = all[next + 3];
  return arguments;
}

} // namespace headrace
