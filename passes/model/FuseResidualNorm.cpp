// hr-fuse-residual-norm: see Passes.td.
#include "passes/model/Fusion.h"
#include "passes/model/Passes.h"

namespace headrace::model {
#define GEN_PASS_DEF_FUSERESIDUALNORM
#include "passes/model/Passes.h.inc"
} // namespace headrace::model

using namespace mlir;
using namespace headrace::model;

namespace {

/// The ops that norms become: the same with a residual in front.
AddRMSNormOp withResidual(OpBuilder &builder, Location location, AddOp sum, RMSNormOp norm) {
  return AddRMSNormOp::create(builder, location, sum.getType(), sum.getType(), sum.getLhs(), sum.getRhs(),
                              norm.getWeight(), norm.getEpsAttr());
}
AddLayerNormOp withResidual(OpBuilder &builder, Location location, AddOp sum, LayerNormOp norm) {
  return AddLayerNormOp::create(builder, location, sum.getType(), sum.getType(), sum.getLhs(), sum.getRhs(),
                                norm.getWeight(), norm.getBias(), norm.getEpsAttr());
}

/// True when the norm reads a sum of its block and took it up. The new op stands where the sum stood, since others may
/// read the sum before the norm; the params of weight and bias, which have no operands, move up with it.
template <typename Norm> bool tryFuse(Norm norm) {
  auto sum = norm.getInput().template getDefiningOp<AddOp>();
  if (!sum || sum->getBlock() != norm->getBlock())
    return false;
  for (Value operand : norm->getOperands().drop_front()) {
    auto param = operand.template getDefiningOp<ParamOp>();
    if (!param) {
      norm.emitRemark() << "sum and norm stay apart: the weight is not a model.param";
      return false;
    }
    if (sum->isBeforeInBlock(param))
      param->moveBefore(sum);
  }
  OpBuilder builder(sum);
  Location location = anchored(anchorOf(norm.getLoc()), {sum.getLoc(), norm.getLoc()});
  auto fused = withResidual(builder, location, sum, norm);
  norm.getResult().replaceAllUsesWith(fused.getResult());
  sum.getResult().replaceAllUsesWith(fused.getSum());
  norm.erase();
  sum.erase();
  return true;
}

struct FuseResidualNorm : headrace::model::impl::FuseResidualNormBase<FuseResidualNorm> {
  using FuseResidualNormBase::FuseResidualNormBase;

  void runOnOperation() override {
    SmallVector<Operation *> norms;
    getOperation().walk([&](Operation *op) {
      if (isa<RMSNormOp, LayerNormOp>(op))
        norms.push_back(op);
    });
    countFused(getOperation(), "residual_norm", llvm::count_if(norms, [](Operation *op) {
                 auto rms = dyn_cast<RMSNormOp>(op);
                 return rms ? tryFuse(rms) : tryFuse(cast<LayerNormOp>(op));
               }));
  }
};

} // namespace
