// hr-insert-quantize: see Passes.td.
#include "passes/quantize/Passes.h"

namespace headrace::quantize {
#define GEN_PASS_DEF_INSERTQUANTIZE
#include "passes/quantize/Passes.h.inc"
} // namespace headrace::quantize

using namespace mlir;
using namespace headrace;

namespace {

struct InsertQuantize : headrace::quantize::impl::InsertQuantizeBase<InsertQuantize> {
  using InsertQuantizeBase::InsertQuantizeBase;

  /// The codes of `value` in groups of `group`, made right behind it on the first request.
  Value quantized(Value value, int64_t group) {
    Value &codes = made[{value, group}];
    if (codes)
      return codes;
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(value);
    auto rows = cast<RankedTensorType>(value.getType());
    StringRef anchor = model::anchorOf(value);
    Location location = value.getLoc();
    if (!anchor.empty())
      location = model::anchored((anchor + ".a8").str(), location);
    codes = enc::QuantizeOp::create(builder, location, rows.clone(enc::A8Type::get(&getContext(), group)), value);
    return codes;
  }

  void runOnOperation() override {
    if (act != "a8" && act != "f32") {
      getOperation().emitError() << "option 'act': expected a8 or f32, found '" << act << "'";
      return signalPassFailure();
    }
    if (act == "f32")
      return;
    SmallVector<model::LinearOp> linears;
    getOperation().walk([&](model::LinearOp op) { linears.push_back(op); });
    for (model::LinearOp linear : linears) {
      model::WeightOp weight = model::weightOf(linear.getWeight());
      if (!weight || !weight.getEnc() || weight.getEnc()->isFloat() ||
          !cast<RankedTensorType>(linear.getInput().getType()).getElementType().isF32())
        continue;
      linear.getInputMutable().assign(quantized(linear.getInput(), weight.getEnc()->getGroupSize()));
    }
    made.clear();
  }

  llvm::DenseMap<std::pair<Value, int64_t>, Value> made;
};

} // namespace
