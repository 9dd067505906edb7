// session_test.cpp - steps, chunks, threads, devices, rewinding, cancelling, and the end of the context.
#include "fixture.h"

#include <algorithm>
#include <cfenv>

#include <atomic>
#include <thread>

namespace {

std::vector<int32_t> someTokens(size_t n) {
  std::vector<int32_t> tokens;
  for (size_t i = 0; i < n; ++i)
    tokens.push_back(static_cast<int32_t>(i * 37 + 11) % 256);
  return tokens;
}

/// Predictions of all rows, gathered through the row callback.
struct Rows {
  std::vector<int32_t> ids;
  std::vector<uint32_t> blocks;
  static hr_status take(void *user, uint32_t first, uint32_t rows, const float *logits, uint32_t stride) {
    auto *self = static_cast<Rows *>(user);
    REQUIRE(first == self->ids.size());
    self->blocks.push_back(rows);
    for (uint32_t i = 0; i < rows; ++i)
      self->ids.push_back(argmax(logits + size_t(i) * stride));
    return HR_OK;
  }
};

} // namespace

TEST_CASE("any number of threads, any chunk, one device or two: the same predictions") {
  const std::vector<int32_t> tokens = someTokens(29);
  for (uint32_t threads : {1u, 2u, 3u, 4u})
    for (uint32_t chunk : {0u, 1u, 3u, 5u, 8u, 100u})
      for (bool two : {false, true}) {
        INFO(threads << " threads, chunk " << chunk << ", two devices " << two);
        Fixture f(threads, chunk, two);
        Rows rows;
        REQUIRE(hr_append(f.session, tokens.data(), 29, HR_ALL_ROWS, Rows::take, &rows) == HR_OK);
        REQUIRE(rows.ids.size() == 29);
        for (size_t i = 0; i < 29; ++i)
          CHECK(rows.ids[i] == predicted({tokens.begin(), tokens.begin() + static_cast<long>(i) + 1}));
        CHECK(argmax(hr_logits(f.session)) == rows.ids.back());
        CHECK(hr_session_length(f.session) == 29);
      }
}

TEST_CASE("heads come in blocks of their sizes") {
  Fixture f;
  Rows rows;
  const std::vector<int32_t> tokens = someTokens(15);
  REQUIRE(hr_append(f.session, tokens.data(), 15, HR_ALL_ROWS, Rows::take, &rows) == HR_OK);
  CHECK(rows.blocks == std::vector<uint32_t>{4, 4, 4, 3});
}

TEST_CASE("unequal threads lose no work") {
  Fixture f(3);
  const uint32_t shares[] = {5, 0, 1};
  hr_model_options options = {};
  options.threads = 3;
  options.thread_share = shares;
  REQUIRE(hr_open(&f.model, &f.library, f.blob.get(), fake_blob_bytes, &f.port, &options, f.arena->get(),
                  hr_arena_bytes(&f.library)) == HR_OK);
  REQUIRE(hr_session_open(&f.session, f.model, f.kv->get(), hr_session_bytes(&f.library)) == HR_OK);
  const std::vector<int32_t> tokens = someTokens(20);
  REQUIRE(hr_append(f.session, tokens.data(), 20, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
  CHECK(argmax(hr_logits(f.session)) == predicted(tokens));
}

TEST_CASE("rows asked for are the rows given") {
  Fixture f;
  const std::vector<int32_t> tokens = someTokens(10);
  REQUIRE(hr_append(f.session, tokens.data(), 10, HR_NO_ROWS, nullptr, nullptr) == HR_OK);
  CHECK(hr_logits(f.session) == nullptr);
  CHECK(hr_append(f.session, tokens.data(), 10, 3, nullptr, nullptr) == HR_INVALID_ARGUMENT);
  REQUIRE(hr_append(f.session, nullptr, 0, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
  CHECK(hr_session_length(f.session) == 10);
}

TEST_CASE("two sessions of a model do not mix") {
  Fixture f(2);
  Memory other(hr_session_bytes(&f.library));
  hr_session *second = nullptr;
  REQUIRE(hr_session_open(&second, f.model, other.get(), hr_session_bytes(&f.library)) == HR_OK);
  const std::vector<int32_t> a = someTokens(9), b = {1, 2, 3};
  REQUIRE(hr_append(f.session, a.data(), 9, HR_NO_ROWS, nullptr, nullptr) == HR_OK);
  REQUIRE(hr_append(second, b.data(), 3, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
  CHECK(argmax(hr_logits(second)) == predicted(b));
  REQUIRE(hr_append(f.session, &b[0], 1, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
  std::vector<int32_t> all = a;
  all.push_back(1);
  CHECK(argmax(hr_logits(f.session)) == predicted(all));
}

TEST_CASE("rewinding forgets what came after") {
  Fixture f(2);
  std::vector<int32_t> tokens = someTokens(20);
  REQUIRE(hr_append(f.session, tokens.data(), 20, HR_NO_ROWS, nullptr, nullptr) == HR_OK);
  CHECK(hr_session_rewind(f.session, 21) == HR_INVALID_ARGUMENT);
  REQUIRE(hr_session_rewind(f.session, 7) == HR_OK);
  tokens.resize(7);
  const std::vector<int32_t> next = {200, 100};
  tokens.insert(tokens.end(), next.begin(), next.end());
  REQUIRE(hr_append(f.session, next.data(), 2, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
  CHECK(argmax(hr_logits(f.session)) == predicted(tokens));
  CHECK(hr_session_length(f.session) == 9);
}

TEST_CASE("the end of the context is a status, not an overrun") {
  Fixture f;
  const std::vector<int32_t> tokens = someTokens(61);
  CHECK(hr_append(f.session, tokens.data(), 61, HR_LAST_ROW, nullptr, nullptr) == HR_CONTEXT_FULL);
  CHECK(hr_session_length(f.session) == 0);
  REQUIRE(hr_append(f.session, tokens.data(), 60, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
  CHECK(hr_append(f.session, tokens.data(), 1, HR_LAST_ROW, nullptr, nullptr) == HR_CONTEXT_FULL);
  CHECK(hr_append(f.session, tokens.data(), UINT32_MAX, HR_LAST_ROW, nullptr, nullptr) == HR_CONTEXT_FULL);
  REQUIRE(hr_session_rewind(f.session, 59) == HR_OK);
  CHECK(hr_append(f.session, tokens.data(), 1, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
}

TEST_CASE("ids outside the vocabulary are refused") {
  Fixture f;
  for (int32_t bad : {-1, int32_t(fake_vocab), INT32_MAX, INT32_MIN}) {
    const int32_t ids[] = {1, bad};
    CHECK(hr_append(f.session, ids, 2, HR_LAST_ROW, nullptr, nullptr) == HR_INVALID_ARGUMENT);
  }
  CHECK(hr_session_length(f.session) == 0);
}

TEST_CASE("a fault names its site and leaves the session as it was") {
  for (uint32_t threads : {1u, 3u}) {
    Fixture f(threads);
    const int32_t good[] = {5, 6, 7}, bad[] = {8, fake_fault_id, 9};
    REQUIRE(hr_append(f.session, good, 3, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
    CHECK(std::string(hr_fault_site(f.model)) == "");
    CHECK(hr_append(f.session, bad, 3, HR_LAST_ROW, nullptr, nullptr) == HR_NOT_FINITE);
    CHECK(std::string(hr_fault_site(f.model)) == "layers.0.mlp.norm");
    CHECK(hr_session_length(f.session) == 3);
    REQUIRE(hr_append(f.session, good, 1, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
    CHECK(argmax(hr_logits(f.session)) == predicted({5, 6, 7, 5}));
    CHECK(std::string(hr_fault_site(f.model)) == "");
  }
}

TEST_CASE("of the faults of several threads the first site counts") {
  Fixture f(3);
  for (int round = 0; round < 20; ++round) {
    const int32_t late = fake_late_fault_id, early = fake_fault_id;
    const int32_t ids[] = {late, 1, late, early, 2, late, 3, late};
    CHECK(hr_append(f.session, ids, 8, HR_LAST_ROW, nullptr, nullptr) == HR_NOT_FINITE);
    CHECK(std::string(hr_fault_site(f.model)) == "layers.0.mlp.norm");
  }
  const int32_t ids[] = {1, 2, 3, 4, 5, 6, 7, fake_late_fault_id};
  CHECK(hr_append(f.session, ids, 8, HR_LAST_ROW, nullptr, nullptr) == HR_NOT_FINITE);
  CHECK(std::string(hr_fault_site(f.model)) == "norm");
}

TEST_CASE("a step does not depend on the float mode of its threads, and leaves it") {
#if defined(__x86_64__)
  const unsigned flush = 0x8040; // flush to zero, denormals are zero
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | flush);
#endif
  std::fesetround(FE_DOWNWARD); // before the port's threads begin, which inherit the mode
  {
    Fixture f(3);
    const std::vector<int32_t> tokens = someTokens(8);
    hr_status status = hr_append(f.session, tokens.data(), 8, HR_LAST_ROW, nullptr, nullptr);
    const int rounding = std::fegetround();
#if defined(__x86_64__)
    const unsigned kept = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before);
    CHECK((kept & flush) == flush);
#endif
    std::fesetround(FE_TONEAREST);
    REQUIRE(status == HR_OK);
    CHECK(rounding == FE_DOWNWARD);
    const float *rows = hr_tap_data(f.session, 1);
    for (uint32_t row = 0; row < 8; ++row) {
      CHECK(rows[row * f.library.taps[1].stride + 3] == 0x1.555556p-2f);
      CHECK(rows[row * f.library.taps[1].stride + 4] == 0);
    }
  }
}

TEST_CASE("memory that no machine has is a status, not an overflow") {
  Fixture f;
  hr_base bases[8];
  std::copy_n(f.library.bases, f.library.base_count, bases);
  bases[0].bytes = bases[1].bytes = UINT64_MAX - 100;
  f.library.bases = bases;
  CHECK(hr_arena_bytes(&f.library) == SIZE_MAX);
  CHECK(hr_session_bytes(&f.library) == SIZE_MAX);
  hr_model *model = nullptr;
  hr_session *session = nullptr;
  CHECK(hr_session_open(&session, f.model, f.kv->get(), 1 << 16) == HR_OUT_OF_MEMORY);
  CHECK(hr_open(&model, &f.library, f.blob.get(), fake_blob_bytes, &f.port, nullptr, f.arena->get(), 1 << 16) ==
        HR_OUT_OF_MEMORY);
}

TEST_CASE("a status of the row callback ends the call") {
  Fixture f;
  const std::vector<int32_t> tokens = someTokens(20);
  auto refuse = [](void *, uint32_t first, uint32_t, const float *, uint32_t) {
    return first < 8 ? HR_OK : HR_STOPPED;
  };
  CHECK(hr_append(f.session, tokens.data(), 20, HR_ALL_ROWS, refuse, nullptr) == HR_STOPPED);
  CHECK(hr_session_length(f.session) == 0);
}

TEST_CASE("another thread cancels the running call, and only that") {
  Fixture f(2, 1);
  std::atomic<bool> running{false}, done{false};
  std::thread other([&] {
    while (!running)
      std::this_thread::yield();
    while (!done) {
      hr_cancel(f.session);
      std::this_thread::yield();
    }
  });
  const std::vector<int32_t> tokens = someTokens(50);
  auto slow = [](void *user, uint32_t, uint32_t, const float *, uint32_t) {
    *static_cast<std::atomic<bool> *>(user) = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return HR_OK;
  };
  CHECK(hr_append(f.session, tokens.data(), 50, HR_ALL_ROWS, slow, &running) == HR_CANCELLED);
  done = true;
  other.join();
  CHECK(hr_session_length(f.session) == 0);
  hr_cancel(f.session); // nothing runs
  CHECK(hr_append(f.session, tokens.data(), 50, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
}

TEST_CASE("opening checks its arguments") {
  Fixture f;
  hr_model *model = nullptr;
  hr_session *session = nullptr;
  hr_model_options options = {};
  const size_t need = hr_arena_bytes(&f.library);
  auto open = [&](size_t bytes) {
    return hr_open(&model, &f.library, f.blob.get(), fake_blob_bytes, &f.port, &options, f.arena->get(), bytes);
  };
  CHECK(open(need) == HR_OK);
  CHECK(open(need - 1) == HR_OUT_OF_MEMORY);
  options.threads = HR_MAX_THREADS + 1;
  CHECK(open(need) == HR_INVALID_ARGUMENT);
  options.threads = 2;
  const uint32_t nothing[] = {0, 0};
  options.thread_share = nothing;
  CHECK(open(need) == HR_INVALID_ARGUMENT);
  options.thread_share = nullptr;
  f.port.bytes -= 1;
  CHECK(open(need) == HR_INVALID_ARGUMENT);
  f.port.bytes += 1;
  CHECK(hr_session_open(&session, f.model, f.kv->get(), hr_session_bytes(&f.library) - 1) == HR_OUT_OF_MEMORY);
  hr_port none;
  hr_port_none(&none);
  CHECK(hr_open(&model, &f.library, f.blob.get(), fake_blob_bytes, &none, &options, f.arena->get(), need) ==
        HR_INVALID_ARGUMENT); // two threads without a hook for it
  CHECK(open(need) == HR_OK);
}

TEST_CASE("a machine without the features is told which") {
  Fixture f;
  f.library.cpu_features = HR_CPU_X86_AVX2_FMA | HR_CPU_ARM_I8MM | HR_CPU_ARM_DOTPROD;
  f.port.cpu_features = [](void *) -> uint32_t { return HR_CPU_X86_AVX2_FMA | HR_CPU_ARM_DOTPROD; };
  CHECK(hr_missing_features(&f.library, &f.port) == HR_CPU_ARM_I8MM);
  CHECK(std::string(hr_feature_name(HR_CPU_ARM_I8MM)) == "i8mm");
  hr_model *model = nullptr;
  CHECK(hr_open(&model, &f.library, f.blob.get(), fake_blob_bytes, &f.port, nullptr, f.arena->get(),
                hr_arena_bytes(&f.library)) == HR_CPU_UNSUPPORTED);
}

TEST_CASE("a port that fails is reported") {
  Fixture f(2);
  hr_port failing = f.port;
  failing.parallel = [](void *, uint32_t, void (*)(void *, uint32_t), void *) { return 1; };
  hr_model_options options = {};
  options.threads = 2;
  REQUIRE(hr_open(&f.model, &f.library, f.blob.get(), fake_blob_bytes, &failing, &options, f.arena->get(),
                  hr_arena_bytes(&f.library)) == HR_OK);
  REQUIRE(hr_session_open(&f.session, f.model, f.kv->get(), hr_session_bytes(&f.library)) == HR_OK);
  const int32_t id = 1;
  CHECK(hr_append(f.session, &id, 1, HR_LAST_ROW, nullptr, nullptr) == HR_PORT_FAILED);
}

TEST_CASE("taps are found") {
  Fixture f;
  const std::vector<int32_t> tokens = {9, 8, 7};
  REQUIRE(hr_append(f.session, tokens.data(), 3, HR_NO_ROWS, nullptr, nullptr) == HR_OK);
  const float *tap = hr_tap_data(f.session, 1);
  CHECK(tap[0] == 10);
  CHECK(tap[f.library.taps[1].stride] == 10 + 2 * 9);
  CHECK(hr_tap_data(f.session, 2) == nullptr);
}
