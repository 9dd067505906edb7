// hr-form-attention: see Passes.td.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/model/Fusion.h"
#include "passes/model/Passes.h"

namespace headrace::model {
#define GEN_PASS_DEF_FORMATTENTION
#include "passes/model/Passes.h.inc"
} // namespace headrace::model

using namespace mlir;
using namespace headrace::model;

namespace {

/// The ops around an attention that make it one cached attention.
struct Pattern {
  SplitOp split;
  RopeOp q, k;
};

/// Fills `found`; returns why the attention has another form, or an empty string.
StringRef match(AttentionOp attention, Pattern &found) {
  found.q = attention.getQ().getDefiningOp<RopeOp>();
  found.k = attention.getK().getDefiningOp<RopeOp>();
  if (!found.q || !found.k)
    return "query or key is not the result of model.rope";
  found.split = attention.getV().getDefiningOp<SplitOp>();
  if (!found.split || found.split.getParts().size() != 3 || found.q.getInput() != found.split.getParts()[0] ||
      found.k.getInput() != found.split.getParts()[1] || attention.getV() != found.split.getParts()[2])
    return "query, key and value are not the parts of one merged projection";
  if (found.q.getTable() != found.k.getTable() || found.q.getPos() != found.k.getPos() ||
      found.q.getPos() != attention.getPos() || found.q.getRotary() != found.k.getRotary() ||
      found.q.getHeadDim() != attention.getHeadDim() || found.k.getHeadDim() != attention.getHeadDim())
    return "query and key are rotated differently";
  bool parts = llvm::all_of(found.split.getParts(), [](Value part) { return part.hasOneUse(); });
  if (!parts || !found.q.getResult().hasOneUse() || !found.k.getResult().hasOneUse())
    return "a part of the projection is used elsewhere";
  return {};
}

/// "layers.0.attn.attend" -> "layers.0.kv"
std::string cacheName(StringRef anchor) {
  StringRef block = anchor.rsplit('.').first;
  block.consume_back(".attn");
  return block.empty() || block == anchor ? "kv" : (block + ".kv").str();
}

struct FormAttention : headrace::model::impl::FormAttentionBase<FormAttention> {
  using FormAttentionBase::FormAttentionBase;

  bool tryForm(Symbols &symbols, AttentionOp attention, int64_t context) {
    Pattern found;
    if (StringRef reason = match(attention, found); !reason.empty()) {
      attention.emitRemark() << "attention gets no cache: " << reason;
      return false;
    }
    OpBuilder builder(*getOperation().getOps<func::FuncOp>().begin());
    std::string name = symbols.freeName(cacheName(anchorOf(attention.getLoc())));
    auto cache = KVCacheOp::create(builder, attention.getLoc(), name, attention.getKvHeads(), attention.getHeadDim(),
                                   context, headrace::enc::Encoding(), headrace::enc::Encoding(), IntegerAttr(),
                                   IntegerAttr(), IntegerAttr());
    symbols.insert(cache);
    builder.setInsertionPoint(attention);
    Location location =
        anchored(anchorOf(attention.getLoc()), {attention.getLoc(), found.q.getLoc(), found.k.getLoc()});
    Value result = CachedAttentionOp::create(
        builder, location, attention.getType(), found.split.getInput(), found.q.getTable(), attention.getPos(), {}, {},
        {}, {}, name, attention.getHeads(), attention.getKvHeads(), attention.getHeadDim(), found.q.getRotary(),
        attention.getScale(), attention.getWindow(), attention.getSoftcap(), attention.getCausal(), {}, {}, {}, {});
    attention.getResult().replaceAllUsesWith(result);
    for (Operation *op :
         {attention.getOperation(), found.q.getOperation(), found.k.getOperation(), found.split.getOperation()})
      op->erase();
    return true;
  }

  void runOnOperation() override {
    SmallVector<AttentionOp> attentions;
    getOperation().walk([&](AttentionOp op) { attentions.push_back(op); });
    if (attentions.empty())
      return;
    auto context = getOperation()->getAttrOfType<IntegerAttr>(kContextAttr);
    if (!context) {
      getOperation().emitError() << "expected module attribute '" << kContextAttr << "', found none";
      return signalPassFailure();
    }
    Symbols symbols(getOperation());
    countFused(getOperation(), "attention",
               llvm::count_if(attentions, [&](AttentionOp op) { return tryForm(symbols, op, context.getInt()); }));
  }
};

} // namespace
