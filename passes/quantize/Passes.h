// The passes of stage quantize. Options and contracts: Passes.td.
#pragma once
#include "dialects/enc/Enc.h"
#include "dialects/model/Model.h"
#include "mlir/Pass/Pass.h"

namespace headrace::quantize {
#define GEN_PASS_DECL
#include "passes/quantize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/quantize/Passes.h.inc"
} // namespace headrace::quantize
