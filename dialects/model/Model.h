// The model dialect: what the network computes, independent of any target. See README.md beside this file.
#pragma once
#include "dialects/enc/Enc.h"
#include "dialects/recipe/Recipe.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/model/ModelDialect.h.inc"
#include "dialects/model/ModelEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/model/ModelAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/model/ModelOps.h.inc"

namespace headrace::model {

/// Discardable attributes: on an entry function its kind ("body", "head"), on the module how often each fusion applied
/// (dictionary of i64), and the facts of the model that the bundle carries.
inline constexpr llvm::StringLiteral kEntryAttr = "model.entry";
inline constexpr llvm::StringLiteral kFusedAttr = "model.fused";
inline constexpr llvm::StringLiteral kVocabAttr = "model.vocab";
inline constexpr llvm::StringLiteral kHiddenAttr = "model.hidden";
inline constexpr llvm::StringLiteral kContextAttr = "model.context";
inline constexpr llvm::StringLiteral kMaxPositionsAttr = "model.max_positions";
inline constexpr llvm::StringLiteral kBosAttr = "model.bos";
inline constexpr llvm::StringLiteral kEosAttr = "model.eos";
inline constexpr llvm::StringLiteral kKindAttr = "model.kind";           // "decoder" (also when absent), "encoder"
inline constexpr llvm::StringLiteral kPoolingAttr = "model.pooling";     // "none" (also when absent), "mean", "cls"
inline constexpr llvm::StringLiteral kNormalizeAttr = "model.normalize"; // bool, false when absent

/// Rows of a gated weight come in tiles of this many, gate and up in turn.
inline constexpr int64_t kGateTile = 32;

/// The anchor of an op: the outermost name of its location, of a fused location the first that has one; empty when
/// there is none. Taps, sites and reports address ops by it.
llvm::StringRef anchorOf(mlir::Location location);

/// The anchor of a value: that of the op it comes from. Results of an op that stands for several (the sum and the norm
/// of model.add_rms_norm) keep the anchors that they had before.
llvm::StringRef anchorOf(mlir::Value value);

/// A location that is called `anchor` and leads back to all of `parts`.
mlir::Location anchored(llvm::StringRef anchor, llvm::ArrayRef<mlir::Location> parts);

/// The weight that `value` stands for when it is the result of a model.param, else null.
WeightOp weightOf(mlir::Value value);

/// The weight named `symbol` in the module around `from`, or null.
WeightOp lookupWeight(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol);

} // namespace headrace::model
