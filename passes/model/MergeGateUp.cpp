// hr-merge-gate-up: see Passes.td.
#include "dialects/Verify.h"
#include "passes/model/Fusion.h"
#include "passes/model/Passes.h"
#include "llvm/ADT/MapVector.h"

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

/// act(gate) * up.
struct Gated {
  MulOp product;
  ActivationOp activation;
  LinearOp gate, up;
};

Gated gatedOf(MulOp product) {
  auto activation = product.getLhs().getDefiningOp<ActivationOp>();
  Value other = product.getRhs();
  if (!activation) {
    activation = product.getRhs().getDefiningOp<ActivationOp>();
    other = product.getLhs();
  }
  return {product, activation, activation ? activation.getInput().getDefiningOp<LinearOp>() : LinearOp(),
          other.getDefiningOp<LinearOp>()};
}

/// Products that read one gate weight and one up weight: one, or the choices of a mixture of experts.
using Group = SmallVector<Gated>;

std::string whyNotMergeable(const Symbols &symbols, const Group &group) {
  for (Gated gated : group) {
    std::string reason =
        headrace::model::whyNotMergeable(symbols, {gated.gate, gated.up}, static_cast<unsigned>(group.size()));
    if (!reason.empty())
      return reason;
    if (!gated.activation.getResult().hasOneUse())
      return "the activation is used elsewhere";
  }
  return {};
}

/// Puts one linear in the place of each product; their weights become one, before the first.
void merge(Symbols &symbols, const Group &group) {
  LinearOp gate = group.front().gate, up = group.front().up;
  OpBuilder builder(group.front().product);
  MergedWeights merged =
      mergeWeights(builder, symbols, {gate, up},
                   siblingName(symbols.weightOf(gate.getWeight()).getSymName(), "gate_up"), interleaveRows);
  for (Gated gated : group) {
    builder.setInsertionPoint(gated.product);
    Location location = anchored(anchorOf(gated.product.getLoc()), {gated.product.getLoc(), gated.gate.getLoc(),
                                                                    gated.activation.getLoc(), gated.up.getLoc()});
    auto linear = LinearOp::create(builder, location, gated.product.getType(), gated.gate.getInput(), merged.weight,
                                   merged.bias, Value(), gated.gate.getRoute(), gated.activation.getKind(), true,
                                   APFloat(0.0f), gated.gate.getSlot(), false);
    gated.product.replaceAllUsesWith(linear.getResult());
    gated.product.erase();
    gated.activation.erase();
    eraseMerged(symbols, {gated.gate, gated.up});
  }
}

struct MergeGateUp : headrace::model::impl::MergeGateUpBase<MergeGateUp> {
  using MergeGateUpBase::MergeGateUpBase;

  void runOnOperation() override {
    llvm::MapVector<std::pair<Value, Value>, Group> groups;
    getOperation().walk([&](MulOp product) {
      Gated gated = gatedOf(product);
      if (gated.gate && gated.up)
        groups[{gated.gate.getWeight(), gated.up.getWeight()}].push_back(gated);
      else
        product.emitRemark() << "product stays apart: it is not the activation of one linear op times another";
    });
    Symbols symbols(getOperation());
    int64_t count = 0;
    for (const auto &[weights, group] : groups) {
      std::string reason = whyNotMergeable(symbols, group);
      if (!reason.empty()) {
        for (Gated gated : group)
          gated.product.emitRemark() << "gate and up stay apart: " << reason;
        continue;
      }
      merge(symbols, group);
      count += static_cast<int64_t>(group.size());
    }
    countFused(getOperation(), "gate_up", count);
  }
};

} // namespace
