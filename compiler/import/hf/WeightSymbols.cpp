#include "compiler/import/hf/WeightSymbols.h"

using namespace mlir;
using namespace headrace;

Location headrace::anchorLoc(MLIRContext *context, StringRef anchor, StringRef checkpointName) {
  if (checkpointName.empty())
    return NameLoc::get(StringAttr::get(context, anchor));
  return NameLoc::get(StringAttr::get(context, anchor), NameLoc::get(StringAttr::get(context, checkpointName)));
}

static Type elementType(Builder &builder, ElementType type) {
  switch (type) {
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  default:
    break;
  }
  return builder.getF32Type();
}

WeightSymbols::WeightSymbols(ModuleOp module, const Checkpoint &checkpoint)
    : builder(module.getContext()), checkpoint(checkpoint) {
  builder.setInsertionPointToEnd(module.getBody());
}

model::WeightOp WeightSymbols::open(StringRef symbol, RankedTensorType type, Location location) {
  OperationState state(location, model::WeightOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(symbol));
  state.addAttribute("type", TypeAttr::get(type));
  state.addRegion()->emplaceBlock();
  return cast<model::WeightOp>(builder.create(state));
}

model::WeightOp WeightSymbols::fromTensor(StringRef symbol, StringRef tensor) {
  const CheckpointTensor &source = *checkpoint.find(tensor);
  auto stored = RankedTensorType::get(source.entry.shape, elementType(builder, source.entry.type));
  RankedTensorType logical = stored.clone(builder.getF32Type());
  Location location =
      NameLoc::get(builder.getStringAttr(tensor), FileLineColLoc::get(builder.getContext(), source.file, 0, 0));
  model::WeightOp weight = open(symbol, logical, location);
  OpBuilder inside = OpBuilder::atBlockEnd(&weight.getRecipe().front());
  Value value =
      recipe::RangeOp::create(inside, location, stored, tensor, source.file, source.entry.offset, source.entry.bytes);
  if (stored != logical)
    value = recipe::ConvertOp::create(inside, location, logical, value);
  recipe::YieldOp::create(inside, location, value);
  return weight;
}

model::WeightOp WeightSymbols::ropeTable(StringRef symbol, const RopeConfig &rope, int64_t positions) {
  auto type = RankedTensorType::get({positions, 2, rope.rotaryDim / 2}, builder.getF32Type());
  Location location = anchorLoc(builder.getContext(), symbol);
  model::WeightOp weight = open(symbol, type, location);
  OpBuilder inside = OpBuilder::atBlockEnd(&weight.getRecipe().front());
  auto scaling = recipe::RopeScaling::none;
  FloatAttr factor, low, high;
  IntegerAttr original;
  if (rope.kind != RopeKind::Default) {
    scaling = recipe::RopeScaling::linear;
    factor = builder.getF64FloatAttr(rope.factor);
  }
  if (rope.kind == RopeKind::Llama3) {
    scaling = recipe::RopeScaling::llama3;
    low = builder.getF64FloatAttr(rope.lowFreqFactor);
    high = builder.getF64FloatAttr(rope.highFreqFactor);
    original = builder.getI64IntegerAttr(rope.originalPositions);
  }
  Value value = recipe::RopeTableOp::create(inside, location, type, builder.getF64FloatAttr(rope.theta),
                                            recipe::RopeScalingAttr::get(builder.getContext(), scaling), factor, low,
                                            high, original);
  recipe::YieldOp::create(inside, location, value);
  return weight;
}
