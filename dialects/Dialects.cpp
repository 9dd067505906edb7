#include "dialects/Dialects.h"
#include "dialects/enc/Enc.h"
#include "dialects/model/Model.h"
#include "dialects/plan/Plan.h"
#include "dialects/recipe/Recipe.h"
#include "dialects/target/Target.h"
#include "dialects/tile/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

void headrace::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect>();
  registry.insert<enc::EncDialect, model::ModelDialect, plan::PlanDialect, recipe::RecipeDialect, target::TargetDialect,
                  tile::TileDialect>();
}
