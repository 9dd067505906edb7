// hr-verify-tile: see Passes.td.
#include "dialects/enc/Enc.h"
#include "dialects/model/Model.h"
#include "dialects/tile/Tile.h"
#include "passes/tile/Passes.h"

namespace headrace::tile {
#define GEN_PASS_DEF_VERIFYTILE
#include "passes/tile/Passes.h.inc"
} // namespace headrace::tile

using namespace mlir;
using namespace headrace;

namespace {
struct VerifyTile : tile::impl::VerifyTileBase<VerifyTile> {
  using VerifyTileBase::VerifyTileBase;

  /// The group of A8 rows, 0 for float rows.
  static int64_t a8Group(Value value) {
    auto a8 = dyn_cast<enc::A8Type>(cast<RankedTensorType>(value.getType()).getElementType());
    return a8 ? a8.getGroup() : 0;
  }

  /// Rows are the first dimension of everything but weights.
  LogicalResult checkRows(Operation *op, int64_t rows) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()); type && type.getDimSize(0) != rows)
        return op->emitError() << "expected values of " << rows << " rows, found " << type;
    return success();
  }

  /// The symbol decides; what the operation repeats for its kernel must agree.
  LogicalResult checkWeights(Operation *op) {
    auto embed = dyn_cast<tile::EmbedOp>(op);
    for (Value operand : op->getOperands()) {
      auto param = operand.getDefiningOp<model::ParamOp>();
      if (!param)
        continue;
      model::WeightOp weight = model::weightOf(operand);
      if (!weight || !weight.getEncAttr() || !weight.getLayoutAttr())
        return op->emitError() << "weight '" << param.getWeight() << "': expected an encoding and a layout";
      if (weight.getTensorType().getRank() != 2)
        continue;
      if (embed && operand == embed.getPositions()) {
        if (weight.getLayout() != "rows")
          return op->emitError() << "positions '" << param.getWeight() << "': expected layout rows, found "
                                 << *weight.getLayout();
        continue;
      }
      if (*weight.getLayout() == "rows")
        return op->emitError() << "weight '" << param.getWeight() << "': expected the layout of a matrix, found rows";
      auto enc = op->getAttrOfType<StringAttr>("enc");
      auto group = op->getAttrOfType<IntegerAttr>("group");
      if (!enc || enc.getValue() != weight.getEncAttr().getSpelling() ||
          (group ? group.getInt() : 0) != weight.getEncAttr().getGroupSize())
        return op->emitError() << "weight '" << param.getWeight() << "': expected encoding "
                               << weight.getEncAttr().getSpelling() << " in groups of "
                               << weight.getEncAttr().getGroupSize() << ", found another on the operation";
    }
    return success();
  }

  /// Scales multiply group by group, so codes of activation and weight are cut alike; floats meet any weight.
  template <typename Op> LogicalResult checkActivations(Op op) {
    int64_t expected = static_cast<int64_t>(op.getGroup()), found = a8Group(op.getX());
    if (found != 0 && expected != found)
      return op.emitError() << "expected x in A8 groups of " << expected << " (0: float), found " << found;
    return success();
  }

  /// Every entry reads what the others appended: one cache, one set of parameters.
  template <typename Op> LogicalResult checkCache(Op op, SymbolTable &symbols) {
    auto cache = symbols.lookup<model::KVCacheOp>(op.getCache());
    if (!cache)
      return op.emitError() << "expected a cache '" << op.getCache() << "'";
    bool agrees = cache.getKTypeAttr() && cache.getKTypeAttr().getSpelling() == op.getKType() &&
                  cache.getVTypeAttr().getSpelling() == op.getVType() &&
                  tile::pad32(cache.getContext()) == static_cast<int64_t>(op.getContext()) &&
                  cache.getKvHeads() == op.getKvHeads() && cache.getHeadDim() == op.getHeadDim();
    return agrees ? success()
                  : op.emitError() << "expected the parameters of cache '" << op.getCache() << "', found others";
  }

  LogicalResult checkOperation(Operation *op, int64_t rows, SymbolTable &symbols) {
    if (isa<model::ParamOp, func::ReturnOp>(op))
      return success();
    if (!isa<tile::KernelOpInterface, tile::TransferOp>(op))
      return op->emitError() << "expected a tile operation, found '" << op->getName() << "'";
    if (failed(checkRows(op, rows)) || failed(checkWeights(op)))
      return failure();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<tile::GemvOp, tile::GemmOp>([&](auto matmul) { return checkActivations(matmul); })
        .Case<tile::RopeAppendOp, tile::AttendOp>([&](auto user) { return checkCache(user, symbols); })
        .Case([&](tile::QuantizeOp q) -> LogicalResult {
          if (a8Group(q.getOut()) == static_cast<int64_t>(q.getGroup()))
            return success();
          return q.emitError() << "expected a result in A8 groups of " << q.getGroup() << ", found "
                               << q.getOut().getType();
        })
        .Case([&](tile::NormOp n) -> LogicalResult {
          if (a8Group(n.getY()) == static_cast<int64_t>(n.getGroup()))
            return success();
          return n.emitError() << "expected a result in A8 groups of " << n.getGroup() << ", found "
                               << n.getY().getType();
        })
        .Default([](Operation *) { return success(); });
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      auto rows = func->getAttrOfType<IntegerAttr>("tile.rows");
      if (!rows) {
        func.emitError() << "expected 'tile.rows' on entry '" << func.getSymName() << "'";
        return signalPassFailure();
      }
      for (Operation &op : func.getOps())
        if (failed(checkOperation(&op, rows.getInt(), symbols)))
          return signalPassFailure();
    }
  }
};
} // namespace
