// The target dialect: what passes may ask of a device. See README.md beside this file.
#pragma once
#include "dialects/enc/Enc.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"

#include "dialects/target/TargetDialect.h.inc"
#include "dialects/target/TargetInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/target/TargetAttrs.h.inc"

namespace headrace::target {
/// Name of the module attribute that lists the devices.
inline constexpr llvm::StringLiteral kDevicesAttr = "target.devices";

/// The devices of a compilation, in order of their indices; empty when the module names none.
llvm::SmallVector<Device> devicesOf(mlir::ModuleOp module);
} // namespace headrace::target
