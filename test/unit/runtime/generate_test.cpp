// generate_test.cpp - generation: ids, text in whole characters, ends, penalties' memory, timings.
#include "fixture.h"

#include <limits>
#include <thread>

extern "C" size_t fake_decode_max; // of fake_tokenizer.c

namespace {

struct Output {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;
  size_t stopAfter = SIZE_MAX;
  hr_session *cancel = nullptr;

  static int take(void *user, int32_t id, const char *text, size_t bytes, const float *logits) {
    auto *self = static_cast<Output *>(user);
    self->ids.push_back(id);
    self->pieces.emplace_back(text, bytes);
    REQUIRE(logits != nullptr);
    if (self->cancel)
      std::thread([self] { hr_cancel(self->cancel); }).join();
    return self->ids.size() == self->stopAfter;
  }
};

hr_generate_options greedy(uint32_t n) {
  hr_generate_options options = {};
  options.max_tokens = n;
  return options;
}

/// Makes the model predict `text` after a prompt of one token, then the end.
std::vector<int32_t> scriptOf(const std::string &text) {
  std::vector<int32_t> script;
  for (char c : text)
    script.push_back(static_cast<uint8_t>(c));
  script.push_back(fake_end);
  return script;
}

} // namespace

TEST_CASE("greedy generation follows the model") {
  for (uint32_t threads : {1u, 2u}) {
    Fixture f(threads);
    Output out;
    std::vector<int32_t> tokens = {72, 105};
    hr_generate_options options = greedy(20);
    options.ignore_eos = 1;
    hr_timings timings;
    REQUIRE(hr_generate(f.session, tokens.data(), 2, &options, Output::take, &out, &timings) == HR_OK);
    for (int32_t id : out.ids) {
      CHECK(id == predicted(tokens));
      tokens.push_back(id);
    }
    CHECK(out.ids.size() == 20);
    CHECK(hr_session_length(f.session) == 21); // the last one is not in the cache
    CHECK(timings.prompt_tokens == 2);
    CHECK(timings.generated_tokens == 20);
    CHECK(timings.steps == 19);
    CHECK(timings.cached_tokens == 0);
    CHECK(timings.first_token_ns >= timings.prefill_ns);
  }
}

TEST_CASE("text never ends inside a character") {
  Fixture f;
  const std::vector<int32_t> script = scriptOf("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
  fake_script = script.data();
  Output out;
  const int32_t prompt = 'x';
  const hr_generate_options options = greedy(50);
  REQUIRE(hr_generate(f.session, &prompt, 1, &options, Output::take, &out, nullptr) == HR_OK);
  CHECK(out.ids == script); // the end id is delivered
  CHECK(out.pieces ==
        std::vector<std::string>{"a", "", "\xc3\xa9", "", "", "\xe2\x82\xac", "", "", "", "\xf0\x9f\x98\x80", "z", ""});
  fake_script = nullptr;
}

TEST_CASE("what is left inside a character comes with the last token") {
  Fixture f;
  const std::vector<int32_t> script = scriptOf("ab\xe2\x82\xac");
  fake_script = script.data();
  Output out;
  const int32_t prompt = 'x';
  const hr_generate_options options = greedy(4);
  REQUIRE(hr_generate(f.session, &prompt, 1, &options, Output::take, &out, nullptr) == HR_OK);
  CHECK(out.pieces == std::vector<std::string>{"a", "b", "", "?"});
  fake_script = nullptr;
}

TEST_CASE("the end of the context ends a generation cleanly") {
  Fixture f;
  Output out;
  const std::vector<int32_t> prompt(50, 40);
  hr_generate_options options = greedy(100);
  options.ignore_eos = 1;
  hr_timings timings;
  CHECK(hr_generate(f.session, prompt.data(), 50, &options, Output::take, &out, &timings) == HR_CONTEXT_FULL);
  CHECK(out.ids.size() == 11); // 10 that found a place, and the one predicted from the last place
  CHECK(hr_session_length(f.session) == 60);
}

TEST_CASE("the caller stops or cancels") {
  Fixture f;
  const int32_t prompt = 'q';
  hr_generate_options options = greedy(30);
  options.ignore_eos = 1;
  Output stopped;
  stopped.stopAfter = 3;
  CHECK(hr_generate(f.session, &prompt, 1, &options, Output::take, &stopped, nullptr) == HR_STOPPED);
  CHECK(stopped.ids.size() == 3);
  Output cancelled;
  cancelled.cancel = f.session;
  CHECK(hr_generate(f.session, &prompt, 1, &options, Output::take, &cancelled, nullptr) == HR_CANCELLED);
  CHECK(cancelled.ids.size() == 1);
  CHECK(hr_generate(f.session, nullptr, 0, &options, nullptr, nullptr, nullptr) == HR_INVALID_ARGUMENT);
}

TEST_CASE("no tokens asked for: the prompt alone is appended, and all its rows can be had") {
  Fixture f;
  hr_generate_options options = greedy(0);
  std::vector<uint32_t> firsts;
  options.on_prompt_rows = [](void *user, uint32_t first, uint32_t rows, const float *, uint32_t) {
    auto *seen = static_cast<std::vector<uint32_t> *>(user);
    for (uint32_t i = 0; i < rows; ++i)
      seen->push_back(first + i);
    return HR_OK;
  };
  const std::vector<int32_t> prompt(11, 3);
  REQUIRE(hr_generate(f.session, prompt.data(), 11, &options, nullptr, &firsts, nullptr) == HR_OK);
  CHECK(firsts == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(argmax(hr_logits(f.session)) == predicted(prompt));
}

TEST_CASE("a logit that is not a number is a fault, not a token") {
  Fixture f;
  Output out;
  const int32_t prompt = fake_nan_id;
  const hr_generate_options options = greedy(5);
  CHECK(hr_generate(f.session, &prompt, 1, &options, Output::take, &out, nullptr) == HR_NOT_FINITE);
  CHECK(std::string(hr_fault_site(f.model)) == "logits");
  CHECK(out.ids.empty());
}

TEST_CASE("the penalty remembers the session's tokens, and forgets what was rewound") {
  Fixture f;
  const std::vector<int32_t> prompt = {60, 61, 62};
  hr_generate_options options = greedy(1);
  options.sampling.repetition_penalty =
      1000; // logits are 0 at the best and negative elsewhere: seen ids fall far behind
  const int32_t best = predicted(prompt);
  auto next = [&] {
    Output out;
    REQUIRE(hr_session_rewind(f.session, 0) == HR_OK);
    REQUIRE(hr_generate(f.session, prompt.data(), 3, &options, Output::take, &out, nullptr) == HR_OK);
    return out.ids[0];
  };
  CHECK(next() == best); // 0 stays 0 under a penalty
  const std::vector<int32_t> script(60, 61);
  fake_script = script.data(); // best is 61, which was seen; a logit of 0 still wins
  CHECK(next() == 61);
  fake_script = nullptr;
}

TEST_CASE("same seed, same text; another seed, another") {
  auto sample = [](uint64_t seed, uint32_t threads) {
    Fixture f(threads);
    Output out;
    const int32_t prompt = 'm';
    hr_generate_options options = greedy(40);
    options.ignore_eos = 1;
    options.sampling.temperature = 1.5f;
    options.sampling.top_p = 0.9f;
    options.sampling.seed = seed;
    REQUIRE(hr_generate(f.session, &prompt, 1, &options, Output::take, &out, nullptr) == HR_OK);
    return out.ids;
  };
  CHECK(sample(1, 1) == sample(1, 3));
  CHECK(sample(1, 1) != sample(2, 1));
}

TEST_CASE("sampling options out of range are refused") {
  Fixture f;
  const int32_t prompt[] = {5};
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  auto run = [&](float temperature, float topP, float minP, float penalty) {
    hr_generate_options options = greedy(1);
    options.sampling.temperature = temperature;
    options.sampling.top_p = topP;
    options.sampling.min_p = minP;
    options.sampling.repetition_penalty = penalty;
    hr_session_rewind(f.session, 0);
    return hr_generate(f.session, prompt, 1, &options, nullptr, nullptr, nullptr);
  };
  CHECK(run(1, 1, 1, 2) == HR_OK);
  for (float bad : {-0.5f, nan, infinity}) {
    CHECK(run(bad, 0, 0, 0) == HR_INVALID_ARGUMENT);
    CHECK(run(1, bad, 0, 0) == HR_INVALID_ARGUMENT);
    CHECK(run(1, 0, bad, 0) == HR_INVALID_ARGUMENT);
    CHECK(run(1, 0, 0, bad) == HR_INVALID_ARGUMENT);
  }
  CHECK(run(1, 1.5f, 0, 0) == HR_INVALID_ARGUMENT);
  CHECK(run(1, 0, 1.5f, 0) == HR_INVALID_ARGUMENT);
  CHECK(hr_session_length(f.session) == 0);
}

TEST_CASE("the arena has room for the longest token") {
  Fixture f;
  const size_t plain = hr_arena_bytes(&f.library);
  std::unique_ptr<Memory> arena;
  hr_model *model = nullptr;
  auto open = [&] {
    arena = std::make_unique<Memory>(hr_arena_bytes(&f.library));
    return hr_open(&model, &f.library, f.blob.get(), fake_blob_bytes, &f.port, nullptr, arena->get(),
                   hr_arena_bytes(&f.library));
  };
  fake_decode_max = 100000;
  CHECK(open() == HR_MISMATCH); // the library knows of no such token
  f.library.token_bytes = 100000;
  CHECK(hr_arena_bytes(&f.library) > plain + 190000);
  CHECK(open() == HR_OK);
  fake_decode_max = 8;
}
