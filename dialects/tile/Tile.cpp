// Dialect `tile`: registration and verifiers. Constraint numbers are those of Tile.td.
#include "dialects/tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace headrace::tile;

#include "dialects/tile/TileDialect.cpp.inc"
#include "dialects/tile/TileInterfaces.cpp.inc"
#include "dialects/tile/TileOpInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.cpp.inc"

static ParseResult parseIndex(OpAsmParser &parser, IntegerAttr &attr) {
  int32_t value;
  if (parser.parseInteger(value))
    return failure();
  attr = parser.getBuilder().getI32IntegerAttr(value);
  return success();
}
static void printIndex(OpAsmPrinter &printer, Operation *, IntegerAttr attr) { printer << attr.getInt(); }

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileOps.cpp.inc"
      >();
}

LogicalResult SharedAttr::verifySchedule(Operation *) const { return success(); }

LogicalResult headrace::tile::verifyKernelOp(Operation *op) {
  auto kernel = cast<KernelOpInterface>(op);
  const Family *family = lookupFamily(kernel.getKernelFamily());
  if (!family)
    return op->emitOpError() << "unknown kernel family '" << kernel.getKernelFamily() << "'";
  if (failed(verifyParams(*family, kernel.getKernelParams(), [&] { return op->emitOpError(); })))
    return failure();
  if (auto schedule = op->getAttrOfType<ScheduleAttrInterface>("schedule"))
    return schedule.verifySchedule(op);
  return success();
}

namespace {
ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Checks a shape; `what` names the operand and `rule` the constraint.
LogicalResult expectShape(Operation *op, Value value, ArrayRef<int64_t> shape, StringRef what, StringRef rule) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.getShape() == shape)
    return success();
  InFlightDiagnostic diag = op->emitOpError() << "(" << rule << ") expected " << what << " of shape [";
  llvm::interleaveComma(shape, diag);
  return diag << "], found " << value.getType();
}

/// Rank checks come first so that the shape checks may index.
LogicalResult expectRank(Operation *op, Value value, int64_t rank, StringRef what) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.getRank() == rank)
    return success();
  return op->emitOpError() << "expected " << what << " of rank " << rank << ", found " << value.getType();
}

/// (C5)
template <typename Op> LogicalResult verifyRoute(Op op) {
  auto slot = static_cast<int64_t>(op.getSlot());
  if (!op.getRoute()) {
    if (slot == 0 && !op.getWeighted())
      return success();
    return op.emitOpError() << "(C5) expected slot 0 and nothing weighted without a route";
  }
  if (op.getBias())
    return op.emitOpError() << "(C5) expected no bias with a route";
  if (failed(expectRank(op, op.getRoute(), 2, "a route")))
    return failure();
  int64_t columns = shapeOf(op.getRoute())[1];
  if (failed(expectShape(op, op.getRoute(), {shapeOf(op.getX())[0], columns}, "a route", "C5")))
    return failure();
  if (columns % 2 != 0 || slot < 0 || slot >= columns / 2)
    return op.emitOpError() << "(C5) expected two columns a choice and a slot below " << columns / 2 << ", found "
                            << slot;
  return success();
}

template <typename Op> LogicalResult verifyMatmul(Op op) {
  if (failed(expectRank(op, op.getX(), 2, "x")) || failed(expectRank(op, op.getWeight(), 2, "a weight")) ||
      failed(expectRank(op, op.getOut(), 2, "a result")))
    return failure();
  int64_t rows = shapeOf(op.getX())[0], k = shapeOf(op.getX())[1], n = shapeOf(op.getOut())[1];
  int64_t weightRows = op.getGated() ? 2 * pad32(n) : n;
  if (op.getRoute()) {
    int64_t one = (op.getGated() ? 2 : 1) * pad32(n), all = shapeOf(op.getWeight())[0];
    weightRows = std::max<int64_t>(1, all / one) * one; // experts
  }
  if (failed(expectShape(op, op.getWeight(), {weightRows, k}, "a weight", "C2")) ||
      failed(expectShape(op, op.getOut(), {rows, n}, "a result", "C2")))
    return failure();
  if (op.getBias() && failed(expectShape(op, op.getBias(), {weightRows}, "a bias", "C2")))
    return failure();
  if (op.getResidual() && op.getResidual().getType() != op.getOut().getType())
    return op.emitOpError() << "(C3) expected a residual of type " << op.getOut().getType() << ", found "
                            << op.getResidual().getType();
  return verifyRoute(op);
}
} // namespace

LogicalResult EmbedOp::verify() {
  if (failed(expectRank(*this, getTable(), 2, "a table")) || failed(expectRank(*this, getTokens(), 1, "tokens")))
    return failure();
  if (failed(expectShape(*this, getOut(), {shapeOf(getTokens())[0], shapeOf(getTable())[1]}, "a result", "C2")))
    return failure();
  if (bool(getPositions()) != bool(getPos()))
    return emitOpError() << "(C3) expected positions and pos together, found one";
  if (!getPositions())
    return success();
  if (failed(expectRank(*this, getPositions(), 2, "positions")))
    return failure();
  int64_t positions = shapeOf(getPositions())[0];
  return expectShape(*this, getPositions(), {positions, shapeOf(getTable())[1]}, "positions", "C3");
}

LogicalResult NormOp::verify() {
  if (bool(getResidual()) != bool(getSum()))
    return emitOpError() << "(C3) expected " << (getResidual() ? "a sum" : "no sum") << " beside the result, found "
                         << getNumResults() << " results";
  if (failed(expectRank(*this, getX(), 2, "x")))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getX());
  if (getBias() && failed(expectShape(*this, getBias(), {shape[1]}, "a bias", "C2")))
    return failure();
  if (failed(expectShape(*this, getWeight(), {shape[1]}, "a weight", "C2")) ||
      failed(expectShape(*this, getY(), shape, "a result", "C2")))
    return failure();
  if (getResidual() && failed(expectShape(*this, getResidual(), shape, "a residual", "C2")))
    return failure();
  return getSum() ? expectShape(*this, getSum(), shape, "a sum", "C2") : success();
}

LogicalResult QuantizeOp::verify() {
  if (failed(expectRank(*this, getX(), 2, "x")))
    return failure();
  return expectShape(*this, getOut(), shapeOf(getX()), "a result", "C2");
}

LogicalResult GemvOp::verify() {
  if (failed(verifyMatmul(*this)))
    return failure();
  if (shapeOf(getX())[0] != 1)
    return emitOpError() << "(C4) expected one row, found " << shapeOf(getX())[0];
  return success();
}

LogicalResult GemmOp::verify() { return verifyMatmul(*this); }

LogicalResult RouteOp::verify() {
  if (failed(expectRank(*this, getScores(), 2, "scores")))
    return failure();
  return expectShape(*this, getOut(), {shapeOf(getScores())[0], 2 * static_cast<int64_t>(getTop())}, "a result", "C2");
}

/// (C3), (C5)
static LogicalResult verifyFactors(RopeAppendOp op) {
  size_t norms = !op.getQkNorm() ? 0 : op.getQkBias().value_or(false) ? 4 : 2, expected = (op.getRotary() != 0) + norms;
  OperandRange factors = op.getFactors();
  if (factors.size() != expected)
    return op.emitOpError() << "(C5) expected " << expected << " operands between qkv and pos, found "
                            << factors.size();
  int64_t q = op.getHeads() * op.getHeadDim(), k = op.getKvHeads() * op.getHeadDim();
  for (size_t i = 0; i != norms; ++i) {
    bool ofQ = i < norms / 2;
    if (failed(expectShape(op, factors.take_back(norms)[i], {ofQ ? q : k}, ofQ ? "a vector for q" : "a vector for k",
                           "C5")))
      return failure();
  }
  if (op.getRotary() == 0)
    return success();
  if (failed(expectRank(op, factors[0], 3, "a table")))
    return failure();
  int64_t positions = shapeOf(factors[0])[0], pairs = static_cast<int64_t>(op.getRotary()) / 2;
  return expectShape(op, factors[0], {positions, 2, pairs}, "a table", "C3");
}

LogicalResult RopeAppendOp::verify() {
  if (failed(expectRank(*this, getQkv(), 2, "qkv")))
    return failure();
  int64_t cols = (getHeads() + 2 * getKvHeads()) * getHeadDim();
  if (failed(expectShape(*this, getQkv(), {shapeOf(getQkv())[0], cols}, "qkv", "C2")))
    return failure();
  if (getOut().getType() != getQkv().getType())
    return emitOpError() << "(C2) expected a result of type " << getQkv().getType() << ", found " << getOut().getType();
  if (failed(verifyFactors(*this)))
    return failure();
  if (!getQkv().hasOneUse())
    return emitOpError() << "(C4) expected to be the only user of its operand, which it overwrites";
  return success();
}

LogicalResult AttendOp::verify() {
  if (failed(expectRank(*this, getQkv(), 2, "qkv")))
    return failure();
  int64_t rows = shapeOf(getQkv())[0], dim = getHeadDim();
  int64_t cols = (getHeads() + 2 * getKvHeads()) * dim;
  if (failed(expectShape(*this, getQkv(), {rows, cols}, "qkv", "C2")))
    return failure();
  return expectShape(*this, getOut(), {rows, static_cast<int64_t>(getHeads()) * dim}, "a result", "C2");
}

LogicalResult AddOp::verify() {
  for (Value value : {getB(), getOut()})
    if (value.getType() != getA().getType())
      return emitOpError() << "(C1) expected " << getA().getType() << ", found " << value.getType();
  return success();
}

LogicalResult TransferOp::verify() {
  if (static_cast<int32_t>(getFrom()) < 0 || static_cast<int32_t>(getTo()) < 0)
    return emitOpError() << "(C1) expected devices that are not negative";
  if (getFrom() == getTo())
    return emitOpError() << "(C1) expected two devices, found " << getFrom() << " twice";
  return success();
}
