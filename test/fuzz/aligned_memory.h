// aligned_memory.h - memory as a program gives it to the runtime, for fuzzers of it.
#ifndef HEADRACE_TEST_FUZZ_ALIGNED_MEMORY_H
#define HEADRACE_TEST_FUZZ_ALIGNED_MEMORY_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<uint8_t, Free>;

/// Zeroed, and exactly `bytes` long, so that a read past the end is seen.
inline Memory take(size_t bytes) {
  void *memory = nullptr;
  if (posix_memalign(&memory, 64, std::max<size_t>(bytes, 1)) != 0)
    std::abort();
  std::memset(memory, 0, bytes);
  return Memory(static_cast<uint8_t *>(memory));
}

#endif
