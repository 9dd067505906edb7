// Difference.h - how far apart two recordings of the same tokens are.
#ifndef HEADRACE_TOOLS_DIFFERENCE_H
#define HEADRACE_TOOLS_DIFFERENCE_H

#include "compiler/tools/headrace/Recording.h"

namespace headrace {

/// How far a value is from its reference.
struct Difference {
  std::string name;
  double relative = 0; ///< |value - reference| / |reference|, Euclidean over all tokens; 0 / 0 counts as 0
  double largest = 0;  ///< largest absolute difference of an element
};

/// The values that both have, in order, and the logits at the end.
std::vector<Difference> compareRecordings(const Recording &found, const Recording &reference);

/// Whether a difference says that something is wrong. It does not among the choices of a mixture of experts: a rounded
/// score that puts two of them in the other order exchanges their values, and leaves their sum, "layers.0.mlp.out".
bool isJudged(const std::string &name);

/// Names of the values that only one of the two has, such as those that one keeps in codes.
std::vector<std::string> notCompared(const Recording &found, const Recording &reference);

/// Tokens whose most likely next token is the same.
size_t sameChoices(const Recording &found, const Recording &reference);

} // namespace headrace
#endif
