// The recipe dialect: how the values of a weight come from the checkpoint. See README.md beside this file.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/recipe/RecipeDialect.h.inc"
#include "dialects/recipe/RecipeEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/recipe/RecipeAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/recipe/RecipeOps.h.inc"
