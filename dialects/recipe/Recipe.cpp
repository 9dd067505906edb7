#include "dialects/recipe/Recipe.h"
#include "dialects/Verify.h"
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

static bool isPositive(std::optional<APFloat> value) { return value && value->convertToDouble() > 0; }

LogicalResult RopeTableOp::verify() {
  RankedTensorType type = typeOf(getResult());
  if (type.getRank() != 3 || type.getDimSize(1) != 2 || !type.getElementType().isF32())
    return violated(*this, "C1", "a result of type", "positions x 2 x rotary/2 x f32", type);
  if (!isPositive(getTheta()))
    return violated(*this, "C2", "theta above", 0, getThetaAttr());
  bool factor = isPositive(getFactor()), low = isPositive(getLowFreqFactor()), high = isPositive(getHighFreqFactor()),
       original = getOriginalPositions() && static_cast<int64_t>(*getOriginalPositions()) > 0;
  bool anyLlama3 = getLowFreqFactor() || getHighFreqFactor() || getOriginalPositions();
  StringRef name = stringifyRopeScaling(getScaling());
  switch (getScaling()) {
  case RopeScaling::none:
    return getFactor() || anyLlama3 ? violated(*this, "C3", "scaling none", "without parameters", "some") : success();
  case RopeScaling::linear:
    return factor && !anyLlama3 ? success()
                                : violated(*this, "C3", "scaling " + name, "with a positive factor alone", "others");
  case RopeScaling::llama3:
    break;
  }
  if (!factor || !low || !high || !original)
    return violated(*this, "C3", "scaling " + name,
                    "with positive factor, low_freq_factor, high_freq_factor and original_positions", "fewer");
  if (getHighFreqFactor()->convertToDouble() <= getLowFreqFactor()->convertToDouble())
    return violated(*this, "C4", "a high_freq_factor above", getLowFreqFactorAttr(), getHighFreqFactorAttr());
  return success();
}
