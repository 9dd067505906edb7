// Memory fit, names of targets and of libraries.
#include "compiler/driver/Compile.h"
#include "compiler/driver/Fit.h"

#include <catch2/catch.hpp>

using namespace headrace;

namespace {
MemoryNeed exampleNeed() {
  MemoryNeed need;
  need.weights = 100 << 20;
  need.cache = 64 << 20;
  need.arena = 1 << 20;
  need.context = 4096;
  need.perPosition = (64 << 20) / 4096;
  return need;
}
} // namespace

TEST_CASE("what fits, fits") {
  CHECK(checkFit(exampleNeed(), 165 << 20, "board"));
  CHECK(checkFit(exampleNeed(), 0, "a device of unknown memory"));
}

TEST_CASE("what does not fit is refused with the numbers and the context that would") {
  auto refused = checkFit(exampleNeed(), 133 << 20, "board");
  REQUIRE(!refused);
  CHECK(refused.error().message() == "does not fit board: weights 100.0 MiB + KV cache 64.0 MiB + arena 1.0 MiB = "
                                     "165.0 MiB, expected at most 133.0 MiB; "
                                     "--context 2048 is the largest that would, found 4096");
}

TEST_CASE("weights that do not fit are not saved by a smaller context") {
  auto refused = checkFit(exampleNeed(), 90 << 20, "board");
  REQUIRE(!refused);
  CHECK(refused.error().message() == "does not fit board: weights 100.0 MiB + KV cache 64.0 MiB + arena 1.0 MiB = "
                                     "165.0 MiB, expected at most 90.0 MiB; "
                                     "no --context would; choose a smaller --quant");
}

TEST_CASE("the largest context is whole tiles of 32 positions and fits") {
  MemoryNeed need = exampleNeed();
  for (uint64_t usable : {uint64_t(102) << 20, (uint64_t(133) << 20) - 1, uint64_t(150) << 20}) {
    int64_t context = largestContext(need, usable);
    CHECK(context % 32 == 0);
    uint64_t fixed = need.weights + need.arena;
    CHECK(fixed + uint64_t(context) * need.perPosition <= usable);
    CHECK(fixed + uint64_t(context + 32) * need.perPosition > usable);
  }
  CHECK(largestContext(need, 101 << 20) == 0);
}

TEST_CASE("a library is called after its folder") {
  CHECK(identifierFrom("/models/SmolLM2-135M-Instruct") == "smollm2_135m_instruct");
  CHECK(identifierFrom("models/brook/") == "brook");
  CHECK(identifierFrom("/models/7B") == "m7b");
  for (const char *name : {"hr", "hr_abi", "headrace", "headrace_port", "shared", "port_posix", "stdint", "time"}) {
    CHECK(isReservedName(name));
    CHECK(identifierFrom(std::string("/models/") + name) == std::string("m") + name);
  }
  CHECK_FALSE(isReservedName("hrx"));
  CHECK_FALSE(isReservedName("brook"));
}

TEST_CASE("targets are resolved by name") {
  auto two = resolveTargets("x86-64-v3,reference");
  REQUIRE(two);
  CHECK(*two == std::vector<std::string>{"x86-64-v3", "reference"});
  auto host = resolveTargets("host");
  REQUIRE(host);
  CHECK(host->front() != "host");
  CHECK(!resolveTargets("pdp11"));
  CHECK(!resolveTargets(""));
  auto twice = resolveTargets("x86-64-v3,x86-64-v3");
  REQUIRE(!twice);
  CHECK(twice.error().message() == "--target: expected each target once, found 'x86-64-v3,x86-64-v3'");
  auto mixed = resolveTargets("x86-64-v3,armv8-a");
  REQUIRE(!mixed);
  CHECK(mixed.error().message() == "--target: expected targets of one triple, found 'x86-64-v3,armv8-a'");
}
