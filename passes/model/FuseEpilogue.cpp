// hr-fuse-epilogue: see Passes.td.
#include "passes/model/Fusion.h"
#include "passes/model/Passes.h"

namespace headrace::model {
#define GEN_PASS_DEF_FUSEEPILOGUE
#include "passes/model/Passes.h.inc"
} // namespace headrace::model

using namespace mlir;
using namespace headrace::model;

namespace {

/// The linear that makes `value`, when its epilogue has room behind the activation and nobody else reads the result.
LinearOp linearWithRoom(Value value, Operation *reader) {
  auto linear = value.getDefiningOp<LinearOp>();
  return linear && linear->getBlock() == reader->getBlock() && value.hasOneUse() && !linear.getResidual() ? linear
                                                                                                          : LinearOp();
}

/// Replaces `reader` by `linear` with a larger epilogue. The new op stands at the reader, where all its operands are
/// known.
void absorb(Operation *reader, LinearOp linear, llvm::function_ref<void(LinearOp)> enlarge) {
  OpBuilder builder(reader);
  auto larger = cast<LinearOp>(builder.clone(*linear));
  larger->setLoc(anchored(anchorOf(reader->getLoc()), {reader->getLoc(), linear.getLoc()}));
  enlarge(larger);
  reader->getResult(0).replaceAllUsesWith(larger);
  reader->erase();
  linear.erase();
}

bool fuseActivation(ActivationOp op) {
  LinearOp linear = linearWithRoom(op.getInput(), op);
  if (!linear || linear.getGated() || linear.getAct() != Activation::none || !linear.getSoftcap().isZero() ||
      linear.getWeighted()) {
    op.emitRemark() << "activation stays apart: it does not follow a linear op that has room for it";
    return false;
  }
  absorb(op, linear, [&](LinearOp larger) { larger.setAct(op.getKind()); });
  return true;
}

bool fuseSoftcap(SoftcapOp op) {
  LinearOp linear = linearWithRoom(op.getInput(), op);
  if (!linear || !linear.getSoftcap().isZero() || linear.getWeighted()) {
    op.emitRemark() << "softcap stays apart: it does not follow a linear op that has room for it";
    return false;
  }
  absorb(op, linear, [&](LinearOp larger) { larger.setSoftcapAttr(op.getCapAttr()); });
  return true;
}

/// Of two linears the later takes the sum, so that the other's result is known by then.
bool fuseResidual(AddOp op) {
  LinearOp left = linearWithRoom(op.getLhs(), op), right = linearWithRoom(op.getRhs(), op);
  if (left && right)
    (left->isBeforeInBlock(right) ? left : right) = LinearOp();
  LinearOp linear = left ? left : right;
  if (!linear) {
    op.emitRemark() << "sum stays apart: it does not follow a linear op that has room for it";
    return false;
  }
  absorb(op, linear, [&](LinearOp larger) { larger.getResidualMutable().assign(left ? op.getRhs() : op.getLhs()); });
  return true;
}

struct FuseEpilogue : headrace::model::impl::FuseEpilogueBase<FuseEpilogue> {
  using FuseEpilogueBase::FuseEpilogueBase;

  void runOnOperation() override {
    SmallVector<ActivationOp> activations;
    SmallVector<SoftcapOp> caps;
    SmallVector<AddOp> sums;
    getOperation().walk([&](ActivationOp op) { activations.push_back(op); });
    getOperation().walk([&](SoftcapOp op) { caps.push_back(op); });
    getOperation().walk([&](AddOp op) { sums.push_back(op); });
    countFused(getOperation(), "activation", llvm::count_if(activations, fuseActivation));
    countFused(getOperation(), "softcap", llvm::count_if(caps, fuseSoftcap));
    countFused(getOperation(), "residual", llvm::count_if(sums, fuseResidual));
  }
};

} // namespace
