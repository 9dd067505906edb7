#include "targets/cpu/CpuTarget.h"
#include "targets/common/DescribeDevice.h"
#include "targets/cpu/Kernels.h"

using namespace mlir;

namespace headrace {
namespace {

using Generator = void (*)(VectorBuilder &, const KernelSpec &, const KernelArguments &);

Generator generatorOf(Family family) {
  switch (family) {
  case Family::Embed:
    return buildEmbed;
  case Family::Norm:
    return buildNorm;
  case Family::Quantize:
    return buildQuantize;
  case Family::Gemv:
  case Family::Gemm:
    return buildMatmul;
  case Family::RopeAppend:
    return buildRopeAppend;
  case Family::Attend:
    return buildAttend;
  case Family::Add:
    return buildAdd;
  case Family::Route:
    return buildRoute;
  }
  llvm_unreachable("all families are handled");
}

class CpuTarget : public TargetBackend {
public:
  StringRef getName() const override { return "cpu"; }

  Attribute describe(MLIRContext *context, const Device &device) const override {
    return describeDevice(context, device);
  }

  LogicalResult buildKernel(OpBuilder &builder, Location loc, const KernelSpec &spec,
                            const Variant &variant) const override {
    if (variant.dot == DotKind::Scalar)
      return emitError(loc) << "kernel " << spec.name << ": expected a vector instruction set, found " << variant.name;
    func::FuncOp function = createKernelFunction(builder, loc, spec);
    VectorBuilder b(builder, loc, variant);
    b.setInsertionPointToEnd(&function.getBody().front());
    generatorOf(spec.family)(b, spec, kernelArguments(function, spec));
    func::ReturnOp::create(b);
    return success();
  }
};

} // namespace

std::unique_ptr<TargetBackend> createCpuTarget() { return std::make_unique<CpuTarget>(); }

} // namespace headrace
