// Rope.h - rotary positions in both spellings of config.json.
//
//   old   "rope_theta": 10000.0, "rope_scaling": {"type" or "rope_type": "linear", "factor": 2.0}
//   new   "rope_parameters": {"rope_theta": 10000.0, "rope_type": "linear", "factor": 2.0}
#ifndef HEADRACE_IMPORT_ROPE_H
#define HEADRACE_IMPORT_ROPE_H

#include "compiler/import/config/FieldReader.h"
#include "compiler/import/config/LlamaConfig.h"

namespace headrace {

/// Fills made.rope; made.headDim and made.maxPositions are known already.
Result<void> readRope(const FieldReader &config, LlamaConfig &made);

} // namespace headrace
#endif
