// fixture.h - a fake model, opened, with memory and threads of its own.
#ifndef HEADRACE_TEST_RUNTIME_FIXTURE_H
#define HEADRACE_TEST_RUNTIME_FIXTURE_H

#include "fake_library.h"
#include "headrace_port.h"
#include "hr_pure.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};

/// Memory with a chosen misalignment from 64 bytes.
class Memory {
public:
  explicit Memory(size_t bytes, size_t shift = 0)
      : memory(static_cast<uint8_t *>(std::aligned_alloc(16384, (bytes + shift + 16383) / 16384 * 16384))),
        shift(shift) {}
  uint8_t *get() const { return memory.get() + shift; }

private:
  std::unique_ptr<uint8_t, Free> memory;
  size_t shift;
};

struct Fixture {
  explicit Fixture(uint32_t threads = 1, uint32_t chunk = 0, bool twoDevices = false) : blob(fake_blob_bytes) {
    fake_script = nullptr;
    fake_blob(blob.get());
    library = fake_library(blob.get(), twoDevices);
    REQUIRE(hr_port_posix(&port, threads) == 0);
    hr_model_options options = {};
    options.threads = threads;
    options.chunk = chunk;
    arena = std::make_unique<Memory>(hr_arena_bytes(&library), 8);
    kv = std::make_unique<Memory>(hr_session_bytes(&library), 24);
    REQUIRE(hr_open(&model, &library, blob.get(), fake_blob_bytes, &port, &options, arena->get(),
                    hr_arena_bytes(&library)) == HR_OK);
    REQUIRE(hr_session_open(&session, model, kv->get(), hr_session_bytes(&library)) == HR_OK);
  }
  ~Fixture() { hr_port_posix_close(&port); }

  Memory blob;
  hr_library library;
  hr_port port;
  std::unique_ptr<Memory> arena, kv;
  hr_model *model = nullptr;
  hr_session *session = nullptr;
};

/// The id that the fake model predicts after these tokens.
inline int32_t predicted(const std::vector<int32_t> &tokens) {
  int32_t state = 0;
  for (size_t j = 0; j < tokens.size(); ++j)
    state = (state + static_cast<int32_t>(j + 1) * (tokens[j] + 1)) % 251;
  return fake_target(state);
}

inline int32_t argmax(const float *logits) {
  int32_t best = 0;
  for (int32_t i = 1; i < fake_vocab; ++i)
    if (logits[i] > logits[best])
      best = i;
  return best;
}

#endif
