// The passes of stage partition. Options and contracts: Passes.td.
#pragma once
#include "mlir/Pass/Pass.h"

namespace headrace::partition {
#define GEN_PASS_DECL
#include "passes/partition/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/partition/Passes.h.inc"
} // namespace headrace::partition
