// embed_test.cpp - encoders: one step a text, pooling and normalisation, and what only decoders can do.
#include "fixture.h"

#include <cmath>

namespace {

/// The fake library as an encoder: its bodies alone. Row p of the hidden states is (state after p, token, p).
struct Encoder : Fixture {
  explicit Encoder(uint32_t pooling, uint32_t normalize) : Fixture(2) {
    library.model_kind = HR_MODEL_ENCODER;
    library.entry_count = 2;
    library.pooling = pooling;
    library.normalize = normalize;
  }
};

std::vector<double> expectedRow(const std::vector<int32_t> &ids, size_t p) {
  int32_t state = 0;
  for (size_t j = 0; j <= p; ++j)
    state = (state + static_cast<int32_t>(j + 1) * (ids[j] + 1)) % 251;
  return {double(state), double(ids[p]), double(p)};
}

} // namespace

TEST_CASE("an embedding is the mean or the first row, of length 1 when asked") {
  const std::vector<int32_t> ids = {72, 105, 33, 9, 200};
  for (uint32_t pooling : {HR_POOLING_NONE, HR_POOLING_MEAN, HR_POOLING_CLS})
    for (uint32_t normalize : {0u, 1u}) {
      Encoder f(pooling, normalize);
      std::vector<float> found(3);
      REQUIRE(hr_embed(f.session, ids.data(), 5, found.data()) == HR_OK);
      std::vector<double> want(3);
      for (size_t p = 0; p < 5; ++p)
        for (size_t i = 0; i < 3; ++i) {
          CHECK(hr_hidden(f.session, static_cast<uint32_t>(p))[i] == static_cast<float>(expectedRow(ids, p)[i]));
          want[i] += pooling == HR_POOLING_CLS ? (p ? 0 : expectedRow(ids, 0)[i]) : expectedRow(ids, p)[i] / 5;
        }
      const double length = normalize ? std::sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]) : 1;
      for (size_t i = 0; i < 3; ++i)
        CHECK(found[i] == Approx(want[i] / length).epsilon(3e-7));
      CHECK(hr_hidden(f.session, 5) == nullptr);
    }
}

TEST_CASE("each text stands for itself") {
  Encoder f(HR_POOLING_MEAN, 1);
  std::vector<float> first(3), again(3);
  const std::vector<int32_t> a = {1, 2, 3, 4, 5, 6, 7, 8}, b = {90, 91};
  REQUIRE(hr_embed(f.session, a.data(), 8, first.data()) == HR_OK);
  REQUIRE(hr_embed(f.session, b.data(), 2, again.data()) == HR_OK);
  CHECK(again != first);
  REQUIRE(hr_embed(f.session, a.data(), 8, again.data()) == HR_OK);
  CHECK(again == first);
  REQUIRE(hr_embed(f.session, b.data(), 2, nullptr) == HR_OK); // hidden states alone
  CHECK(hr_hidden(f.session, 1)[1] == 91);
}

TEST_CASE("what an encoder, and what a decoder, refuses") {
  Encoder f(HR_POOLING_MEAN, 0);
  std::vector<float> out(3);
  const std::vector<int32_t> ids(9, 5);
  CHECK(hr_embed(f.session, ids.data(), 9, out.data()) == HR_CONTEXT_FULL); // the largest body takes 8
  CHECK(hr_embed(f.session, ids.data(), 0, out.data()) == HR_INVALID_ARGUMENT);
  const int32_t strange[] = {5, fake_vocab}, fault[] = {5, fake_fault_id};
  CHECK(hr_embed(f.session, strange, 2, out.data()) == HR_INVALID_ARGUMENT);
  CHECK(hr_embed(f.session, fault, 2, out.data()) == HR_NOT_FINITE);
  CHECK(std::string(hr_fault_site(f.model)) == "layers.0.mlp.norm");
  CHECK(hr_hidden(f.session, 0) == nullptr);
  CHECK(hr_append(f.session, ids.data(), 1, HR_LAST_ROW, nullptr, nullptr) == HR_UNSUPPORTED);
  CHECK(hr_generate(f.session, ids.data(), 1, nullptr, nullptr, nullptr, nullptr) == HR_UNSUPPORTED);
  Fixture decoder;
  CHECK(hr_embed(decoder.session, ids.data(), 1, out.data()) == HR_UNSUPPORTED);
}
