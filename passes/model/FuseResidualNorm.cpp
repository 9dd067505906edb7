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

struct FuseResidualNorm : headrace::model::impl::FuseResidualNormBase<FuseResidualNorm> {
  using FuseResidualNormBase::FuseResidualNormBase;

  /// True when the norm reads a sum of its block and took it up. The new op stands where the sum stood, since others
  /// may read the sum before the norm; the weight's param, which has no operands, moves up with it.
  static bool tryFuse(RMSNormOp norm) {
    auto sum = norm.getInput().getDefiningOp<AddOp>();
    if (!sum || sum->getBlock() != norm->getBlock())
      return false;
    auto param = norm.getWeight().getDefiningOp<ParamOp>();
    if (!param) {
      norm.emitRemark() << "sum and norm stay apart: the weight is not a model.param";
      return false;
    }
    if (sum->isBeforeInBlock(param))
      param->moveBefore(sum);
    OpBuilder builder(sum);
    Location location = anchored(anchorOf(norm.getLoc()), {sum.getLoc(), norm.getLoc()});
    auto fused = AddRMSNormOp::create(builder, location, sum.getType(), sum.getType(), sum.getLhs(), sum.getRhs(),
                                      norm.getWeight(), norm.getEpsAttr());
    norm.getResult().replaceAllUsesWith(fused.getResult());
    sum.getResult().replaceAllUsesWith(fused.getSum());
    norm.erase();
    sum.erase();
    return true;
  }

  void runOnOperation() override {
    SmallVector<RMSNormOp> norms;
    getOperation().walk([&](RMSNormOp op) { norms.push_back(op); });
    countFused(getOperation(), "residual_norm", llvm::count_if(norms, tryFuse));
  }
};

} // namespace
