// hr-merge-gate-up: see Passes.td.
#include "dialects/Verify.h"
#include "passes/model/Fusion.h"
#include "passes/model/Passes.h"

namespace headrace::model {
#define GEN_PASS_DEF_MERGEGATEUP
#include "passes/model/Passes.h.inc"
} // namespace headrace::model

using namespace mlir;
using namespace headrace::model;

namespace {

Value interleaveRows(OpBuilder &builder, Location location, ValueRange values) {
  auto first = cast<RankedTensorType>(values.front().getType());
  SmallVector<int64_t> shape(first.getShape());
  shape[0] = static_cast<int64_t>(values.size()) * headrace::padTo(shape[0], kGateTile);
  auto type = RankedTensorType::get(shape, first.getElementType());
  return headrace::recipe::InterleaveOp::create(builder, location, type, values, kGateTile);
}

struct MergeGateUp : headrace::model::impl::MergeGateUpBase<MergeGateUp> {
  using MergeGateUpBase::MergeGateUpBase;

  /// True when `product` was act(gate) * up and became one linear.
  bool tryMerge(Symbols &symbols, MulOp product) {
    auto activation = product.getLhs().getDefiningOp<ActivationOp>();
    Value other = product.getRhs();
    if (!activation) {
      activation = product.getRhs().getDefiningOp<ActivationOp>();
      other = product.getLhs();
    }
    auto up = other.getDefiningOp<LinearOp>();
    auto gate = activation ? activation.getInput().getDefiningOp<LinearOp>() : LinearOp();
    if (!gate || !up) {
      product.emitRemark() << "product stays apart: it is not the activation of one linear op times another";
      return false;
    }
    std::string reason = whyNotMergeable(symbols, {gate, up});
    if (reason.empty() && !activation.getResult().hasOneUse())
      reason = "the activation is used elsewhere";
    if (!reason.empty()) {
      product.emitRemark() << "gate and up stay apart: " << reason;
      return false;
    }
    merge(symbols, product, activation, {gate, up});
    return true;
  }

  static void merge(Symbols &symbols, MulOp product, ActivationOp activation, ArrayRef<LinearOp> linears) {
    LinearOp gate = linears[0], up = linears[1];
    OpBuilder builder(product);
    MergedWeights merged =
        mergeWeights(builder, symbols, linears, siblingName(symbols.weightOf(gate.getWeight()).getSymName(), "gate_up"),
                     interleaveRows);
    Location location =
        anchored(anchorOf(product.getLoc()), {product.getLoc(), gate.getLoc(), activation.getLoc(), up.getLoc()});
    Value result = LinearOp::create(builder, location, product.getType(), gate.getInput(), merged.weight, merged.bias,
                                    Value(), activation.getKind(), true);
    product.getResult().replaceAllUsesWith(result);
    product.erase();
    activation.erase();
    eraseMerged(symbols, linears);
  }

  void runOnOperation() override {
    SmallVector<MulOp> products;
    getOperation().walk([&](MulOp op) { products.push_back(op); });
    Symbols symbols(getOperation());
    countFused(getOperation(), "gate_up", llvm::count_if(products, [&](MulOp op) { return tryMerge(symbols, op); }));
  }
};

} // namespace
