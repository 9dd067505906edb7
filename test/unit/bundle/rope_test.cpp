// The rope table against libm in double.
#include "compiler/bundle/RopeTable.h"
#include "headrace.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace headrace;

TEST_CASE("sine and cosine are those of libm, rounded to f32") {
  for (float angle :
       {0.0f, 1e-8f, 0.5f, 0.78539819f, 1.5707964f, 3.1415927f, 100.25f, 8191.0f, 131071.0f, 1048575.5f}) {
    float sine, cosine;
    sineCosine(angle, sine, cosine);
    CHECK(sine == float(std::sin(double(angle))));
    CHECK(cosine == float(std::cos(double(angle))));
  }
  int apart = 0;
  for (int i = 0; i != 200000; ++i) {
    float angle = float(i) * 0.6180339f, sine, cosine;
    sineCosine(angle, sine, cosine);
    apart += sine != float(std::sin(double(angle))) || cosine != float(std::cos(double(angle)));
  }
  CHECK(apart <= 2);
}

TEST_CASE("frequencies are powers of theta, rounded as pow in f32 and a division") {
  RopeParameters parameters;
  parameters.half = 32;
  for (double theta : {10000.0, 100000.0, 500000.0, 1e6}) {
    parameters.theta = theta;
    std::vector<float> frequencies = ropeFrequencies(parameters);
    for (size_t i = 0; i != 32; ++i)
      CHECK(frequencies[i] == 1.0f / float(std::pow(theta, double(float(2 * i) / 64.0f))));
  }
}

TEST_CASE("linear scaling divides every frequency, llama3 the low ones") {
  RopeParameters plain, linear, llama3;
  plain.half = linear.half = llama3.half = 32;
  plain.theta = linear.theta = llama3.theta = 500000;
  linear.scaling = RopeParameters::Linear;
  linear.factor = 4;
  llama3.scaling = RopeParameters::Llama3;
  llama3.factor = 8;
  llama3.lowFrequencyFactor = 1;
  llama3.highFrequencyFactor = 4;
  llama3.originalPositions = 8192;
  auto base = ropeFrequencies(plain), divided = ropeFrequencies(linear), bent = ropeFrequencies(llama3);
  for (size_t i = 0; i != 32; ++i) {
    CHECK(divided[i] == base[i] / 4);
    CHECK((bent[i] <= base[i] && bent[i] >= base[i] / 8));
  }
  CHECK(bent[0] == base[0]);
  CHECK(bent[31] == base[31] / 8);
}

TEST_CASE("yarn keeps fast turns, divides slow ones, and blends between") {
  RopeParameters plain, yarn;
  plain.half = yarn.half = 16;
  yarn.scaling = RopeParameters::Yarn;
  yarn.factor = 4;
  yarn.betaFast = 32;
  yarn.betaSlow = 1;
  yarn.originalPositions = 64;
  yarn.truncate = true;
  auto base = ropeFrequencies(plain), bent = ropeFrequencies(yarn);
  // 32 ln(64 / (beta 2 pi)) / (2 ln 10000): -1.99 for 32 and 4.03 for 1, so the ramp goes from 0 to 5.
  CHECK(bent[0] == base[0]);
  for (size_t i = 5; i != 16; ++i)
    CHECK(bent[i] == base[i] / 4);
  for (size_t i = 1; i != 5; ++i) {
    double ramp = double(i) / 5, expected = double(base[i]) * (1 - ramp) + double(base[i]) / 4 * ramp;
    CHECK(std::abs(bent[i] - expected) < 1e-7 * expected);
  }
  yarn.truncate = false; // the ramp ends at 4.03 instead
  double end = 32 * std::log(64 / (2 * M_PI)) / (2 * std::log(10000.0)), ramp = 2 / end;
  CHECK(std::abs(ropeFrequencies(yarn)[2] - base[2] * (1 - ramp * 0.75)) < 1e-6 * base[2]);
}

TEST_CASE("a row is cosines, then sines, of the angle rounded to f32") {
  std::vector<float> frequencies = {1.0f, 0.1f, 0.01f};
  float row[6];
  ropeRow(frequencies, 1.0f, 77, row);
  for (size_t i = 0; i != 3; ++i) {
    CHECK(row[i] == float(std::cos(double(77.0f * frequencies[i]))));
    CHECK(row[3 + i] == float(std::sin(double(77.0f * frequencies[i]))));
  }
}

TEST_CASE("the bits of a table are pinned") {
  // From any compiler and C library on any host; a change here is a change of every bundle.
  RopeParameters parameters;
  parameters.half = 32;
  parameters.theta = 500000;
  parameters.scaling = RopeParameters::Llama3;
  parameters.factor = 8;
  parameters.lowFrequencyFactor = 1;
  parameters.highFrequencyFactor = 4;
  parameters.originalPositions = 8192;
  std::vector<float> frequencies = ropeFrequencies(parameters), rows(4096 * 64);
  for (size_t p = 0; p != 4096; ++p)
    ropeRow(frequencies, 1.0f, p * 31, rows.data() + p * 64);
  CHECK(hr_hash64(rows.data(), rows.size() * sizeof(float), 0) == 0xef7a57b9a4c100ec);
}
