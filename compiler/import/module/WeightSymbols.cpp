#include "compiler/import/module/WeightSymbols.h"
#include "dialects/recipe/Computed.h"
#include "dialects/recipe/Quantized.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace headrace;

Location headrace::anchorLoc(MLIRContext *context, StringRef anchor, StringRef checkpointName) {
  if (checkpointName.empty())
    return NameLoc::get(StringAttr::get(context, anchor));
  return NameLoc::get(StringAttr::get(context, anchor), NameLoc::get(StringAttr::get(context, checkpointName)));
}

namespace {

/// Writes the ops of one recipe.
class RecipeWriter {
public:
  explicit RecipeWriter(model::WeightOp weight)
      : builder(OpBuilder::atBlockEnd(&weight.getRecipe().front())), location(weight.getLoc()) {}

  Value write(const TensorExpr &value);
  Value ropeTable(const RopeSpec &rope, RankedTensorType type);
  void yield(Value value) { recipe::YieldOp::create(builder, location, value); }

private:
  RankedTensorType type(const TensorExpr &value) { return RankedTensorType::get(value.shape(), builder.getF32Type()); }
  Type elementType(ElementType type);
  Value range(const StoredTensor &tensor, ArrayRef<int64_t> shape, Type element);
  Value stored(const TensorExpr &value);
  Value grouped(const TensorExpr &value);
  Value compute(const TensorExpr &value, ValueRange inputs);

  OpBuilder builder;
  Location location;
};

Type RecipeWriter::elementType(ElementType type) {
  return type == ElementType::F16    ? Type(builder.getF16Type())
         : type == ElementType::BF16 ? Type(builder.getBF16Type())
                                     : builder.getF32Type();
}

Value RecipeWriter::range(const StoredTensor &tensor, ArrayRef<int64_t> shape, Type element) {
  return recipe::RangeOp::create(builder, location, RankedTensorType::get(shape, element), tensor.name, tensor.file,
                                 tensor.offset, tensor.bytes);
}

Value RecipeWriter::stored(const TensorExpr &value) {
  const StoredTensor &source = value.source();
  RankedTensorType logical = type(value);
  if (isBlockType(source.type)) {
    SmallVector<int64_t> bytes(value.shape().begin(), value.shape().end());
    bytes.back() = static_cast<int64_t>(source.bytes) / (logical.getNumElements() / bytes.back());
    Value blocks = range(source, bytes, builder.getI8Type());
    return recipe::FromBlocksOp::create(builder, location, logical, blocks, blockTypeName(source.type));
  }
  Value whole = range(source, value.shape(), elementType(source.type));
  return whole.getType() == logical ? whole : recipe::ConvertOp::create(builder, location, logical, whole).getResult();
}

Value RecipeWriter::grouped(const TensorExpr &value) {
  const GroupedTensor &from = value.groups();
  auto part = [&](const GroupedTensor::Part &part) {
    bool integers = part.tensor.type == ElementType::I8 || part.tensor.type == ElementType::I32;
    Type integer = part.tensor.type == ElementType::I8 ? builder.getI8Type() : builder.getI32Type();
    return part.tensor.name.empty()
               ? Value()
               : range(part.tensor, part.shape, integers ? integer : elementType(part.tensor.type));
  };
  Value codes = part(from.codes), scales = part(from.scales), zeros = part(from.zeros), order = part(from.order);
  return recipe::FromGroupsOp::create(builder, location, type(value), codes, scales, zeros, order,
                                      groupLayoutName(from.layout), from.bits, from.group, from.zeroShift);
}

Value RecipeWriter::write(const TensorExpr &value) {
  if (value.op() == TensorExpr::Op::Stored)
    return stored(value);
  if (value.op() == TensorExpr::Op::Grouped)
    return grouped(value);
  SmallVector<Value> inputs;
  for (const TensorExpr &input : value.inputs())
    inputs.push_back(write(input));
  return compute(value, inputs);
}

Value RecipeWriter::compute(const TensorExpr &value, ValueRange inputs) {
  RankedTensorType result = type(value);
  switch (value.op()) {
  case TensorExpr::Op::Stored:
  case TensorExpr::Op::Grouped:
    break;
  case TensorExpr::Op::Take:
    return recipe::TakeOp::create(builder, location, result, inputs[0], value.first(), value.first() + value.size(),
                                  value.period());
  case TensorExpr::Op::SwapRows:
    return recipe::SwapRowsOp::create(builder, location, result, inputs[0], value.blocks(), value.size());
  case TensorExpr::Op::Transpose:
    return recipe::TransposeOp::create(builder, location, result, inputs[0]);
  case TensorExpr::Op::Reshape:
    return recipe::ReshapeOp::create(builder, location, result, inputs[0]);
  case TensorExpr::Op::Concat:
    return recipe::ConcatOp::create(builder, location, result, inputs);
  case TensorExpr::Op::Repeat:
    return recipe::RepeatOp::create(builder, location, result, inputs[0]);
  case TensorExpr::Op::Scale:
    return recipe::ScaleOp::create(builder, location, result, inputs[0], APFloat(value.constant()));
  case TensorExpr::Op::AddConstant:
    return recipe::AddConstantOp::create(builder, location, result, inputs[0], APFloat(value.constant()));
  case TensorExpr::Op::Add:
    return recipe::AddOp::create(builder, location, result, inputs[0], inputs[1]);
  case TensorExpr::Op::Zeros:
    return recipe::ZerosOp::create(builder, location, result);
  case TensorExpr::Op::Literal:
    return recipe::LiteralOp::create(builder, location, result, value.values());
  case TensorExpr::Op::Matmul:
    return recipe::MatmulOp::create(builder, location, result, inputs[0], inputs[1]);
  }
  llvm_unreachable("stored tensors have been written");
}

Value RecipeWriter::ropeTable(const RopeSpec &rope, RankedTensorType type) {
  auto number = [&](bool wanted, double value) { return wanted ? builder.getF64FloatAttr(value) : FloatAttr(); };
  bool llama3 = rope.kind == RopeKind::Llama3, yarn = rope.kind == RopeKind::Yarn;
  recipe::RopeScaling scaling = llama3                          ? recipe::RopeScaling::llama3
                                : yarn                          ? recipe::RopeScaling::yarn
                                : rope.kind == RopeKind::Linear ? recipe::RopeScaling::linear
                                                                : recipe::RopeScaling::none;
  return recipe::RopeTableOp::create(
      builder, location, type, builder.getF64FloatAttr(rope.theta), rope.divisors ? write(rope.divisors) : Value(),
      recipe::RopeScalingAttr::get(builder.getContext(), scaling),
      number(scaling != recipe::RopeScaling::none, rope.factor), number(llama3, rope.lowFreqFactor),
      number(llama3, rope.highFreqFactor), number(yarn, rope.betaFast), number(yarn, rope.betaSlow),
      yarn && rope.truncate ? builder.getUnitAttr() : UnitAttr(),
      llama3 || yarn ? builder.getI64IntegerAttr(rope.originalPositions) : IntegerAttr(),
      number(rope.attentionFactor != 1.0, rope.attentionFactor));
}

} // namespace

model::WeightOp WeightSymbols::open(StringRef symbol, RankedTensorType type, Location location) {
  OpBuilder builder(module.getContext());
  auto functions = module.getOps<func::FuncOp>();
  if (functions.empty())
    builder.setInsertionPointToEnd(module.getBody());
  else
    builder.setInsertionPoint(*functions.begin());
  OperationState state(location, model::WeightOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(symbol));
  state.addAttribute("type", TypeAttr::get(type));
  state.addRegion()->emplaceBlock();
  auto weight = cast<model::WeightOp>(builder.create(state));
  table.insert(weight);
  return weight;
}

model::WeightOp WeightSymbols::get(StringRef symbol, const TensorExpr &value) {
  if (auto known = table.lookup<model::WeightOp>(symbol))
    return known;
  MLIRContext *context = module.getContext();
  Location location = anchorLoc(context, symbol);
  if (const StoredTensor *source = value.firstSource())
    location = NameLoc::get(StringAttr::get(context, source->name), FileLineColLoc::get(context, source->file, 0, 0));
  auto type = RankedTensorType::get(value.shape(), Float32Type::get(context));
  model::WeightOp weight = open(symbol, type, location);
  RecipeWriter writer(weight);
  writer.yield(writer.write(value));
  return weight;
}

model::WeightOp WeightSymbols::get(StringRef symbol, const LinearSpec &linear) {
  model::WeightOp weight = get(symbol, linear.weight);
  MLIRContext *context = module.getContext();
  if (!linear.encoding.empty())
    weight.setEncAttr(enc::encodingNamed(context, linear.encoding, linear.group));
  if (!linear.codes.empty())
    weight->setAttr(recipe::kCodesAttr, StringAttr::get(context, linear.codes));
  return weight;
}

model::WeightOp WeightSymbols::ropeTable(StringRef symbol, const RopeSpec &rope, int64_t positions) {
  if (auto known = table.lookup<model::WeightOp>(symbol))
    return known;
  MLIRContext *context = module.getContext();
  auto type = RankedTensorType::get({positions, 2, rope.rotaryDim / 2}, Float32Type::get(context));
  model::WeightOp weight = open(symbol, type, anchorLoc(context, symbol));
  RecipeWriter writer(weight);
  writer.yield(writer.ropeTable(rope, type));
  return weight;
}
