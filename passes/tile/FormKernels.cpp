// hr-form-kernels: see Passes.td.
#include "dialects/enc/Enc.h"
#include "dialects/model/Model.h"
#include "dialects/tile/Tile.h"
#include "passes/tile/Passes.h"

namespace headrace::tile {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/tile/Passes.h.inc"
} // namespace headrace::tile

using namespace mlir;
using namespace headrace;

namespace {
/// Builds the tile operation that takes the place of one model operation. Symbols are looked up for encodings and
/// caches.
class KernelFormer {
public:
  explicit KernelFormer(SymbolTable &symbols) : symbols(symbols), builder(symbols.getOp()->getContext()) {}

  /// In the order of the block: operands have become tile operations when their users' turn comes.
  LogicalResult form(func::FuncOp func) {
    for (Operation &op : llvm::make_early_inc_range(func.front())) {
      builder.setInsertionPoint(&op);
      loc = op.getLoc();
      device = op.getAttrOfType<IntegerAttr>("device");
      LogicalResult formed =
          llvm::TypeSwitch<Operation *, LogicalResult>(&op)
              .Case<model::EmbedOp, model::RMSNormOp, model::AddRMSNormOp, model::LayerNormOp, model::AddLayerNormOp,
                    model::LinearOp, model::RouteOp, model::CachedAttentionOp, model::AddOp, model::TransferOp,
                    enc::QuantizeOp>([&](auto typed) { return formOp(typed); })
              .Case<model::ParamOp, func::ReturnOp, tile::KernelOpInterface>([](auto) { return success(); })
              .Default([](Operation *other) {
                return other->emitError() << "'" << other->getName() << "' at '" << model::anchorOf(other->getLoc())
                                          << "': no kernel family computes it";
              });
      if (failed(formed))
        return failure();
    }
    dropDeadParams(func);
    return success();
  }

private:
  /// Puts `op` in the place of `old`, on the same device.
  template <typename Old, typename New> LogicalResult replace(Old old, New op) {
    if (device)
      op->setAttr("device", device);
    old->replaceAllUsesWith(op->getResults());
    old->erase();
    return success();
  }

  /// Encodings belong to symbols, so that entries cannot disagree; null after an error.
  enc::Encoding encodingOf(Operation *op, Value weight) {
    model::WeightOp symbol = model::weightOf(weight);
    if (!symbol || !symbol.getEncAttr()) {
      op->emitError() << "at '" << model::anchorOf(op->getLoc()) << "': expected a weight with an encoding";
      return {};
    }
    return symbol.getEncAttr();
  }

  LogicalResult formOp(model::EmbedOp op) {
    enc::Encoding enc = encodingOf(op, op.getTable());
    if (!enc)
      return failure();
    return replace(op, tile::EmbedOp::create(builder, loc, op.getType(), op.getTable(), op.getTokens(),
                                             op.getPositions(), op.getPos(), builder.getStringAttr(enc.getSpelling()),
                                             builder.getI64IntegerAttr(enc.getGroupSize()), op.getScaleAttr(), {}, {}));
  }

  /// The quantization that alone reads `value` on the same device, or null.
  enc::QuantizeOp onlyQuantize(Value value) {
    if (!value.hasOneUse())
      return {};
    auto quantize = dyn_cast<enc::QuantizeOp>(*value.getUsers().begin());
    return quantize && quantize->getAttr("device") == device ? quantize : enc::QuantizeOp();
  }

  /// A norm that is only read by a quantization writes codes itself: the float row is never stored.
  template <typename Op> LogicalResult formNorm(Op op, model::NormKind kind, Value bias, Value residual, Type sumType) {
    Type outType = op.getResult().getType();
    int64_t group = 0;
    enc::QuantizeOp quantize = onlyQuantize(op.getResult());
    if (quantize) {
      outType = quantize.getResult().getType();
      group = groupOf(outType);
    }
    auto norm =
        tile::NormOp::create(builder, loc, sumType, outType, op.getInput(), op.getWeight(), bias, residual,
                             op.getEpsAttr(), builder.getStringAttr(model::stringifyNormKind(kind)),
                             builder.getStringAttr(group ? "a8" : "f32"), builder.getI64IntegerAttr(group), device, {});
    if (quantize)
      quantize.getResult().replaceAllUsesWith(norm.getY()); // now dead, goes when its turn comes
    op.getResult().replaceAllUsesWith(norm.getY());
    if (sumType)
      op->getResult(0).replaceAllUsesWith(norm.getSum());
    op->erase();
    return success();
  }
  LogicalResult formOp(model::RMSNormOp op) { return formNorm(op, model::NormKind::rms, {}, {}, {}); }
  LogicalResult formOp(model::AddRMSNormOp op) {
    return formNorm(op, model::NormKind::rms, {}, op.getResidual(), op.getSum().getType());
  }
  LogicalResult formOp(model::LayerNormOp op) { return formNorm(op, model::NormKind::layer, op.getBias(), {}, {}); }
  LogicalResult formOp(model::AddLayerNormOp op) {
    return formNorm(op, model::NormKind::layer, op.getBias(), op.getResidual(), op.getSum().getType());
  }

  static int64_t groupOf(Type type) {
    auto a8 = dyn_cast<enc::A8Type>(cast<RankedTensorType>(type).getElementType());
    return a8 ? a8.getGroup() : 0;
  }

  LogicalResult formOp(enc::QuantizeOp op) {
    if (op->use_empty()) {
      op.erase();
      return success();
    }
    return replace(op, tile::QuantizeOp::create(builder, loc, op.getResult().getType(), op.getInput(),
                                                builder.getI64IntegerAttr(groupOf(op.getResult().getType())), {}, {}));
  }

  /// One row is a gemv in every entry, so that decoding never pays for the loop over rows.
  LogicalResult formOp(model::LinearOp op) {
    enc::Encoding enc = encodingOf(op, op.getWeight());
    if (!enc)
      return failure();
    auto create = [&](auto kind) {
      using Op = decltype(kind);
      return replace(op, Op::create(builder, loc, op.getResult().getType(), op.getWeight(), op.getInput(), op.getBias(),
                                    op.getRoute(), op.getResidual(), builder.getStringAttr(enc.getSpelling()),
                                    builder.getI64IntegerAttr(enc.getGroupSize()),
                                    builder.getStringAttr(model::stringifyActivation(op.getAct())), op.getGatedAttr(),
                                    op.getSoftcapAttr(), op.getSlotAttr(), op.getWeightedAttr(), device, {}));
    };
    bool oneRow = cast<RankedTensorType>(op.getResult().getType()).getDimSize(0) == 1;
    return oneRow ? create(tile::GemvOp()) : create(tile::GemmOp());
  }

  LogicalResult formOp(model::RouteOp op) {
    return replace(op, tile::RouteOp::create(builder, loc, op.getResult().getType(), op.getScores(), op.getTopAttr(),
                                             op.getNormaliseAttr(), device, {}));
  }

  /// Two launches with a barrier between them: every row attends to what all rows have appended.
  LogicalResult formOp(model::CachedAttentionOp op) {
    auto cache = symbols.lookup<model::KVCacheOp>(op.getCache());
    if (!cache || !cache.getKTypeAttr())
      return op.emitError() << "at '" << model::anchorOf(loc) << "': expected a cache with types";
    // The cache has whole tiles of 32 positions.
    IntegerAttr context = builder.getI64IntegerAttr(tile::pad32(cache.getContext()));
    StringAttr kType = builder.getStringAttr(cache.getKTypeAttr().getSpelling());
    StringAttr vType = builder.getStringAttr(cache.getVTypeAttr().getSpelling());
    StringAttr qkNorm =
        op.getQkNorm() ? builder.getStringAttr(model::stringifyNormKind(*op.getQkNorm())) : StringAttr();
    FloatAttr eps = op.getEps() && !op.getEps()->isZero() ? op.getEpsAttr() : FloatAttr();
    SmallVector<Value> factors;
    for (Value factor : {op.getTable(), op.getQNorm(), op.getQBias(), op.getKNorm(), op.getKBias()})
      if (factor)
        factors.push_back(factor);
    auto rope = tile::RopeAppendOp::create(
        builder, ropeLoc(), op.getQkv().getType(), op.getQkv(), factors, op.getPos(), op.getCacheAttr(),
        op.getHeadsAttr(), op.getKvHeadsAttr(), op.getHeadDimAttr(), op.getRotaryAttr(), context, kType, vType, qkNorm,
        op.getQSpanAttr(), op.getKSpanAttr(), eps, op.getQBias() ? builder.getBoolAttr(true) : BoolAttr(), device, {});
    IntegerAttr window = op.getWindow() ? op.getWindowAttr() : IntegerAttr();
    FloatAttr softcap = op.getSoftcap().isZero() ? FloatAttr() : op.getSoftcapAttr();
    BoolAttr causal = op.getCausal() ? BoolAttr() : op.getCausalAttr();
    return replace(op, tile::AttendOp::create(builder, loc, op.getResult().getType(), rope.getOut(), op.getPos(),
                                              op.getCacheAttr(), op.getHeadsAttr(), op.getKvHeadsAttr(),
                                              op.getHeadDimAttr(), context, kType, vType, op.getScaleAttr(), window,
                                              softcap, causal, device, {}));
  }
  /// "layers.0.attn" gives "layers.0.attn.rope": the append is a step of its own in profiles.
  Location ropeLoc() { return model::anchored((model::anchorOf(loc) + ".rope").str(), {loc}); }

  LogicalResult formOp(model::AddOp op) {
    return replace(op, tile::AddOp::create(builder, loc, op.getResult().getType(), op.getLhs(), op.getRhs(), {}, {}));
  }

  LogicalResult formOp(model::TransferOp op) {
    return replace(op, tile::TransferOp::create(builder, loc, op.getResult().getType(), op.getInput(), op.getFromAttr(),
                                                op.getToAttr()));
  }

  void dropDeadParams(func::FuncOp func) {
    for (auto param : llvm::make_early_inc_range(func.getOps<model::ParamOp>()))
      if (param.use_empty())
        param.erase();
  }

  SymbolTable &symbols;
  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  IntegerAttr device;
};

struct FormKernels : tile::impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && failed(KernelFormer(symbols).form(func)))
        return signalPassFailure();
  }
};
} // namespace
