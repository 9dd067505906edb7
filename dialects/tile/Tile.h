// Dialect `tile`: kernel invocations on tensors. Operations and constraints: Tile.td; families: KernelFamilies.h.
#ifndef HEADRACE_DIALECTS_TILE_TILE_H
#define HEADRACE_DIALECTS_TILE_TILE_H
#include "dialects/tile/KernelFamilies.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace headrace::tile {
/// Where an operand of a kernel comes from: an SSA value (operand or result), or the K or V part of a cache symbol.
struct KernelOperand {
  enum Kind { Value, KCache, VCache } kind;
  mlir::Value value;
  mlir::FlatSymbolRefAttr cache;
  int64_t offset = 0; ///< bytes from the value's first row on
};

/// The part of every kernel operation's verification that the family table can do.
llvm::LogicalResult verifyKernelOp(mlir::Operation *op);
} // namespace headrace::tile

#include "dialects/tile/TileDialect.h.inc"
#include "dialects/tile/TileInterfaces.h.inc"
#include "dialects/tile/TileOpInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/tile/TileOps.h.inc"
#endif
