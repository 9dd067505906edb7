#include "passes/model/Fusion.h"
#include "dialects/recipe/Quantized.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace headrace;
using namespace headrace::model;

void model::countFused(ModuleOp module, StringRef what, int64_t count) {
  if (count == 0)
    return;
  Builder builder(module.getContext());
  NamedAttrList fused(module->getAttrOfType<DictionaryAttr>(kFusedAttr));
  auto before = dyn_cast_or_null<IntegerAttr>(fused.get(what));
  fused.set(what, builder.getI64IntegerAttr(count + (before ? before.getInt() : 0)));
  module->setAttr(kFusedAttr, fused.getDictionary(module.getContext()));
}

std::string model::siblingName(StringRef name, StringRef last) {
  size_t dot = name.rfind('.');
  return dot == StringRef::npos ? last.str() : (name.substr(0, dot + 1) + last).str();
}

Symbols::Symbols(ModuleOp module) : table(module) {
  module.walk([&](ParamOp param) { ++readers[param.getWeightAttr().getAttr()]; });
}

WeightOp Symbols::weightOf(Value value) const {
  auto param = value.getDefiningOp<ParamOp>();
  return param ? table.lookup<WeightOp>(param.getWeightAttr().getAttr()) : WeightOp();
}

std::string Symbols::freeName(StringRef wanted) const {
  std::string name = wanted.str();
  for (int i = 2; table.lookup(name); ++i)
    name = wanted.str() + "." + std::to_string(i);
  return name;
}

//===-- merging linears
//-----------------------------------------------------------------------------------------------------===//

std::string model::whyNotMergeable(const Symbols &symbols, Linears linears, unsigned uses) {
  LinearOp first = linears.front();
  for (LinearOp linear : linears) {
    if (linear.getInput() != first.getInput())
      return "their inputs differ";
    if (linear.getRoute() != first.getRoute() || linear.getSlot() != first.getSlot() || linear.getWeighted())
      return "their routes differ";
    if (linear.getAct() != Activation::none || linear.getGated() || linear.getResidual() ||
        !linear.getSoftcap().isZero())
      return "one has an epilogue";
    if (!linear.getResult().hasOneUse())
      return "a result is used elsewhere";
    for (Value operand : {linear.getWeight(), linear.getBias()}) {
      if (!operand)
        continue;
      WeightOp weight = symbols.weightOf(operand);
      if (!weight)
        return "a weight is not a model.param";
      if (symbols.readersOf(weight) != 1 || operand.getNumUses() != uses)
        return "weight '" + weight.getSymName().str() + "' is read elsewhere";
      if (operand == linear.getWeight() && weight.getEncAttr() != symbols.weightOf(first.getWeight()).getEncAttr())
        return "their encodings differ";
    }
  }
  return {};
}

/// The recipes of all `sources` written one after the other; a source that is null gives zeros of `rows`.
static SmallVector<Value> writeSources(OpBuilder &inside, Location location, ArrayRef<WeightOp> sources,
                                       ArrayRef<int64_t> rows) {
  SmallVector<Value> values;
  for (auto [given, size] : llvm::zip(sources, rows)) {
    WeightOp source = given;
    if (!source) {
      auto type = RankedTensorType::get({size}, inside.getF32Type());
      values.push_back(recipe::ZerosOp::create(inside, location, type));
      continue;
    }
    IRMapping mapping;
    for (Operation &op : source.getRecipe().front().without_terminator())
      inside.clone(op, mapping);
    values.push_back(mapping.lookup(source.getYielded()));
  }
  return values;
}

/// One weight from several, placed where the first stands. Of biases some may be missing: `rows` says how long they
/// are.
static WeightOp mergeSymbols(ArrayRef<WeightOp> sources, ArrayRef<int64_t> rows, StringRef name,
                             llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> combine) {
  SmallVector<Location> locations;
  for (WeightOp source : sources)
    if (source)
      locations.push_back(source.getLoc());
  Location location = anchored(name, locations);
  WeightOp first = *llvm::find_if(sources, [](WeightOp source) { return bool(source); });
  OpBuilder builder(first);
  OperationState state(location, WeightOp::getOperationName());
  state.addRegion()->emplaceBlock();
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("type", TypeAttr::get(first.getType())); // settled below
  if (first.getEncAttr())
    state.addAttribute("enc", first.getEncAttr());
  if (Attribute codes = first->getAttr(recipe::kCodesAttr))
    state.addAttribute(recipe::kCodesAttr, codes);
  auto merged = cast<WeightOp>(builder.create(state));
  OpBuilder inside = OpBuilder::atBlockEnd(&merged.getRecipe().front());
  Value value = combine(inside, location, writeSources(inside, location, sources, rows));
  recipe::YieldOp::create(inside, location, value);
  merged.setType(value.getType());
  return merged;
}

MergedWeights model::mergeWeights(OpBuilder &builder, Symbols &symbols, Linears linears, StringRef name,
                                  llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> combine) {
  SmallVector<int64_t> rows;
  for (LinearOp linear : linears)
    rows.push_back(cast<RankedTensorType>(linear.getWeight().getType()).getDimSize(0));
  auto merge = [&](llvm::function_ref<Value(LinearOp)> operand, StringRef symbol) -> Value {
    SmallVector<WeightOp> sources;
    for (LinearOp linear : linears)
      sources.push_back(operand(linear) ? symbols.weightOf(operand(linear)) : WeightOp());
    WeightOp merged = mergeSymbols(sources, rows, symbols.freeName(symbol), combine);
    symbols.insert(merged);
    return ParamOp::create(builder, merged.getLoc(), merged.getTensorType(), merged.getSymName());
  };
  MergedWeights made;
  made.weight = merge([](LinearOp op) { return op.getWeight(); }, name);
  if (llvm::any_of(linears, [](LinearOp op) { return bool(op.getBias()); }))
    made.bias = merge([](LinearOp op) { return op.getBias(); }, (name + ".bias").str());
  return made;
}

void model::eraseMerged(Symbols &symbols, Linears linears) {
  for (LinearOp linear : linears) {
    SmallVector<Value> params{linear.getWeight()};
    if (linear.getBias())
      params.push_back(linear.getBias());
    linear.erase();
    for (Value param : params) {
      if (!param.use_empty())
        continue;
      symbols.erase(symbols.weightOf(param));
      param.getDefiningOp()->erase();
    }
  }
}
