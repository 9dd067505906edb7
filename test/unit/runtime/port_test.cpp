// port_test.cpp - fork-join of the POSIX port.
#include "fixture.h"

#include <atomic>
#include <thread>

TEST_CASE("every thread runs every round once") {
  for (uint32_t threads : {1u, 2u, 4u}) {
    hr_port port;
    REQUIRE(hr_port_posix(&port, threads) == 0);
    std::vector<std::atomic<uint32_t>> counts(threads);
    for (uint32_t round = 1; round <= 300; ++round) {
      if (round % 100 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the workers are asleep by now
      auto count = [](void *arg, uint32_t thread) {
        ++(*static_cast<std::vector<std::atomic<uint32_t>> *>(arg))[thread];
      };
      REQUIRE(port.parallel(port.context, threads, count, &counts) == 0);
      for (const auto &c : counts)
        REQUIRE(c == round);
    }
    CHECK(port.parallel(port.context, threads + 1, nullptr, nullptr) != 0);
    hr_port_posix_close(&port);
    CHECK(port.context == nullptr);
  }
}

TEST_CASE("fewer threads than there are workers may take part") {
  hr_port port;
  REQUIRE(hr_port_posix(&port, 4) == 0);
  std::atomic<uint32_t> sum{0};
  auto add = [](void *arg, uint32_t thread) { *static_cast<std::atomic<uint32_t> *>(arg) += 1u << thread; };
  REQUIRE(port.parallel(port.context, 2, add, &sum) == 0);
  CHECK(sum == 3);
  hr_port_posix_close(&port);
}

TEST_CASE("the clock goes forward, and threads have a limit") {
  hr_port port;
  REQUIRE(hr_port_posix(&port, 1) == 0);
  const uint64_t before = port.now_ns(port.context);
  CHECK(port.now_ns(port.context) >= before);
  hr_port_posix_close(&port);
  CHECK(hr_port_posix(&port, HR_MAX_THREADS + 1) != 0);
}
