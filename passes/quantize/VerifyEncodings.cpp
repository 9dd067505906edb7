// hr-verify-encodings: see Passes.td.
#include "passes/quantize/Passes.h"

namespace headrace::quantize {
#define GEN_PASS_DEF_VERIFYENCODINGS
#include "passes/quantize/Passes.h.inc"
} // namespace headrace::quantize

using namespace mlir;
using namespace headrace;

namespace {

struct VerifyEncodings : headrace::quantize::impl::VerifyEncodingsBase<VerifyEncodings> {
  using VerifyEncodingsBase::VerifyEncodingsBase;

  /// E1, E5.
  LogicalResult checkSymbols() {
    for (auto weight : getOperation().getOps<model::WeightOp>())
      if (!weight.getEnc())
        return weight.emitOpError() << "E1: expected an encoding on '" << weight.getSymName() << "', found none";
    for (auto cache : getOperation().getOps<model::KVCacheOp>()) {
      if (!cache.getKType())
        return cache.emitOpError() << "E1: expected encodings on '" << cache.getSymName() << "', found none";
      if (!cache.getKType()->isFloat() || !cache.getVType()->isFloat())
        return cache.emitOpError() << "E5: expected float encodings, found " << *cache.getKType() << " and "
                                   << *cache.getVType();
    }
    return success();
  }

  /// E2: where a weight is neither a matrix nor an embedding table.
  LogicalResult checkReader(model::ParamOp param, OpOperand &use) {
    model::WeightOp weight = model::lookupWeight(param, param.getWeightAttr());
    auto linear = dyn_cast<model::LinearOp>(use.getOwner());
    auto embed = dyn_cast<model::EmbedOp>(use.getOwner());
    if ((embed && use.get() == embed.getTable()) || (linear && use.get() == linear.getWeight()))
      return success();
    if (!isa<enc::F32Attr>(*weight.getEnc()))
      return use.getOwner()->emitOpError()
             << "E2: expected weight '" << weight.getSymName() << "' in #enc.f32, found " << *weight.getEnc();
    return success();
  }

  /// E3.
  LogicalResult checkInput(model::LinearOp linear) {
    model::WeightOp weight = model::weightOf(linear.getWeight());
    if (!weight)
      return linear.emitOpError() << "E3: expected a model.param as weight, found another value";
    Type element = cast<RankedTensorType>(linear.getInput().getType()).getElementType();
    int64_t group = act == "f32" ? 0 : weight.getEnc()->getGroupSize();
    Type expected = group ? Type(enc::A8Type::get(linear.getContext(), group)) : Float32Type::get(linear.getContext());
    if (element != expected)
      return linear.emitOpError() << "E3: expected activations in " << expected << " for " << *weight.getEnc()
                                  << ", found " << element;
    return success();
  }

  /// E4.
  static LogicalResult checkOnce(enc::QuantizeOp quantize) {
    for (Operation *user : quantize.getInput().getUsers())
      if (isa<enc::QuantizeOp>(user) && user != quantize.getOperation())
        return quantize.emitOpError() << "E4: expected one quantization of its input, found another to "
                                      << user->getResult(0).getType();
    return success();
  }

  void runOnOperation() override {
    if (failed(checkSymbols()))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](Operation *op) {
      LogicalResult ok = success();
      if (auto param = dyn_cast<model::ParamOp>(op)) {
        for (OpOperand &use : param.getResult().getUses())
          if (succeeded(ok))
            ok = checkReader(param, use);
      } else if (auto linear = dyn_cast<model::LinearOp>(op)) {
        ok = checkInput(linear);
      } else if (auto quantize = dyn_cast<enc::QuantizeOp>(op)) {
        ok = checkOnce(quantize);
      }
      return succeeded(ok) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
