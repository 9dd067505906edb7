// What the fusions of this stage share: counting, names of merged weights, and merging recipes.
#pragma once
#include "dialects/model/Model.h"

namespace headrace::model {

/// Adds `count` to entry `what` of the module's `model.fused`.
void countFused(mlir::ModuleOp module, llvm::StringRef what, int64_t count);

/// "layers.0.attn.q", "qkv" -> "layers.0.attn.qkv"
std::string siblingName(llvm::StringRef name, llvm::StringRef last);

/// The symbols of a module, and how many params read each weight: found once for a pass, and kept right by what is
/// below.
class Symbols {
public:
  explicit Symbols(mlir::ModuleOp module);

  /// As model::weightOf, without searching the module.
  WeightOp weightOf(mlir::Value value) const;
  int64_t readersOf(WeightOp weight) const { return readers.lookup(weight.getSymNameAttr()); }
  /// `wanted`, or `wanted` with a number behind it when the module has such a symbol.
  std::string freeName(llvm::StringRef wanted) const;
  void insert(mlir::Operation *symbol) { table.insert(symbol); }
  void erase(mlir::Operation *symbol) { table.erase(symbol); }

private:
  mlir::SymbolTable table;
  llvm::DenseMap<mlir::StringAttr, int64_t> readers;
};

/// A group of linear ops on one input that are to become one.
using Linears = llvm::ArrayRef<LinearOp>;

/// Why `linears` cannot become one op, or an empty string when they can: one input, nothing but a bias behind the
/// product, each result used once, one route if any, and weights of their own, of one encoding if any, that are read
/// `uses` times in all.
std::string whyNotMergeable(const Symbols &symbols, Linears linears, unsigned uses = 1);

/// The weights of some linear ops as one.
struct MergedWeights {
  mlir::Value weight, bias; // params made at the builder; bias is null when no linear has one
};

/// Makes one weight `name` (and `name`.bias) whose recipe applies `combine` to the yields of the linears' recipes, in
/// order (zeros for a missing bias where others have one), and erases theirs. Params appear at the builder's insertion
/// point. The linears themselves stay for the caller to replace.
MergedWeights
mergeWeights(mlir::OpBuilder &builder, Symbols &symbols, Linears linears, llvm::StringRef name,
             llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> combine);

/// Erases linears that were replaced, and params and weights that nobody uses any more.
void eraseMerged(Symbols &symbols, Linears linears);

} // namespace headrace::model
