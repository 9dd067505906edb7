// Weights.h - executes recipes into weights.bin: final layout, page-aligned sections, checksums (runtime/abi/hr_abi.h).
#ifndef HEADRACE_BUNDLE_WEIGHTS_H
#define HEADRACE_BUNDLE_WEIGHTS_H

#include "dialects/model/Model.h"
#include "runtime/abi/hr_abi.h"

#include <functional>
#include <string>
#include <vector>

namespace headrace {

struct WeightsResult {
  std::vector<hr_blob_section> sections; ///< the section table, in order
  uint64_t fileBytes = 0;
  uint64_t tableHash = 0; ///< what hr_library.blob_hash must equal
};

struct WeightsInput {
  mlir::ModuleOp module; ///< weights with enc, layout, device, offset and bytes; plan.base ops name the sections
  std::string checkpointFolder;
  const std::vector<uint8_t> *tokenizer = nullptr;    ///< null: no tokenizer section
  const std::vector<uint8_t> *chatTemplate = nullptr; ///< null: no chat template section
  unsigned threads = 1;
  std::function<void(double)> progress; ///< share of the bytes written so far, 0 .. 1; may be empty
};

/// Writes the file at `path`. Section i is that of the i-th plan.base of kind "section"; tokenizer and chat template come last. Peak
/// memory is one tile a thread. The bytes do not depend on the number of threads.
mlir::FailureOr<WeightsResult> writeWeights(const WeightsInput &input, const std::string &path);

} // namespace headrace
#endif
