#include "dialects/recipe/Computed.h"
#include "dialects/Verify.h"

using namespace mlir;
using namespace headrace;
using namespace headrace::recipe;

#define GET_OP_CLASSES
#include "dialects/recipe/RecipeComputedOps.cpp.inc"

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult LiteralOp::verify() {
  auto expected =
      RankedTensorType::get({static_cast<int64_t>(getValues().size())}, typeOf(getResult()).getElementType());
  if (failed(expectEqual(*this, "C1", "a result of type", expected, typeOf(getResult()))))
    return failure();
  for (float value : getValues())
    if (!APFloat(value).isFinite())
      return violated(*this, "C2", "values that are", "finite", value);
  return success();
}

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs());
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || lhs.getDimSize(1) != rhs.getDimSize(0))
    return emitOpError() << "C1: expected two matrices, the second with as many rows as the first has columns, found "
                         << lhs << " and " << rhs;
  auto expected = RankedTensorType::get({lhs.getDimSize(0), rhs.getDimSize(1)}, lhs.getElementType());
  return expectEqual(*this, "C2", "a result of type", expected, typeOf(getResult()));
}
