// hr-canonical-form: see Passes.td.
#include "dialects/model/Model.h"
#include "dialects/recipe/Recipe.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/model/Passes.h"

namespace headrace::model {
#define GEN_PASS_DEF_CANONICALFORM
#include "passes/model/Passes.h.inc"
} // namespace headrace::model

using namespace mlir;
using namespace headrace;

namespace {

/// recipe.convert to the type that its input has.
struct DropSameConvert : OpRewritePattern<recipe::ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(recipe::ConvertOp op, PatternRewriter &rewriter) const override {
    if (op.getInput().getType() != op.getResult().getType())
      return failure();
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

struct CanonicalForm : headrace::model::impl::CanonicalFormBase<CanonicalForm> {
  using CanonicalFormBase::CanonicalFormBase;

  void dropUnreadWeights() {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto weight : llvm::make_early_inc_range(getOperation().getOps<model::WeightOp>())) {
      if (!users.useEmpty(weight))
        continue;
      weight.emitRemark() << "weight '" << weight.getSymName() << "' is read by nothing and dropped";
      weight.erase();
    }
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DropSameConvert>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    dropUnreadWeights();
  }
};

} // namespace
