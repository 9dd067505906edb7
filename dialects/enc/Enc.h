// The enc dialect: encodings of weights, activations and KV caches. See README.md beside this file.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace headrace::enc {
/// What the groups of a 4-bit weight have beside a scale.
enum class W4Offset { None, Minimum, ZeroPoint };
} // namespace headrace::enc

#include "dialects/enc/EncDialect.h.inc"
#include "dialects/enc/EncInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/enc/EncAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/enc/EncTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/enc/EncOps.h.inc"

namespace headrace::enc {
/// The encoding spelled `name` ("f32", "f16", "w8", "w4", "w4a", "w4z") with `group` where it has groups; null when
/// there is none of this name or the group is not allowed.
Encoding encodingNamed(mlir::MLIRContext *context, llvm::StringRef name, int64_t group);

/// Group sizes that weights and activations may have.
bool isAllowedGroup(int64_t group);
} // namespace headrace::enc
