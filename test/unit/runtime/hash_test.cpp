// hash_test.cpp - XXH64 against libxxhash.
#include "fixture.h"

#include <random>
#include <xxhash.h>

TEST_CASE("hash equals libxxhash's") {
  std::mt19937 generator(1);
  std::vector<uint8_t> data(4096);
  for (uint8_t &b : data)
    b = static_cast<uint8_t>(generator());
  for (size_t n = 0; n <= 400; ++n)
    for (uint64_t seed : {uint64_t(0), uint64_t(1), uint64_t(0x9e3779b97f4a7c15)})
      for (size_t at : {size_t(0), size_t(3)})
        CHECK(hr_hash64(data.data() + at, n, seed) == XXH64(data.data() + at, n, seed));
  CHECK(hr_hash64(data.data(), data.size(), 7) == XXH64(data.data(), data.size(), 7));
}

TEST_CASE("hash of two pieces equals that of the whole") {
  std::vector<uint8_t> data(500);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<uint8_t>(i * 31);
  for (size_t head : {size_t(0), size_t(32), size_t(64), size_t(128)})
    for (size_t n = head; n < 500; n += 13)
      CHECK(hr_hash64_pair(data.data(), head, data.data() + head, n - head, 5) == XXH64(data.data(), n, 5));
}
