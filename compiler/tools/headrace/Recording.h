// Recording.h - what a bundle computes for a list of tokens: logits and the values that --taps kept.
#ifndef HEADRACE_TOOLS_RECORDING_H
#define HEADRACE_TOOLS_RECORDING_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headrace {

/// One value over all tokens: [tokens][columns].
struct RecordedValue {
  std::string name; ///< "layers.3.mlp.down"
  size_t columns = 0;
  std::vector<float> rows;
};

struct Recording {
  size_t tokens = 0, vocab = 0;
  std::vector<float> logits;         ///< [tokens][vocab]
  std::vector<RecordedValue> values; ///< in the order in which they are computed
};

/// Runs the tokens one by one on this machine. Chunks make no difference to the values (the float contract), and of a
/// step of one token every value is whole.
Result<Recording> recordBundle(const std::string &bundle, const std::vector<int32_t> &ids);

} // namespace headrace
#endif
