// RopeTable.h - cosines and sines of rotary position embeddings, the same bits on every host (no MLIR).
#ifndef HEADRACE_BUNDLE_ROPETABLE_H
#define HEADRACE_BUNDLE_ROPETABLE_H

#include <cstddef>
#include <vector>

namespace headrace {

/// recipe.rope_table's parameters; a factor of 0 stands for "not given".
struct RopeParameters {
  enum Scaling { None, Linear, Llama3, Yarn } scaling = None;
  double theta = 10000;
  double factor = 0, lowFrequencyFactor = 0, highFrequencyFactor = 0, betaFast = 0, betaSlow = 0, originalPositions = 0;
  bool truncate = false;
  double attentionFactor = 1;
  std::vector<float> divisors; ///< of the frequencies; empty: none
  size_t half = 0;             ///< rotary / 2
};

/// The frequencies in f32, rounded where the reference implementation of Hugging Face rounds.
std::vector<float> ropeFrequencies(const RopeParameters &parameters);

/// Row `position`: `half` cosines, then `half` sines, of the angle float(position) * frequency rounded to f32, times
/// the attention factor.
void ropeRow(const std::vector<float> &frequencies, float attentionFactor, size_t position, float *out);

/// Sine and cosine of an f32 angle below 2^24, correct to the last bit of f32 but for rare ties; libm is not used,
/// whose bits differ from version to version.
void sineCosine(float angle, float &sine, float &cosine);

} // namespace headrace
#endif
