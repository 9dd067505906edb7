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

/// What stands between one part of the projection and the attention; each may be absent.
struct Chain {
  RopeOp rope;
  HeadNormOp norm;
  Value part;
  bool usedOnce = true;

  explicit Chain(Value value) : part(value) {
    rope = take<RopeOp>();
    norm = take<HeadNormOp>();
    usedOnce = usedOnce && part.hasOneUse();
  }
  /// From the attention to the projection.
  SmallVector<Operation *> ops() {
    SmallVector<Operation *> all;
    for (Operation *op : {rope ? rope.getOperation() : nullptr, norm ? norm.getOperation() : nullptr})
      if (op)
        all.push_back(op);
    return all;
  }

private:
  template <typename Op> Op take() {
    auto op = part.getDefiningOp<Op>();
    if (!op)
      return {};
    usedOnce = usedOnce && part.hasOneUse();
    part = op.getInput();
    return op;
  }
};

/// The ops around an attention that make it one cached attention.
struct Pattern {
  explicit Pattern(AttentionOp attention) : q(attention.getQ()), k(attention.getK()) {}
  Chain q, k;
  SplitOp split;
};

/// Why the two are not rotated as one cached attention rotates them, or an empty string.
StringRef whyNotRotated(AttentionOp attention, const Pattern &found) {
  RopeOp q = found.q.rope, k = found.k.rope;
  if (bool(q) != bool(k))
    return "one of query and key is rotated and the other is not";
  if (q && (q.getTable() != k.getTable() || q.getPos() != k.getPos() || q.getPos() != attention.getPos() ||
            q.getRotary() != k.getRotary() || q.getHeadDim() != attention.getHeadDim() ||
            k.getHeadDim() != attention.getHeadDim()))
    return "query and key are rotated differently";
  return {};
}

/// Why the two are not normalised as one cached attention normalises them, or an empty string.
StringRef whyNotNormalised(const Pattern &found) {
  HeadNormOp q = found.q.norm, k = found.k.norm;
  if (bool(q) != bool(k))
    return "one of query and key is normalised and the other is not";
  if (q && (q.getKind() != k.getKind() || q.getEpsAttr() != k.getEpsAttr() || bool(q.getBias()) != bool(k.getBias())))
    return "query and key are normalised differently";
  return {};
}

/// Fills `found.split`; returns why the attention has another form, or an empty string.
StringRef match(AttentionOp attention, Pattern &found) {
  found.split = attention.getV().getDefiningOp<SplitOp>();
  if (!found.split || found.split.getParts().size() != 3 || found.q.part != found.split.getParts()[0] ||
      found.k.part != found.split.getParts()[1] || attention.getV() != found.split.getParts()[2])
    return "query, key and value are not the parts of one merged projection";
  if (StringRef reason = whyNotRotated(attention, found); !reason.empty())
    return reason;
  if (StringRef reason = whyNotNormalised(found); !reason.empty())
    return reason;
  if (!found.q.usedOnce || !found.k.usedOnce || !attention.getV().hasOneUse())
    return "a part of the projection is used elsewhere";
  return {};
}

/// The attention in one op, at the builder.
Value formed(OpBuilder &builder, AttentionOp attention, Pattern &found, StringRef cache) {
  SmallVector<Location> parts{attention.getLoc()};
  for (Chain *chain : {&found.q, &found.k})
    for (Operation *op : chain->ops())
      parts.push_back(op->getLoc());
  Location location = anchored(anchorOf(attention.getLoc()), parts);
  RopeOp rope = found.q.rope;
  HeadNormOp q = found.q.norm, k = found.k.norm;
  auto cached = CachedAttentionOp::create(
      builder, location, attention.getType(), found.split.getInput(), rope ? rope.getTable() : Value(),
      attention.getPos(), q ? q.getWeight() : Value(), q ? q.getBias() : Value(), k ? k.getWeight() : Value(),
      k ? k.getBias() : Value(), cache, attention.getHeads(), attention.getKvHeads(), attention.getHeadDim(),
      rope ? rope.getRotary() : 0, attention.getScale(), attention.getWindow(), attention.getSoftcap(),
      attention.getCausal(), q ? q.getKindAttr() : NormKindAttr(), q ? q.getSpanAttr() : IntegerAttr(),
      k ? k.getSpanAttr() : IntegerAttr(), q ? q.getEpsAttr() : FloatAttr());
  return cached;
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
    Pattern found(attention);
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
    attention.getResult().replaceAllUsesWith(formed(builder, attention, found, name));
    attention.erase();
    for (Chain *chain : {&found.q, &found.k})
      for (Operation *op : chain->ops())
        op->erase();
    found.split.erase();
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
