#include "dialects/Verify.h"
#include "dialects/recipe/Computed.h"
#include "dialects/recipe/Quantized.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace headrace;
using namespace headrace::recipe;

#include "dialects/recipe/RecipeDialect.cpp.inc"
#include "dialects/recipe/RecipeEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/recipe/RecipeAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/recipe/RecipeOps.cpp.inc"

void RecipeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/recipe/RecipeAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/recipe/RecipeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/recipe/RecipeQuantizedOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/recipe/RecipeComputedOps.cpp.inc"
      >();
}

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult RangeOp::verify() {
  if (static_cast<int64_t>(getOffset()) < 0)
    return violated(*this, "C1", "an offset of at least", 0, static_cast<int64_t>(getOffset()));
  RankedTensorType type = typeOf(getResult());
  int64_t bytes = type.getNumElements() * (type.getElementTypeBitWidth() / 8);
  if (failed(expectEqual<int64_t>(*this, "C2", "bytes", bytes, getBytes())))
    return failure();
  if (getTensor().empty() || getFile().empty())
    return emitOpError() << "C3: expected names of a tensor and a file, found '" << getTensor() << "' and '"
                         << getFile() << "'";
  return success();
}

LogicalResult ConvertOp::verify() {
  if (typeOf(getInput()).getShape() != typeOf(getResult()).getShape())
    return emitOpError() << "C1: expected a result of the shape of " << getInput().getType() << ", found "
                         << getResult().getType();
  return success();
}

LogicalResult ConcatOp::verify() {
  if (getInputs().empty())
    return violated(*this, "C1", "at least", "one input", "none");
  RankedTensorType result = typeOf(getResult());
  int64_t rows = 0;
  for (Value input : getInputs()) {
    RankedTensorType type = typeOf(input);
    if (type.getRank() == 0 || type.getRank() != result.getRank() || type.getElementType() != result.getElementType() ||
        type.getShape().drop_front() != result.getShape().drop_front())
      return emitOpError() << "C2: expected an input that differs from " << result
                           << " in its first dimension only, found " << type;
    rows += type.getDimSize(0);
  }
  return expectEqual(*this, "C3", "a first dimension of", rows, result.getDimSize(0));
}

LogicalResult InterleaveOp::verify() {
  int64_t tile = getTile();
  if (getInputs().empty() || tile < 1)
    return emitOpError() << "C1: expected an input and a tile of at least 1, found " << getInputs().size() << " and "
                         << tile;
  RankedTensorType first = typeOf(getInputs().front()), result = typeOf(getResult());
  for (Value input : getInputs())
    if (input.getType() != first)
      return violated(*this, "C2", "an input of type", first, input.getType());
  if (first.getRank() == 0 || first.getRank() != result.getRank() ||
      first.getElementType() != result.getElementType() ||
      first.getShape().drop_front() != result.getShape().drop_front())
    return emitOpError() << "C3: expected a result that differs from " << first
                         << " in its first dimension only, found " << result;
  int64_t rows = static_cast<int64_t>(getInputs().size()) * padTo(first.getDimSize(0), tile);
  return expectEqual(*this, "C3", "a first dimension of", rows, result.getDimSize(0));
}

LogicalResult TransposeOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  if (input.getRank() != 2 || result.getRank() != 2)
    return emitOpError() << "C1: expected two dimensions, found " << input << " and " << result;
  auto expected = RankedTensorType::get({input.getDimSize(1), input.getDimSize(0)}, input.getElementType());
  return expectEqual(*this, "C2", "a result of type", expected, result);
}

LogicalResult PadOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  if (input.getRank() != result.getRank() || input.getElementType() != result.getElementType())
    return emitOpError() << "C1: expected the dimensions and elements of " << input << ", found " << result;
  for (int64_t d = 0; d < input.getRank(); ++d)
    if (result.getDimSize(d) < input.getDimSize(d))
      return emitOpError() << "C2: expected dimension " << d << " of at least " << input.getDimSize(d) << ", found "
                           << result.getDimSize(d);
  return success();
}

//===-- steps that move rows
//------------------------------------------------------------------------------------------------===//

/// `result` is `input` but for a first dimension of `rows`.
static LogicalResult expectRows(Operation *op, StringRef rule, RankedTensorType input, RankedTensorType result,
                                int64_t rows) {
  SmallVector<int64_t> shape(input.getShape());
  shape[0] = rows;
  return expectEqual(op, rule, "a result of type", RankedTensorType::get(shape, input.getElementType()), result);
}

LogicalResult TakeOp::verify() {
  RankedTensorType input = typeOf(getInput());
  int64_t begin = getBegin(), end = getEnd(), period = getPeriod();
  if (begin < 0 || end <= begin || period < end || input.getDimSize(0) % period != 0)
    return emitOpError() << "C1: expected rows inside a period that divides " << input.getDimSize(0) << ", found "
                         << begin << " to " << end << " of " << period;
  return expectRows(*this, "C2", input, typeOf(getResult()), input.getDimSize(0) / period * (end - begin));
}

LogicalResult SwapRowsOp::verify() {
  int64_t rows = typeOf(getInput()).getDimSize(0), blocks = getBlocks(), size = getSize();
  if (blocks < 1 || size < 1 || blocks > rows || size > rows || rows % (blocks * size) != 0)
    return emitOpError() << "C1: expected blocks whose rows divide " << rows << ", found " << blocks << " of " << size;
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  if (input.getNumElements() == result.getNumElements() && input.getElementType() == result.getElementType())
    return success();
  return emitOpError() << "C1: expected a result with the elements of " << input << ", found " << result;
}

LogicalResult RepeatOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  int64_t rows = std::max<int64_t>(1, input.getDimSize(0));
  return expectRows(*this, "C1", input, result, std::max<int64_t>(1, result.getDimSize(0) / rows) * rows);
}

//===-- arithmetic
//----------------------------------------------------------------------------------------------------------===//

template <typename Op> static LogicalResult expectFinite(Op op) {
  return op.getConstant().isFinite() ? success()
                                     : violated(op, "C1", "a constant that is", "finite", op.getConstantAttr());
}
LogicalResult ScaleOp::verify() { return expectFinite(*this); }
LogicalResult AddConstantOp::verify() { return expectFinite(*this); }

LogicalResult AddOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs());
  if (lhs == rhs)
    return success();
  SmallVector<int64_t> row(lhs.getShape());
  row[0] = 1;
  return expectEqual(*this, "C1", "a second input of type", RankedTensorType::get(row, lhs.getElementType()), rhs);
}

//===-- tables
//--------------------------------------------------------------------------------------------------------------===//

static bool isPositive(std::optional<APFloat> value) { return value && value->convertToDouble() > 0; }

/// C3: exactly the parameters of the scaling are there, and positive.
static LogicalResult verifyScaling(RopeTableOp op) {
  auto number = [](std::optional<APFloat> value) {
    return value ? std::optional(value->convertToDouble()) : std::nullopt;
  };
  std::optional<double> original;
  if (op.getOriginalPositions())
    original = static_cast<double>(static_cast<int64_t>(*op.getOriginalPositions()));
  RopeScaling scaling = op.getScaling();
  bool llama3 = scaling == RopeScaling::llama3, yarn = scaling == RopeScaling::yarn;
  struct Parameter {
    StringRef name;
    std::optional<double> value;
    bool wanted;
  };
  const Parameter parameters[] = {{"factor", number(op.getFactor()), scaling != RopeScaling::none},
                                  {"low_freq_factor", number(op.getLowFreqFactor()), llama3},
                                  {"high_freq_factor", number(op.getHighFreqFactor()), llama3},
                                  {"beta_fast", number(op.getBetaFast()), yarn},
                                  {"beta_slow", number(op.getBetaSlow()), yarn},
                                  {"original_positions", original, llama3 || yarn}};
  for (const Parameter &parameter : parameters) {
    if (parameter.wanted == parameter.value.has_value() && parameter.value.value_or(1) > 0)
      continue;
    InFlightDiagnostic error = op.emitOpError();
    error << "C3: expected scaling " << stringifyRopeScaling(scaling) << " with "
          << (parameter.wanted ? "a positive " : "no ") << parameter.name << ", found ";
    return parameter.value ? error << *parameter.value : error << "none";
  }
  if (op.getTruncate() && !yarn)
    return op.emitOpError() << "C3: expected scaling yarn with truncate, found " << stringifyRopeScaling(scaling);
  return success();
}

LogicalResult RopeTableOp::verify() {
  RankedTensorType type = typeOf(getResult());
  if (type.getRank() != 3 || type.getDimSize(1) != 2 || !type.getElementType().isF32())
    return violated(*this, "C1", "a result of type", "positions x 2 x rotary/2 x f32", type);
  if (!isPositive(getTheta()))
    return violated(*this, "C2", "theta above", 0, getThetaAttr());
  if (failed(verifyScaling(*this)))
    return failure();
  if (getHighFreqFactor() && getHighFreqFactor()->convertToDouble() <= getLowFreqFactor()->convertToDouble())
    return violated(*this, "C4", "a high_freq_factor above", getLowFreqFactorAttr(), getHighFreqFactorAttr());
  if (getBetaFast() && getBetaFast()->convertToDouble() <= getBetaSlow()->convertToDouble())
    return violated(*this, "C4", "a beta_fast above", getBetaSlowAttr(), getBetaFastAttr());
  if (getAttentionFactor() && !isPositive(getAttentionFactor()))
    return violated(*this, "C5", "an attention_factor above", 0, getAttentionFactorAttr());
  if (!getDivisors())
    return success();
  auto expected = RankedTensorType::get({type.getDimSize(2)}, type.getElementType());
  return expectEqual(*this, "C6", "divisors of type", expected, typeOf(getDivisors()));
}
