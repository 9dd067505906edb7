// The passes of stage plan. Options and contracts: Passes.td.
#pragma once
#include "mlir/Pass/Pass.h"

namespace headrace::plan {
#define GEN_PASS_DECL
#include "passes/plan/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/plan/Passes.h.inc"
} // namespace headrace::plan
