#include "compiler/bundle/RopeTable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace headrace {
namespace {

constexpr double ln2High = 0x1.62e42feep-1, ln2Low = 0x1.a39ef35793c76p-33; // together ln 2; n * ln2High is exact

/// log(x) for positive normal x: x = m 2^e with m in [sqrt(1/2), sqrt(2)), log m by the series of atanh((m - 1) / (m +
/// 1)).
double logarithm(double x) {
  int exponent;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752440) {
    mantissa *= 2;
    --exponent;
  }
  double s = (mantissa - 1) / (mantissa + 1), square = s * s, sum = 0;
  for (int n = 25; n >= 1; n -= 2)
    sum = sum * square + 1.0 / n;
  return (exponent * ln2Low + 2 * s * sum) + exponent * ln2High;
}

/// exp(x) for |x| < 700: x = n ln 2 + r, exp r by its series.
double exponential(double x) {
  double n = std::nearbyint(x * 1.44269504088896340736);
  double r = (x - n * ln2High) - n * ln2Low, sum = 1;
  for (int i = 20; i >= 1; --i)
    sum = sum * r / i + 1;
  return std::ldexp(sum, int(n));
}

} // namespace

void sineCosine(float angle, float &sine, float &cosine) {
  // pi / 2 in three parts of at most 33 bits: n * part is exact for n below 2^20.
  constexpr double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2e037073p-69;
  double n = std::nearbyint(double(angle) * 0.63661977236758134308);
  double r = ((double(angle) - n * part1) - n * part2) - n * part3, square = r * r;
  // 1 - r^2 / (2 3) (1 - r^2 / (4 5) (...)), from the last term inwards.
  double s = 1, c = 1;
  for (int i = 19; i >= 3; i -= 2)
    s = 1 - square / (double(i) * (i - 1)) * s;
  for (int i = 20; i >= 2; i -= 2)
    c = 1 - square / (double(i) * (i - 1)) * c;
  s *= r;
  switch (int64_t(n) & 3) {
  case 0:
    sine = float(s), cosine = float(c);
    break;
  case 1:
    sine = float(c), cosine = float(-s);
    break;
  case 2:
    sine = float(-s), cosine = float(-c);
    break;
  default:
    sine = float(-c), cosine = float(s);
  }
}

namespace {

/// Wavelengths below the high bound stay, above the low bound are stretched, and blend between.
float llama3Frequency(const RopeParameters &p, float frequency) {
  float wavelength = 6.283185307179586f / frequency;
  float low = float(p.lowFrequencyFactor), high = float(p.highFrequencyFactor), length = float(p.originalPositions);
  if (wavelength > float(p.originalPositions / p.lowFrequencyFactor))
    return frequency / float(p.factor);
  if (wavelength < float(p.originalPositions / p.highFrequencyFactor))
    return frequency;
  float smooth = (length / wavelength - low) / (high - low);
  return (1.0f - smooth) * frequency / float(p.factor) + smooth * frequency;
}

/// The ramp from frequencies that stay (0) to those that are stretched (1), over the dimensions.
struct YarnRamp {
  double low, high;
  explicit YarnRamp(const RopeParameters &p) {
    auto dimension = [&](double turns) {
      double ratio = logarithm(p.originalPositions / (turns * 6.283185307179586));
      return double(2 * p.half) * ratio / (2 * logarithm(p.theta));
    };
    low = dimension(p.betaFast);
    high = dimension(p.betaSlow);
    if (p.truncate) {
      low = std::floor(low);
      high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, double(2 * p.half) - 1);
    if (low == high)
      high += 0.001;
  }
  float at(size_t i) const { return std::clamp((float(i) - float(low)) / float(high - low), 0.0f, 1.0f); }
};

} // namespace

std::vector<float> ropeFrequencies(const RopeParameters &p) {
  std::vector<float> frequencies(p.half);
  double logTheta = logarithm(double(float(p.theta))); // the original meets it as an f32 scalar
  for (size_t i = 0; i != p.half; ++i) {
    float exponent = float(2 * i) / float(2 * p.half);
    float power = float(exponential(logTheta * double(exponent)));
    float divided = p.divisors.empty() ? power : p.divisors[i] * power;
    float frequency = 1.0f / divided;
    if (p.scaling == RopeParameters::Linear) {
      frequency /= float(p.factor);
    } else if (p.scaling == RopeParameters::Llama3) {
      frequency = llama3Frequency(p, frequency);
    } else if (p.scaling == RopeParameters::Yarn) {
      float kept = 1.0f - YarnRamp(p).at(i), stretched = 1.0f / (float(p.factor) * divided);
      float left = stretched * (1.0f - kept), right = frequency * kept;
      frequency = left + right;
    }
    frequencies[i] = frequency;
  }
  return frequencies;
}

void ropeRow(const std::vector<float> &frequencies, float attentionFactor, size_t position, float *out) {
  size_t half = frequencies.size();
  for (size_t i = 0; i != half; ++i) {
    sineCosine(float(position) * frequencies[i], out[half + i], out[i]);
    out[i] *= attentionFactor;
    out[half + i] *= attentionFactor;
  }
}

} // namespace headrace
