// The passes of stage model. Options and contracts: Passes.td.
#pragma once
#include "dialects/model/Model.h"
#include "mlir/Pass/Pass.h"

namespace headrace::model {
#define GEN_PASS_DECL
#include "passes/model/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/model/Passes.h.inc"
} // namespace headrace::model
