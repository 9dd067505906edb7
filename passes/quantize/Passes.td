// Stage quantize: which encoding each weight, activation and cache has.
#ifndef HEADRACE_PASSES_QUANTIZE_TD
#define HEADRACE_PASSES_QUANTIZE_TD
include "mlir/Pass/PassBase.td"
#endif
