#include "targets/reference/ReferenceTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "targets/common/DescribeDevice.h"
#include "targets/common/KernelFunction.h"

using namespace mlir;

namespace headrace {
namespace {

/// What distinguishes the scalar function of a family: which of its pointer operands a kernel has (the others are
/// null), and the parameters that follow `end`.
struct ReferenceCall {
  SmallVector<bool> present;
  SmallVector<int64_t> integers;
  SmallVector<float> reals;
};

ReferenceCall describeCall(const KernelSpec &s) {
  int64_t group = s.group;
  switch (s.family) {
  case Family::Embed:
    return {{true, s.positions, true, true}, {int64_t(s.enc), group, s.n, s.k}, {s.scale}};
  case Family::Norm:
    return {{true, s.residual, true, s.bias, s.residual, true, true},
            {s.cols, s.out == Encoding::A8 ? group : 0, int64_t(s.kind)},
            {s.eps}};
  case Family::Quantize:
    return {{true, true, true}, {s.cols, group}, {}};
  case Family::Gemv:
  case Family::Gemm:
    return {{true, s.bias, true, s.experts != 0, s.residual, true},
            {int64_t(s.enc), group, int64_t(s.x), s.n, s.k, int64_t(s.act), s.gated, s.top, s.weighted},
            {s.softcap}};
  case Family::RopeAppend: {
    bool norm = s.qkNorm != NormForm::None;
    return {{true, s.rotary != 0, norm, norm && s.qkBias, norm, norm && s.qkBias, true, true},
            {s.heads, s.kvHeads, s.headDim, s.rotary, s.context, int64_t(s.kType), int64_t(s.vType), int64_t(s.qkNorm),
             s.qSpan, s.kSpan},
            {s.eps}};
  }
  case Family::Attend:
    return {{true, true, true, true},
            {s.heads, s.kvHeads, s.headDim, s.context, int64_t(s.kType), int64_t(s.vType), s.window, s.causal},
            {s.scale, s.softcap}};
  case Family::Add:
    return {{true, true, true}, {s.cols}, {}};
  case Family::Route:
    return {{true, true}, {s.experts, s.top, s.normalise}, {}};
  }
  llvm_unreachable("all families are handled");
}

/// The declaration of hr_ref_<family> in the builder's module, made on first use.
func::FuncOp declare(OpBuilder &builder, Location loc, StringRef name, FunctionType type) {
  Operation *module = builder.getInsertionBlock()->getParentOp();
  if (Operation *known = SymbolTable::lookupSymbolIn(module, name))
    return cast<func::FuncOp>(known);
  auto function = func::FuncOp::create(builder, loc, name, type);
  function.setPrivate();
  return function;
}

/// Parameters are constants of the call: kernels of one family share one scalar function.
class ReferenceTarget : public TargetBackend {
public:
  StringRef getName() const override { return "reference"; }

  Attribute describe(MLIRContext *context, const Device &device) const override {
    return describeDevice(context, device);
  }

  LogicalResult buildKernel(OpBuilder &builder, Location loc, const KernelSpec &spec,
                            const Variant &variant) const override {
    ReferenceCall call = describeCall(spec);
    MLIRContext *context = builder.getContext();
    Type pointer = LLVM::LLVMPointerType::get(context), i32 = builder.getI32Type();
    SmallVector<Type> types(call.present.size(), pointer);
    types.append((spec.hasSite() ? 5 : 4) + call.integers.size(), i32);
    types.append(call.reals.size(), builder.getF32Type());
    func::FuncOp callee =
        declare(builder, loc, ("hr_ref_" + stringify(spec.family)).str(), FunctionType::get(context, types, {}));

    func::FuncOp function = createKernelFunction(builder, loc, spec);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&function.getBody().front());
    SmallVector<Value> arguments;
    unsigned next = 0;
    for (bool present : call.present)
      arguments.push_back(present ? Value(function.getArgument(next++))
                                  : Value(LLVM::ZeroOp::create(builder, loc, pointer)));
    llvm::append_range(arguments, function.getArguments().drop_front(next));
    for (int64_t value : call.integers)
      arguments.push_back(arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(value))));
    for (float value : call.reals)
      arguments.push_back(arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(value)));
    func::CallOp::create(builder, loc, callee, arguments);
    func::ReturnOp::create(builder, loc);
    return success();
  }
};

} // namespace

std::unique_ptr<TargetBackend> createReferenceTarget() { return std::make_unique<ReferenceTarget>(); }

} // namespace headrace
