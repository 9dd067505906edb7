#include "compiler/support/Parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace headrace {

unsigned hardwareThreads() { return std::max(1u, std::thread::hardware_concurrency()); }

void parallelFor(unsigned threads, size_t count, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next{0};
  auto loop = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1))
      work(i);
  };
  std::vector<std::thread> helpers;
  size_t wanted = std::min<size_t>(std::max(1u, threads), count);
  for (size_t t = 1; t < wanted; ++t)
    helpers.emplace_back(loop);
  loop();
  for (std::thread &helper : helpers)
    helper.join();
}

} // namespace headrace
