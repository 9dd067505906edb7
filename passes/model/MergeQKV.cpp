// hr-merge-qkv: see Passes.td.
#include "passes/model/Fusion.h"
#include "passes/model/Passes.h"

namespace headrace::model {
#define GEN_PASS_DEF_MERGEQKV
#include "passes/model/Passes.h.inc"
} // namespace headrace::model

using namespace mlir;
using namespace headrace::model;

namespace {

/// What stands between a projection and the attention: a norm of each head, a rotation, both or neither. Null when one
/// of these results has other uses.
Value behindProjection(Value value) {
  if (auto rope = value.getDefiningOp<RopeOp>())
    value = value.hasOneUse() ? rope.getInput() : Value();
  if (auto norm = value ? value.getDefiningOp<HeadNormOp>() : HeadNormOp())
    value = value.hasOneUse() ? norm.getInput() : Value();
  return value;
}

Value concatRows(OpBuilder &builder, Location location, ValueRange values) {
  auto first = cast<RankedTensorType>(values.front().getType());
  SmallVector<int64_t> shape(first.getShape());
  shape[0] = 0;
  for (Value value : values)
    shape[0] += cast<RankedTensorType>(value.getType()).getDimSize(0);
  auto type = RankedTensorType::get(shape, first.getElementType());
  return headrace::recipe::ConcatOp::create(builder, location, type, values);
}

/// The three become one linear and a split, at the first of them.
void merge(Symbols &symbols, ArrayRef<LinearOp> linears) {
  LinearOp q = linears[0], k = linears[1], v = linears[2];
  LinearOp first =
      *std::min_element(linears.begin(), linears.end(), [](LinearOp a, LinearOp b) { return a->isBeforeInBlock(b); });
  OpBuilder builder(first);
  std::string name = siblingName(symbols.weightOf(q.getWeight()).getSymName(), "qkv");
  MergedWeights merged = mergeWeights(builder, symbols, linears, name, concatRows);
  Location location = anchored(siblingName(anchorOf(q.getLoc()), "qkv"), {q.getLoc(), k.getLoc(), v.getLoc()});
  SmallVector<Type> types;
  for (LinearOp linear : linears)
    types.push_back(linear.getType());
  auto input = cast<RankedTensorType>(first.getInput().getType());
  int64_t cols = cast<RankedTensorType>(merged.weight.getType()).getDimSize(0);
  auto type = RankedTensorType::get({input.getDimSize(0), cols}, builder.getF32Type());
  Value qkv = LinearOp::create(builder, location, type, first.getInput(), merged.weight, merged.bias);
  auto split = SplitOp::create(builder, location, types, qkv);
  for (auto [linear, part] : llvm::zip(linears, split.getParts()))
    LinearOp(linear).getResult().replaceAllUsesWith(part);
  eraseMerged(symbols, linears);
}

struct MergeQKV : headrace::model::impl::MergeQKVBase<MergeQKV> {
  using MergeQKVBase::MergeQKVBase;

  /// True when the operands of `attention` were merged.
  bool tryMerge(Symbols &symbols, AttentionOp attention) {
    SmallVector<LinearOp> linears;
    for (Value operand : {attention.getQ(), attention.getK(), attention.getV()}) {
      Value projected = behindProjection(operand);
      if (!projected) {
        attention.emitRemark() << "query, key and value stay apart: a normalised or rotated result is used elsewhere";
        return false;
      }
      Operation *producer = projected.getDefiningOp();
      if (isa_and_nonnull<SplitOp>(producer))
        return false;
      auto linear = dyn_cast_or_null<LinearOp>(producer);
      if (!linear || linear->getBlock() != attention->getBlock()) {
        attention.emitRemark() << "query, key and value stay apart: one is not the result of a linear op";
        return false;
      }
      linears.push_back(linear);
    }
    std::string reason = whyNotMergeable(symbols, linears);
    if (!reason.empty()) {
      attention.emitRemark() << "query, key and value stay apart: " << reason;
      return false;
    }
    merge(symbols, linears);
    return true;
  }

  void runOnOperation() override {
    SmallVector<AttentionOp> attentions;
    getOperation().walk([&](AttentionOp op) { attentions.push_back(op); });
    Symbols symbols(getOperation());
    countFused(getOperation(), "qkv",
               llvm::count_if(attentions, [&](AttentionOp op) { return tryMerge(symbols, op); }));
  }
};

} // namespace
