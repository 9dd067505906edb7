// Golden.h - the self-test of a bundle: a prompt, what it must be continued with, and a hash of every logit on the way;
// of an encoder a hash of the last hidden states.
#ifndef HEADRACE_BUNDLE_GOLDEN_H
#define HEADRACE_BUNDLE_GOLDEN_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headrace {

struct Golden {
  std::vector<int32_t> ids;      // prompt
  bool encoder = false;
  std::vector<int32_t> expected; // greedy continuation, end ids not heeded; none of an encoder
  uint64_t rowsHash = 0; // XXH64 of each row they were chosen from, or each hidden state, seeded with the hash before
};

/// Runs the library `shared` (for this machine) on the weights. An empty result: this machine lacks a CPU feature that
/// the library needs. The numbers do not depend on `threads` or on the library's target.
Result<Golden> computeGolden(const std::string &shared, const std::string &weights, unsigned threads);

/// The text of golden/golden.json.
std::string goldenText(const Golden &golden);

} // namespace headrace
#endif
