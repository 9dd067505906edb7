// difference_test.cpp - the statistics of `headrace diff`, on numbers that can be checked by hand.
#include "compiler/tools/headrace/Difference.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace headrace;

namespace {

Recording recording(std::vector<RecordedValue> values, std::vector<float> logits) {
  Recording r;
  r.tokens = 2;
  r.vocab = 3;
  r.logits = std::move(logits);
  r.values = std::move(values);
  return r;
}

} // namespace

TEST_CASE("values are compared by name, in the order in which they are computed") {
  Recording reference = recording({{"a", 2, {3, 0, 0, 4}}, {"b", 1, {1, 1}}, {"gone", 1, {1, 1}}}, {0, 1, 2, 5, 4, 3});
  Recording found = recording({{"b", 1, {1, 1}}, {"a", 2, {3, 0, 0, 4.5f}}, {"new", 1, {9, 9}}}, {0, 1, 2, 5, 6, 3});
  std::vector<Difference> d = compareRecordings(found, reference);
  REQUIRE(d.size() == 3);
  CHECK(d[0].name == "b");
  CHECK(d[0].relative == 0);
  CHECK(d[1].name == "a");
  CHECK(d[1].relative == Approx(0.5 / 5));
  CHECK(d[1].largest == Approx(0.5));
  CHECK(d[2].name == "logits");
  CHECK(d[2].relative == Approx(2 / std::sqrt(55.0)));
  CHECK(sameChoices(found, reference) == 1);
  CHECK(notCompared(found, reference) == std::vector<std::string>{"new", "gone"});
}

TEST_CASE("zeros, and what is not a number") {
  Recording reference = recording({{"zero", 1, {0, 0}}, {"nan", 1, {1, 1}}}, {0, 1, 2, 0, 1, 2});
  Recording found = recording({{"zero", 1, {0, 1}}, {"nan", 1, {1, NAN}}}, {0, 1, 2, 0, 1, 2});
  std::vector<Difference> d = compareRecordings(found, reference);
  CHECK(std::isinf(d[0].relative));
  CHECK(!(d[1].relative <= 1e300)); // never good
  CHECK(d[2].relative == 0);
  CHECK(compareRecordings(reference, reference)[0].relative == 0);
}

TEST_CASE("choices of experts are shown, and their sum is judged") {
  CHECK_FALSE(isJudged("layers.3.mlp.route"));
  CHECK_FALSE(isJudged("layers.3.mlp.choice0.mul"));
  CHECK_FALSE(isJudged("layers.3.mlp.choice0.out"));
  CHECK(isJudged("layers.3.mlp.out"));
  CHECK(isJudged("layers.3.mlp.router"));
}
