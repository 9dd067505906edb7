// Dialect `tile`: family, parameters and operands of each operation, in the terms of runtime/abi/README.md.
#include "dialects/tile/Tile.h"

using namespace mlir;
using namespace headrace::tile;

namespace {
/// Collects the parameters of a kernel, in any order; a dictionary sorts them.
class Params {
public:
  explicit Params(Operation *op) : builder(op->getContext()) {}
  Params &add(StringRef key, int64_t value) { return addAttr(key, builder.getI64IntegerAttr(value)); }
  Params &add(StringRef key, StringRef value) { return addAttr(key, builder.getStringAttr(value)); }
  Params &flag(StringRef key, bool value) { return addAttr(key, builder.getBoolAttr(value)); }
  Params &addAttr(StringRef key, Attribute value) {
    attrs.push_back(builder.getNamedAttr(key, value));
    return *this;
  }
  /// A parameter that is left out when it is neutral: null, or false.
  Params &maybe(StringRef key, Attribute value) { return value ? addAttr(key, value) : *this; }
  Params &maybeFlag(StringRef key, bool value) { return value ? flag(key, value) : *this; }
  /// The attribute, or null where it has the neutral value.
  FloatAttr unless(float neutral, FloatAttr value) {
    return value == builder.getF32FloatAttr(neutral) ? FloatAttr() : value;
  }
  IntegerAttr unlessZero(int64_t value) { return value ? builder.getI64IntegerAttr(value) : IntegerAttr(); }
  DictionaryAttr get() { return builder.getDictionaryAttr(attrs); }

private:
  Builder builder;
  SmallVector<NamedAttribute> attrs;
};

/// The size of dimension `index`, or 0 for a type that the verifier is about to refuse.
int64_t dim(Value value, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && index < type.getRank() ? type.getDimSize(index) : 0;
}

KernelOperand of(Value value) { return {KernelOperand::Value, value, {}}; }

/// Values in order, without the absent ones.
SmallVector<KernelOperand> ofAll(ArrayRef<Value> values) {
  SmallVector<KernelOperand> operands;
  for (Value value : values)
    if (value)
      operands.push_back(of(value));
  return operands;
}

/// "f32" where a quantized weight meets floats, else null.
template <typename Op> StringAttr floatRows(Op op) {
  auto type = dyn_cast<RankedTensorType>(op.getX().getType());
  bool floats = op.getGroup() != 0 && type && type.getElementType().isF32();
  return floats ? StringAttr::get(op.getContext(), "f32") : StringAttr();
}

/// Experts in the weight; 0 without a route.
template <typename Op> int64_t expertsOf(Op op) {
  int64_t one = (op.getGated() ? 2 : 1) * pad32(dim(op.getOut(), 1));
  return op.getRoute() && one ? dim(op.getWeight(), 0) / one : 0;
}

template <typename Op> DictionaryAttr matmulParams(Op op) {
  Params params(op);
  return params.add("enc", op.getEnc())
      .add("group", static_cast<int64_t>(op.getGroup()))
      .add("n", dim(op.getOut(), 1))
      .add("k", dim(op.getWeight(), 1))
      .flag("bias", bool(op.getBias()))
      .add("act", op.getAct())
      .flag("gated", op.getGated())
      .flag("residual", bool(op.getResidual()))
      .maybe("softcap", params.unless(0.0f, op.getSoftcapAttr()))
      .maybe("x", floatRows(op))
      .maybe("experts", params.unlessZero(expertsOf(op)))
      .maybe("top", params.unlessZero(op.getRoute() ? dim(op.getRoute(), 1) / 2 : 0))
      .maybeFlag("weighted", op.getWeighted())
      .get();
}

template <typename Op> SmallVector<KernelOperand> matmulOperands(Op op) {
  SmallVector<KernelOperand> operands =
      ofAll({op.getWeight(), op.getBias(), op.getX(), op.getRoute(), op.getResidual(), op.getOut()});
  for (KernelOperand &operand : operands)
    if (op.getRoute() && operand.value == op.getRoute())
      operand.offset = 4 * static_cast<int64_t>(op.getSlot());
  return operands;
}
} // namespace

StringRef EmbedOp::getKernelFamily() { return "embed"; }
DictionaryAttr EmbedOp::getKernelParams() {
  Params params(*this);
  return params.add("enc", getEnc())
      .add("group", static_cast<int64_t>(getGroup()))
      .add("n", dim(getTable(), 0))
      .add("k", dim(getTable(), 1))
      .maybeFlag("positions", bool(getPositions()))
      .maybe("scale", params.unless(1.0f, getScaleAttr()))
      .get();
}
SmallVector<KernelOperand> EmbedOp::getKernelOperands() {
  return ofAll({getTable(), getPositions(), getTokens(), getOut()});
}

StringRef NormOp::getKernelFamily() { return "norm"; }
DictionaryAttr NormOp::getKernelParams() {
  return Params(*this)
      .add("cols", dim(getX(), 1))
      .addAttr("eps", getEpsAttr())
      .flag("residual", bool(getResidual()))
      .add("out", getOut())
      .add("group", static_cast<int64_t>(getGroup()))
      .maybe("kind", getKind() == "rms" ? Attribute() : getKindAttr())
      .maybeFlag("bias", bool(getBias()))
      .get();
}
SmallVector<KernelOperand> NormOp::getKernelOperands() {
  return ofAll({getX(), getResidual(), getWeight(), getBias(), getSum(), getY()});
}

StringRef QuantizeOp::getKernelFamily() { return "quantize"; }
DictionaryAttr QuantizeOp::getKernelParams() {
  return Params(*this).add("cols", dim(getX(), 1)).add("group", static_cast<int64_t>(getGroup())).get();
}
SmallVector<KernelOperand> QuantizeOp::getKernelOperands() { return ofAll({getX(), getOut()}); }

StringRef GemvOp::getKernelFamily() { return "gemv"; }
DictionaryAttr GemvOp::getKernelParams() { return matmulParams(*this); }
SmallVector<KernelOperand> GemvOp::getKernelOperands() { return matmulOperands(*this); }

StringRef GemmOp::getKernelFamily() { return "gemm"; }
DictionaryAttr GemmOp::getKernelParams() { return matmulParams(*this); }
SmallVector<KernelOperand> GemmOp::getKernelOperands() { return matmulOperands(*this); }

StringRef RouteOp::getKernelFamily() { return "route"; }
DictionaryAttr RouteOp::getKernelParams() {
  return Params(*this)
      .add("experts", dim(getScores(), 1))
      .add("top", static_cast<int64_t>(getTop()))
      .flag("normalise", getNormalise())
      .get();
}
SmallVector<KernelOperand> RouteOp::getKernelOperands() { return ofAll({getScores(), getOut()}); }

StringRef RopeAppendOp::getKernelFamily() { return "rope_append"; }
DictionaryAttr RopeAppendOp::getKernelParams() {
  return Params(*this)
      .addAttr("heads", getHeadsAttr())
      .addAttr("kv_heads", getKvHeadsAttr())
      .addAttr("head_dim", getHeadDimAttr())
      .addAttr("rotary", getRotaryAttr())
      .addAttr("context", getContextAttr())
      .addAttr("k_type", getKTypeAttr())
      .addAttr("v_type", getVTypeAttr())
      .maybe("qk_norm", getQkNormAttr())
      .maybe("q_span", getQSpanAttr())
      .maybe("k_span", getKSpanAttr())
      .maybe("eps", getEpsAttr())
      .maybe("qk_bias", getQkBiasAttr())
      .get();
}
SmallVector<KernelOperand> RopeAppendOp::getKernelOperands() {
  SmallVector<KernelOperand> operands = ofAll({getOut()});
  for (Value factor : getFactors())
    operands.push_back(of(factor));
  operands.push_back({KernelOperand::KCache, {}, getCacheAttr()});
  operands.push_back({KernelOperand::VCache, {}, getCacheAttr()});
  return operands;
}

StringRef AttendOp::getKernelFamily() { return "attend"; }
DictionaryAttr AttendOp::getKernelParams() {
  return Params(*this)
      .addAttr("heads", getHeadsAttr())
      .addAttr("kv_heads", getKvHeadsAttr())
      .addAttr("head_dim", getHeadDimAttr())
      .addAttr("context", getContextAttr())
      .addAttr("k_type", getKTypeAttr())
      .addAttr("v_type", getVTypeAttr())
      .addAttr("scale", getScaleAttr())
      .maybe("window", getWindowAttr())
      .maybe("softcap", getSoftcapAttr())
      .maybe("causal", getCausalAttr())
      .get();
}
SmallVector<KernelOperand> AttendOp::getKernelOperands() {
  return {of(getQkv()),
          {KernelOperand::KCache, {}, getCacheAttr()},
          {KernelOperand::VCache, {}, getCacheAttr()},
          of(getOut())};
}

StringRef AddOp::getKernelFamily() { return "add"; }
DictionaryAttr AddOp::getKernelParams() { return Params(*this).add("cols", dim(getA(), 1)).get(); }
SmallVector<KernelOperand> AddOp::getKernelOperands() { return ofAll({getA(), getB(), getOut()}); }
