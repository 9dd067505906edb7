#include "dialects/recipe/Quantized.h"
#include "dialects/Verify.h"

using namespace mlir;
using namespace headrace;
using namespace headrace::recipe;

#define GET_OP_CLASSES
#include "dialects/recipe/RecipeQuantizedOps.cpp.inc"

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// Values and bytes of one block.
struct BlockShape {
  int64_t elements, bytes;
};
} // namespace

static std::optional<BlockShape> blockShape(StringRef type) {
  const std::pair<StringRef, BlockShape> shapes[] = {
      {"Q4_0", {32, 18}},   {"Q4_1", {32, 20}},     {"Q5_0", {32, 22}},   {"Q5_1", {32, 24}},   {"Q8_0", {32, 34}},
      {"Q2_K", {256, 84}},  {"Q3_K", {256, 110}},   {"Q4_K", {256, 144}}, {"Q5_K", {256, 176}}, {"Q6_K", {256, 210}},
      {"IQ4_NL", {32, 18}}, {"IQ4_XS", {256, 136}}, {"MXFP4", {32, 17}}};
  for (const auto &[name, shape] : shapes)
    if (name == type)
      return shape;
  return std::nullopt;
}

LogicalResult FromBlocksOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = typeOf(getResult());
  if (input.getRank() == 0 || input.getRank() != result.getRank() ||
      input.getShape().drop_back() != result.getShape().drop_back())
    return emitOpError() << "C1: expected a result that differs from " << input << " in its last dimension only, found "
                         << result;
  std::optional<BlockShape> found = blockShape(getType());
  if (!found)
    return violated(*this, "C3", "a", "block type", getType());
  BlockShape block = *found;
  int64_t elements = result.getShape().back();
  if (elements % block.elements != 0)
    return violated(*this, "C2", "rows of a multiple of", block.elements, elements);
  return expectEqual(*this, "C2", "bytes a row", elements / block.elements * block.bytes, input.getShape().back());
}

/// Elements that the layout implies for codes, scales and zeros of n outputs and k inputs.
static std::array<int64_t, 3> groupedElements(FromGroupsOp op, int64_t n, int64_t k) {
  int64_t per = 32 / static_cast<int64_t>(op.getBits());
  int64_t group = static_cast<int64_t>(op.getGroup()), groups = (k + group - 1) / group;
  auto words = [&](int64_t count) { return (count + per - 1) / per; };
  if (op.getLayout() == "inputs_packed")
    return {words(k) * n, groups * n, groups * words(n)};
  if (op.getLayout() == "outputs_packed")
    return {k * words(n), groups * n, groups * words(n)};
  if (op.getLayout() == "rows_packed")
    return {n * words(k), n * groups, words(n) * groups};
  return {n * k, n * groups, n * groups};
}

LogicalResult FromGroupsOp::verify() {
  if (!llvm::is_contained({"inputs_packed", "outputs_packed", "rows_packed", "bytes"}, getLayout()))
    return violated(*this, "C3", "a", "layout", getLayout());
  int64_t bits = static_cast<int64_t>(getBits());
  bool four = getLayout() != "bytes", eight = getLayout() != "outputs_packed";
  if (!(bits == 4 && four) && !(bits == 8 && eight))
    return violated(*this, "C1", "bits of", "4 or 8, as the layout has them", bits);
  if (static_cast<int64_t>(getGroup()) < 1)
    return violated(*this, "C1", "a group of at least", 1, static_cast<int64_t>(getGroup()));
  RankedTensorType result = typeOf(getResult());
  if (result.getRank() != 2)
    return emitOpError() << "C2: expected a result of two dimensions, found " << result;
  int64_t n = result.getDimSize(0), k = result.getDimSize(1);
  auto [codes, scales, zeros] = groupedElements(*this, n, k);
  unsigned width = getLayout() == "bytes" ? 8 : 32;
  auto check = [&](Value value, StringRef what, int64_t elements, unsigned bitWidth) -> LogicalResult {
    if (!value)
      return success();
    RankedTensorType type = typeOf(value);
    if (bitWidth && type.getElementTypeBitWidth() != bitWidth)
      return emitOpError() << "C2: expected " << what << " of i" << bitWidth << ", found " << type;
    return expectEqual(*this, "C2", (what + " elements").str(), elements, type.getNumElements());
  };
  if (failed(check(getCodes(), "codes", codes, width)) || failed(check(getScales(), "scales", scales, 0)) ||
      failed(check(getZeros(), "zeros", zeros, width)))
    return failure();
  return check(getOrder(), "order", k, 32);
}
