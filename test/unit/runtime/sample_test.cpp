// sample_test.cpp - the sampler against an oracle that is written another way, in double and with std::sort.
#include "fixture.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace {

struct Draw {
  std::vector<double> p; // per id, 0 when excluded
  int32_t id;
};

/// The rules of headrace.h, literally.
std::vector<double> probabilities(const hr_sampling &s, std::vector<double> logits, const std::vector<int32_t> &seen) {
  std::vector<bool> done(logits.size());
  for (int32_t id : seen)
    if (s.repetition_penalty > 0 && !done[size_t(id)]) {
      done[size_t(id)] = true;
      double &l = logits[size_t(id)];
      l = l > 0 ? l / s.repetition_penalty : l * s.repetition_penalty;
    }
  std::vector<size_t> order(logits.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  const double top = logits[order[0]];
  if (s.top_k && s.top_k < order.size())
    order.resize(s.top_k);
  auto weight = [&](size_t i) { return std::exp((logits[i] - top) / s.temperature); };
  double all = 0, sum = 0;
  for (size_t i : order)
    all += weight(i);
  if (s.top_p > 0 && s.top_p < 1)
    for (size_t i = 0; i < order.size(); ++i)
      if ((sum += weight(order[i])) >= all * s.top_p) {
        order.resize(i + 1);
        break;
      }
  std::vector<double> p(logits.size(), 0);
  for (size_t i : order)
    p[i] = weight(i) >= s.min_p ? weight(i) : 0;
  all = 0;
  for (double x : p)
    all += x;
  for (double &x : p)
    x /= all;
  return p;
}

std::vector<float> randomLogits(size_t n, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> logits(n);
  for (float &l : logits)
    l = static_cast<float>(static_cast<int>(generator() % 2000) - 1000) / 128.0f;
  return logits;
}

int32_t sampleOnce(const hr_sampling &s, hr_random &random, const std::vector<float> &logits,
                   const std::vector<int32_t> &seen = {}) {
  std::vector<uint64_t> scratch(hr_sample_scratch(static_cast<uint32_t>(logits.size())) / 8 + 1);
  int32_t id = -1;
  REQUIRE(hr_sample(&s, &random, logits.data(), static_cast<uint32_t>(logits.size()), seen.data(),
                    static_cast<uint32_t>(seen.size()), scratch.data(), &id) == HR_OK);
  return id;
}

} // namespace

TEST_CASE("greedy takes the lowest id among equals") {
  hr_sampling s = {};
  hr_random random = {0};
  CHECK(sampleOnce(s, random, {1, 3, 2, 3}) == 1);
  CHECK(sampleOnce(s, random, {-5, -3, -3, -4}) == 1);
  CHECK(sampleOnce(s, random, {-1, -0.0f, 0.0f}) == 1);
  CHECK(sampleOnce(s, random, {7}) == 0);
  s.repetition_penalty = 2;
  CHECK(sampleOnce(s, random, {1, 3, 2, 3}, {1, 3, 1}) == 2); // 1.5 and 1.5 against 2
  CHECK(sampleOnce(s, random, {-1, -3, -1.5f}, {0}) == 2);    // -2
  CHECK(sampleOnce(s, random, {4, 5}, {1, 1}) == 0);          // applied once
}

TEST_CASE("what is not finite is refused") {
  hr_sampling s = {};
  hr_random random = {0};
  int32_t id = 0;
  for (float bad : {NAN, -NAN, INFINITY, -INFINITY}) {
    float logits[] = {1, bad, 2};
    uint64_t scratch[3];
    CHECK(hr_sample(&s, &random, logits, 3, nullptr, 0, scratch, &id) == HR_NOT_FINITE);
  }
}

TEST_CASE("ids come with the probabilities that the rules give") {
  struct Case {
    float temperature, topP, minP, penalty;
    uint32_t topK;
  };
  const Case cases[] = {{1, 0, 0, 0, 0},       {0.7f, 0, 0, 0, 0},     {1, 0, 0, 0, 5},
                        {1, 0.5f, 0, 0, 0},    {1.3f, 0.8f, 0, 0, 20}, {1, 0, 0.2f, 0, 0},
                        {1, 0.9f, 0.1f, 0, 0}, {1, 0, 0, 1.3f, 0},     {2, 0.95f, 0.05f, 1.2f, 12},
                        {1, 1, 0, 1, 1000},    {1, 0.0001f, 0, 0, 0},  {1, 0, 0, 0, 1}};
  const std::vector<int32_t> seen = {3, 9, 3, 31};
  uint32_t n = 0;
  for (const Case &c : cases) {
    hr_sampling s = {};
    s.temperature = c.temperature, s.top_p = c.topP, s.min_p = c.minP, s.repetition_penalty = c.penalty,
    s.top_k = c.topK;
    const std::vector<float> logits = randomLogits(50, ++n);
    const std::vector<double> p = probabilities(s, {logits.begin(), logits.end()}, seen);
    INFO("case " << n);
    std::vector<double> counts(50, 0);
    hr_random random = {n};
    const int draws = 20000;
    for (int i = 0; i < draws; ++i)
      ++counts[size_t(sampleOnce(s, random, logits, seen))];
    double chi = 0;
    int kinds = 0;
    for (size_t i = 0; i < 50; ++i) {
      if (p[i] == 0) {
        CHECK(counts[i] == 0);
        continue;
      }
      chi += (counts[i] - p[i] * draws) * (counts[i] - p[i] * draws) / (p[i] * draws);
      ++kinds;
    }
    CHECK(chi < kinds + 6 * std::sqrt(2.0 * kinds) + 10);
  }
}

TEST_CASE("the draw itself is pinned") {
  hr_random random = {42};
  std::vector<float> units;
  for (int i = 0; i < 4; ++i)
    units.push_back(hr_random_unit(&random));
  // splitmix64 from 42, its upper 24 bits
  CHECK(units == std::vector<float>{float(0xbdd732) * 0x1p-24f, float(0x28efe3) * 0x1p-24f,
                                    float(0x47526757 >> 8) * 0x1p-24f, units[3]});
}

TEST_CASE("own exp is close to the real one") {
  double worst = 0;
  for (float x = -87.0f; x <= 0; x += 0.00317f)
    worst = std::max(worst, std::abs(hr_exp(x) / std::exp(double(x)) - 1));
  CHECK(worst < 3e-7);
  CHECK(hr_exp(0) == 1);
  CHECK(hr_exp(-88) == 0);
  CHECK(hr_exp(NAN) == 0);
}
