#include "dialects/model/Model.h"
#include "dialects/Verify.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace headrace;
using namespace headrace::model;

#include "dialects/model/ModelDialect.cpp.inc"
#include "dialects/model/ModelEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/model/ModelAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/model/ModelOps.cpp.inc"

void ModelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/model/ModelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/model/ModelOps.cpp.inc"
      >();
}

static int64_t rowsOf(Value value) { return cast<RankedTensorType>(value.getType()).getDimSize(0); }
static int64_t colsOf(Value value) { return cast<RankedTensorType>(value.getType()).getDimSize(1); }
static int64_t sizeOf(Value value) { return cast<RankedTensorType>(value.getType()).getDimSize(0); }

/// The numbers of rows of two values agree: both dynamic, or equal.
static LogicalResult sameRows(Operation *op, StringRef rule, Value a, Value b) {
  if (rowsOf(a) == rowsOf(b))
    return success();
  return op->emitOpError() << rule << ": expected the rows of " << a.getType() << ", found " << b.getType();
}

//===-- anchors
//-------------------------------------------------------------------------------------------------------------===//

StringRef model::anchorOf(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().getValue();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef anchor = anchorOf(part); !anchor.empty())
        return anchor;
  return {};
}

StringRef model::anchorOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  Location location = result.getOwner()->getLoc();
  if (result.getOwner()->getNumResults() > 1)
    if (auto name = dyn_cast<NameLoc>(location))
      if (auto parts = dyn_cast<FusedLoc>(name.getChildLoc()))
        if (result.getResultNumber() < parts.getLocations().size())
          return anchorOf(parts.getLocations()[result.getResultNumber()]);
  return anchorOf(location);
}

Location model::anchored(StringRef anchor, ArrayRef<Location> parts) {
  MLIRContext *context = parts.front().getContext();
  return NameLoc::get(StringAttr::get(context, anchor), FusedLoc::get(context, parts));
}

//===-- symbols
//-------------------------------------------------------------------------------------------------------------===//

WeightOp model::lookupWeight(Operation *from, FlatSymbolRefAttr symbol) {
  return SymbolTable::lookupNearestSymbolFrom<WeightOp>(from, symbol);
}

WeightOp model::weightOf(Value value) {
  auto param = value.getDefiningOp<ParamOp>();
  return param ? lookupWeight(param, param.getWeightAttr()) : WeightOp();
}

LogicalResult WeightOp::verify() {
  for (Operation &op : getRecipe().front())
    if (!isa<recipe::RecipeDialect>(op.getDialect()))
      return violated(*this, "C1", "a recipe of", "recipe ops", op.getName());
  auto yield = getRecipe().front().empty() ? recipe::YieldOp() : dyn_cast<recipe::YieldOp>(getRecipe().front().back());
  if (!yield)
    return violated(*this, "C1", "a recipe that ends in", "recipe.yield", "none");
  if (failed(expectEqual<Type>(*this, "C1", "a recipe that yields", getType(), yield.getValue().getType())))
    return failure();
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isF32())
    return violated(*this, "C2", "a static tensor of", "f32", getType());
  if (getEnc() && getEnc()->getGroupSize() != 0 && type.getRank() != 2)
    return violated(*this, "C3", "two dimensions for " + getEnc()->getSpelling() + ",", "rank 2", type);
  if (static_cast<int32_t>(getDevice().value_or(0)) < 0 || static_cast<int64_t>(getOffset().value_or(0)) < 0 ||
      static_cast<int64_t>(getBytes().value_or(0)) < 0)
    return violated(*this, "C4", "device, offset and bytes of at least", 0, "a negative one");
  return success();
}

LogicalResult KVCacheOp::verify() {
  for (int64_t value : {getKvHeads(), getHeadDim(), getContext()})
    if (value < 1)
      return violated(*this, "C1", "kv_heads, head_dim and context of at least", 1, value);
  if (getKType().has_value() != getVType().has_value())
    return violated(*this, "C2", "both k_type and v_type", "or neither", "one");
  return success();
}

LogicalResult ParamOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto weight = symbols.lookupNearestSymbolFrom<WeightOp>(*this, getWeightAttr());
  if (!weight)
    return violated(*this, "C1", "a model.weight named", getWeightAttr(), "none");
  return expectEqual<Type>(*this, "C2", "the weight's type", weight.getType(), getResult().getType());
}

//===-- ops on rows
//---------------------------------------------------------------------------------------------------------===//

LogicalResult EmbedOp::verify() {
  if (failed(sameRows(*this, "C1", getTokens(), getResult())))
    return failure();
  if (failed(expectEqual(*this, "C2", "columns", colsOf(getTable()), colsOf(getResult()))))
    return failure();
  if (bool(getPositions()) != bool(getPos()))
    return violated(*this, "C3", "both positions and pos", "or neither", "one");
  if (getPositions() &&
      failed(expectEqual(*this, "C3", "columns of the positions", colsOf(getResult()), colsOf(getPositions()))))
    return failure();
  if (!getScale().isFiniteNonZero())
    return violated(*this, "C4", "a finite scale other than", 0, getScaleAttr());
  return success();
}

/// A cap of `rule`: finite, and 0 (none) or more.
static LogicalResult verifySoftcap(Operation *op, StringRef rule, FloatAttr softcap) {
  if (softcap.getValue().isFinite() && softcap.getValueAsDouble() >= 0)
    return success();
  return violated(op, rule, "a finite softcap of at least", 0, softcap);
}

/// C7 of a linear.
static LogicalResult verifyRoute(LinearOp op) {
  auto slot = static_cast<int64_t>(op.getSlot());
  if (!op.getRoute())
    return slot == 0 && !op.getWeighted() ? success()
                                          : violated(op, "C7", "neither slot nor weighted", "without a route", "one");
  if (failed(sameRows(op, "C7", op.getInput(), op.getRoute())))
    return failure();
  if (op.getBias())
    return violated(op, "C7", "no bias with", "a route", "one");
  int64_t columns = colsOf(op.getRoute());
  if (columns % 2 != 0 || slot < 0 || slot >= columns / 2)
    return violated(op, "C7", "two columns a choice, and a slot below", columns / 2, slot);
  return success();
}

LogicalResult LinearOp::verify() {
  if (failed(sameRows(*this, "C1", getInput(), getResult())) ||
      failed(expectEqual(*this, "C2", "weight columns", colsOf(getInput()), colsOf(getWeight()))))
    return failure();
  int64_t n = colsOf(getResult());
  int64_t weightRows = getGated() ? 2 * padTo(n, kGateTile) : n;
  if (getRoute()) {
    weightRows = (getGated() ? 2 : 1) * padTo(n, kGateTile);
    if (rowsOf(getWeight()) % weightRows != 0)
      return violated(*this, "C3", "weight rows in multiples of", weightRows, rowsOf(getWeight()));
  } else if (failed(expectEqual(*this, "C3", getGated() ? "gated weight rows" : "weight rows", weightRows,
                                rowsOf(getWeight()))))
    return failure();
  if (getBias() && failed(expectEqual(*this, "C4", "bias elements", weightRows, sizeOf(getBias()))))
    return failure();
  if (getResidual() &&
      failed(expectEqual(*this, "C5", "a residual of type", getResult().getType(), getResidual().getType())))
    return failure();
  return failed(verifySoftcap(*this, "C6", getSoftcapAttr())) ? failure() : verifyRoute(*this);
}

LogicalResult RouteOp::verify() {
  if (failed(sameRows(*this, "C1", getScores(), getResult())))
    return failure();
  auto top = static_cast<int64_t>(getTop());
  if (top < 1 || top > colsOf(getScores()))
    return violated(*this, "C2", "a top of 1 to", colsOf(getScores()), top);
  return expectEqual(*this, "C3", "columns of the result", 2 * top, colsOf(getResult()));
}

template <typename Norm> static LogicalResult verifyNorm(Norm op) {
  if (failed(expectEqual(op, "C1", "weight elements", colsOf(op.getInput()), sizeOf(op.getWeight()))))
    return failure();
  if (!(op.getEps().convertToFloat() >= 0))
    return violated(op, "C2", "eps of at least", 0, op.getEpsAttr());
  return success();
}

LogicalResult RMSNormOp::verify() { return verifyNorm(*this); }
LogicalResult AddRMSNormOp::verify() { return verifyNorm(*this); }

/// C1 to C4 of a norm with an optional bias: all rows that it reads and writes have one type.
template <typename Norm> static LogicalResult verifyBiasedNorm(Norm op, ValueRange rows) {
  if (failed(verifyNorm(op)))
    return failure();
  if (op.getBias() && failed(expectEqual(op, "C3", "bias elements", colsOf(op.getInput()), sizeOf(op.getBias()))))
    return failure();
  for (Value value : rows)
    if (failed(expectEqual<Type>(op, "C4", "rows of type", op.getInput().getType(), value.getType())))
      return failure();
  return success();
}

LogicalResult LayerNormOp::verify() { return verifyBiasedNorm(*this, getResult()); }
LogicalResult AddLayerNormOp::verify() { return verifyBiasedNorm(*this, {getResidual(), getSum(), getResult()}); }

LogicalResult HeadNormOp::verify() {
  if (failed(verifyBiasedNorm(*this, getResult())))
    return failure();
  auto span = static_cast<int64_t>(getSpan());
  if (span < 1 || colsOf(getInput()) % span != 0)
    return violated(*this, "C5", "a divisor of the columns", colsOf(getInput()), span);
  if (getBias() && getKind() == NormKind::rms)
    return violated(*this, "C6", "no bias with", "rms", "one");
  return success();
}

LogicalResult SoftcapOp::verify() {
  if (getCap().isFinite() && getCap().convertToFloat() > 0)
    return success();
  return violated(*this, "C1", "a finite cap greater than", 0, getCapAttr());
}

LogicalResult SplitOp::verify() {
  int64_t cols = 0;
  for (Value part : getParts()) {
    if (failed(sameRows(*this, "C1", getInput(), part)))
      return failure();
    cols += colsOf(part);
  }
  return expectEqual(*this, "C2", "columns of the results together", colsOf(getInput()), cols);
}

//===-- attention
//-----------------------------------------------------------------------------------------------------------===//

/// `rotary` fits `headDim`, and the table has its shape.
static LogicalResult verifyRotary(Operation *op, StringRef rotaryRule, StringRef tableRule, int64_t rotary,
                                  int64_t headDim, Value table) {
  if (rotary < 2 || rotary % 2 != 0 || rotary > headDim)
    return violated(op, rotaryRule, "an even rotary of 2 to", headDim, rotary);
  auto type = cast<RankedTensorType>(table.getType());
  auto expected = RankedTensorType::get({type.getDimSize(0), 2, rotary / 2}, type.getElementType());
  return expectEqual(op, tableRule, "a table of type", expected, type);
}

/// A window of `rule`: not negative, and none where every row sees every other.
template <typename Attention> static LogicalResult verifyWindow(Attention op, StringRef rule) {
  auto window = static_cast<int64_t>(op.getWindow());
  if (window < 0)
    return violated(op, rule, "a window of at least", 0, window);
  if (window != 0 && !op.getCausal())
    return violated(op, rule, "a window of", "0 unless causal", window);
  return success();
}

/// The heads are positive numbers that divide as grouped attention needs.
template <typename Attention> static LogicalResult verifyHeads(Attention op) {
  auto heads = static_cast<int64_t>(op.getHeads()), kvHeads = static_cast<int64_t>(op.getKvHeads());
  if (kvHeads < 1 || heads < 1 || static_cast<int64_t>(op.getHeadDim()) < 1 || heads % kvHeads != 0)
    return violated(op, "C1", "kv_heads to divide heads", heads, kvHeads);
  return success();
}

LogicalResult RopeOp::verify() {
  auto headDim = static_cast<int64_t>(getHeadDim());
  if (headDim < 1 || colsOf(getInput()) % headDim != 0)
    return violated(*this, "C1", "a divisor of the columns", colsOf(getInput()), headDim);
  return verifyRotary(*this, "C2", "C3", getRotary(), headDim, getTable());
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyHeads(*this)))
    return failure();
  int64_t headDim = getHeadDim(), heads = getHeads(), kvHeads = getKvHeads();
  if (failed(expectEqual(*this, "C2", "columns of q", heads * headDim, colsOf(getQ()))) ||
      failed(expectEqual(*this, "C2", "columns of k and v", kvHeads * headDim, colsOf(getK()))))
    return failure();
  if (failed(sameRows(*this, "C3", getQ(), getK())) || failed(verifyWindow(*this, "C4")))
    return failure();
  return verifySoftcap(*this, "C5", getSoftcapAttr());
}

/// C8: what belongs to the norms of query and key is there as a whole or not at all.
static LogicalResult verifyNormParts(CachedAttentionOp op) {
  bool norms = op.getQkNorm().has_value();
  for (bool part :
       {bool(op.getQNorm()), bool(op.getKNorm()), bool(op.getQSpan()), bool(op.getKSpan()), bool(op.getEpsAttr())})
    if (part != norms)
      return violated(op, "C8", "all of qk_norm, q_norm, k_norm, q_span, k_span and eps", "or none", "some");
  if (bool(op.getQBias()) != bool(op.getKBias()))
    return violated(op, "C8", "both q_bias and k_bias", "or neither", "one");
  if (op.getQBias() && (!norms || *op.getQkNorm() != NormKind::layer))
    return violated(op, "C8", "biases with qk_norm", "layer only", norms ? "rms" : "none");
  return success();
}

/// C9 for one of query and key, which has `cols` columns.
static LogicalResult verifyHeadNorm(CachedAttentionOp op, StringRef which, int64_t cols, Value weight, Value bias,
                                    int64_t span) {
  if (failed(expectEqual(op, "C9", which + "_norm elements", cols, sizeOf(weight))) ||
      (bias && failed(expectEqual(op, "C9", which + "_bias elements", cols, sizeOf(bias)))))
    return failure();
  if (span < 1 || cols % span != 0)
    return violated(op, "C9", which + "_span to divide", cols, span);
  return success();
}

static LogicalResult verifyHeadNorms(CachedAttentionOp op) {
  if (failed(verifyNormParts(op)))
    return failure();
  if (!op.getQkNorm())
    return success();
  auto headDim = static_cast<int64_t>(op.getHeadDim());
  if (failed(verifyHeadNorm(op, "q", op.getHeads() * headDim, op.getQNorm(), op.getQBias(), *op.getQSpan())) ||
      failed(verifyHeadNorm(op, "k", op.getKvHeads() * headDim, op.getKNorm(), op.getKBias(), *op.getKSpan())))
    return failure();
  if (!(op.getEps()->convertToFloat() >= 0))
    return violated(op, "C9", "eps of at least", 0, op.getEpsAttr());
  return success();
}

LogicalResult CachedAttentionOp::verify() {
  if (failed(verifyHeads(*this)))
    return failure();
  int64_t headDim = getHeadDim(), heads = getHeads(), kvHeads = getKvHeads();
  if (failed(expectEqual(*this, "C2", "input columns", (heads + 2 * kvHeads) * headDim, colsOf(getQkv()))) ||
      failed(expectEqual(*this, "C2", "result columns", heads * headDim, colsOf(getResult()))) ||
      failed(sameRows(*this, "C3", getQkv(), getResult())))
    return failure();
  if (!getTable() && getRotary() != 0)
    return violated(*this, "C4", "a table for rotary", getRotary(), "none");
  if (getTable() && failed(verifyRotary(*this, "C4", "C4", getRotary(), headDim, getTable())))
    return failure();
  if (failed(verifyWindow(*this, "C6")) || failed(verifySoftcap(*this, "C7", getSoftcapAttr())))
    return failure();
  return verifyHeadNorms(*this);
}

LogicalResult CachedAttentionOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto cache = symbols.lookupNearestSymbolFrom<KVCacheOp>(*this, getCacheAttr());
  if (!cache)
    return violated(*this, "C5", "a model.kv_cache named", getCacheAttr(), "none");
  if (failed(expectEqual(*this, "C5", "kv_heads of the cache", getKvHeads(), cache.getKvHeads())) ||
      failed(expectEqual(*this, "C5", "head_dim of the cache", getHeadDim(), cache.getHeadDim())))
    return failure();
  if (!getTable())
    return success();
  int64_t positions = cast<RankedTensorType>(getTable().getType()).getDimSize(0);
  if (positions < static_cast<int64_t>(cache.getContext()))
    return violated(*this, "C5", "a table of at least the context's positions", cache.getContext(), positions);
  return success();
}

//===-- devices
//-------------------------------------------------------------------------------------------------------------===//

LogicalResult TransferOp::verify() {
  auto from = static_cast<int32_t>(getFrom()), to = static_cast<int32_t>(getTo());
  if (from < 0 || to < 0 || from == to)
    return emitOpError() << "C1: expected two different devices, found " << from << " and " << to;
  return success();
}
