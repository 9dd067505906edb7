// hr-verify-model: see Passes.td.
#include "dialects/model/Model.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/model/Passes.h"

namespace headrace::model {
#define GEN_PASS_DEF_VERIFYMODEL
#include "passes/model/Passes.h.inc"
} // namespace headrace::model

using namespace mlir;
using namespace headrace::model;

namespace {

struct VerifyModel : headrace::model::impl::VerifyModelBase<VerifyModel> {
  using VerifyModelBase::VerifyModelBase;

  /// V1. Fills the facts that the other checks need.
  LogicalResult checkFacts() {
    ModuleOp module = getOperation();
    for (auto [name, value] : {std::pair(kVocabAttr, &vocab), std::pair(kHiddenAttr, &hidden),
                               std::pair(kContextAttr, &context), std::pair(kMaxPositionsAttr, &maxPositions)}) {
      auto attribute = module->getAttrOfType<IntegerAttr>(name);
      if (!attribute)
        return module.emitError() << "V1: expected module attribute '" << name << "', found none";
      *value = attribute.getInt();
    }
    if (context < 1 || context > maxPositions)
      return module.emitError() << "V1: expected a context of 1 to " << maxPositions << ", found " << context;
    return success();
  }

  /// V2.
  LogicalResult checkEntries() {
    MLIRContext *ctx = &getContext();
    auto modelKind = getOperation()->getAttrOfType<StringAttr>(kKindAttr);
    bool encoder = modelKind && modelKind == "encoder";
    Type f32 = Float32Type::get(ctx), i32 = IntegerType::get(ctx, 32);
    auto rows = [&](int64_t cols) { return RankedTensorType::get({ShapedType::kDynamic, cols}, f32); };
    Type tokens = RankedTensorType::get({ShapedType::kDynamic}, i32);
    llvm::StringMap<FunctionType> expected;
    expected["body"] = FunctionType::get(ctx, {tokens, i32}, rows(hidden));
    if (!encoder)
      expected["head"] = FunctionType::get(ctx, rows(hidden), rows(vocab));
    llvm::StringMap<int> seen;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto kind = function->getAttrOfType<StringAttr>(kEntryAttr);
      if (!kind || !expected.count(kind.getValue()))
        return function.emitError() << "V2: expected attribute '" << kEntryAttr << "' to be body"
                                    << (encoder ? "" : " or head") << ", found " << (kind ? kind.getValue() : "none");
      if (function.getFunctionType() != expected[kind.getValue()])
        return function.emitError() << "V2: expected " << kind.getValue() << " of type " << expected[kind.getValue()]
                                    << ", found " << function.getFunctionType();
      ++seen[kind.getValue()];
    }
    for (StringRef kind : {"body", "head"})
      if (expected.count(kind) && seen[kind] != 1)
        return getOperation().emitError() << "V2: expected one entry " << kind << ", found " << seen[kind];
    return success();
  }

  /// V3.
  LogicalResult checkOps() {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!isa<ModelDialect>(op->getDialect()) ||
          isa<WeightOp, KVCacheOp, ParamOp, EmbedOp, LinearOp, RMSNormOp, AddRMSNormOp, LayerNormOp, AddLayerNormOp,
              AddOp, CachedAttentionOp, RouteOp>(op))
        return WalkResult::advance();
      op->emitOpError() << "V3: expected to be fused into a linear or an attention with a cache, found it apart";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// V4.
  LogicalResult checkCaches(const SymbolUserMap &users) {
    for (auto cache : getOperation().getOps<KVCacheOp>()) {
      size_t count = users.getUsers(cache).size();
      if (count != 1)
        return cache.emitOpError() << "V4: expected one attention that uses it, found " << count;
      if (static_cast<int64_t>(cache.getContext()) != context)
        return cache.emitOpError() << "V4: expected the module's context " << context << ", found "
                                   << cache.getContext();
    }
    return success();
  }

  /// V5.
  LogicalResult checkWeights(const SymbolUserMap &users) {
    for (auto weight : getOperation().getOps<WeightOp>())
      if (users.useEmpty(weight))
        return weight.emitOpError() << "V5: expected a reader of '" << weight.getSymName() << "', found none";
    return success();
  }

  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    if (failed(checkFacts()) || failed(checkEntries()) || failed(checkOps()) || failed(checkCaches(users)) ||
        failed(checkWeights(users)))
      signalPassFailure();
  }

  int64_t vocab = 0, hidden = 0, context = 0, maxPositions = 0;
};

} // namespace
