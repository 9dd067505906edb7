// The passes of stage tile. Options and contracts: Passes.td.
#pragma once
#include "mlir/Pass/Pass.h"

namespace headrace::tile {
#define GEN_PASS_DECL
#include "passes/tile/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/tile/Passes.h.inc"
} // namespace headrace::tile
