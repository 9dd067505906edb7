// conversation_test.cpp - turns are cheap: what a session holds is not computed again, and it survives being saved.
#include "fixture.h"

#include <cstring>

namespace {

std::vector<int32_t> someTokens(size_t n) {
  std::vector<int32_t> tokens;
  for (size_t i = 0; i < n; ++i)
    tokens.push_back(static_cast<int32_t>(i * 37 + 11) % 250);
  return tokens;
}

hr_generate_options whole(uint32_t n) {
  hr_generate_options options = {};
  options.max_tokens = n;
  options.reuse = 1;
  options.ignore_eos = 1;
  return options;
}

int take(void *user, int32_t id, const char *, size_t, const float *) {
  static_cast<std::vector<int32_t> *>(user)->push_back(id);
  return 0;
}

std::vector<int32_t> generate(Fixture &f, const std::vector<int32_t> &prompt, const hr_generate_options &options,
                              hr_timings &t, hr_status expected = HR_OK) {
  std::vector<int32_t> ids;
  CHECK(hr_generate(f.session, prompt.data(), static_cast<uint32_t>(prompt.size()), &options, take, &ids, &t) ==
        expected);
  return ids;
}

std::vector<int32_t> allIds(const Fixture &f) {
  uint32_t n = 0;
  const int32_t *ids = hr_session_ids(f.session, &n);
  return {ids, ids + n};
}

using Counts = std::vector<uint32_t>;
Counts counts(const hr_timings &t) {
  return {t.prompt_tokens, t.cached_tokens, t.prefilled_tokens, t.prefill_steps, t.steps};
}

/// A file in memory, that can end early.
struct File {
  std::string bytes;
  size_t at = 0;
  static hr_status write(void *user, const void *data, size_t n) {
    static_cast<File *>(user)->bytes.append(static_cast<const char *>(data), n);
    return HR_OK;
  }
  static hr_status read(void *user, void *data, size_t n) {
    File &f = *static_cast<File *>(user);
    if (n > f.bytes.size() - f.at)
      return HR_BAD_SESSION;
    std::memcpy(data, f.bytes.data() + f.at, n);
    f.at += n;
    return HR_OK;
  }
};

File saved(const Fixture &f) {
  File file;
  REQUIRE(hr_session_save(f.session, File::write, &file) == HR_OK);
  CHECK(file.bytes.size() == hr_session_file_bytes(f.session));
  return file;
}

hr_status load(Fixture &f, File file, std::string &what) {
  hr_problem problem;
  hr_status status = hr_session_load(f.session, File::read, &file, &problem);
  what = problem.what;
  return status;
}

} // namespace

TEST_CASE("a second turn computes its new tokens only") {
  for (uint32_t threads : {1u, 2u}) {
    Fixture f(threads);
    std::vector<int32_t> all = someTokens(20);
    hr_timings t;
    const std::vector<int32_t> answer = generate(f, all, whole(5), t);
    CHECK(counts(t) == Counts{20, 0, 20, 3, 4});
    all.insert(all.end(), answer.begin(), answer.end());
    CHECK(allIds(f) == all); // the last one is pending
    CHECK(hr_session_length(f.session) == 24);
    for (int32_t id : {70, 71, 72})
      all.push_back(id);
    const std::vector<int32_t> second = generate(f, all, whole(2), t);
    CHECK(counts(t) == Counts{28, 24, 4, 1, 1}); // the pending one and three new ones, in one step
    CHECK(second[0] == predicted(all));
  }
}

TEST_CASE("what differs is computed again, and at least one token always") {
  Fixture f;
  std::vector<int32_t> all = someTokens(20);
  hr_timings t;
  generate(f, all, whole(3), t);
  all[17] = 99;
  CHECK(generate(f, all, whole(1), t)[0] == predicted(all));
  CHECK(counts(t) == Counts{20, 17, 3, 1, 0});
  CHECK(generate(f, all, whole(1), t)[0] == predicted(all)); // the very same prompt
  CHECK(counts(t) == Counts{20, 19, 1, 1, 0});
  all.resize(4); // a beginning of what is held
  CHECK(generate(f, all, whole(1), t)[0] == predicted(all));
  CHECK(counts(t) == Counts{4, 3, 1, 1, 0});
  const std::vector<int32_t> other = {200, 3};
  CHECK(generate(f, other, whole(1), t)[0] == predicted(other));
  CHECK(counts(t) == Counts{2, 0, 2, 1, 0});
  CHECK(hr_session_common(f.session, other.data(), 2) == 1);
  CHECK(hr_session_common(f.session, other.data(), 0) == 0);
}

TEST_CASE("without reuse the prompt follows what is held") {
  Fixture f;
  hr_generate_options options = whole(1);
  options.reuse = 0;
  hr_timings t;
  const std::vector<int32_t> first = someTokens(9), second = {5, 6};
  generate(f, first, options, t);
  std::vector<int32_t> all = first;
  all.insert(all.end(), second.begin(), second.end());
  CHECK(generate(f, second, options, t)[0] == predicted(all));
  CHECK(counts(t) == Counts{11, 9, 2, 1, 0});
}

TEST_CASE("a prompt that does not fit, or has a strange id, is refused; what it shares stays") {
  Fixture f;
  hr_timings t;
  std::vector<int32_t> all = someTokens(20);
  generate(f, all, whole(1), t);
  std::vector<int32_t> strange = {all[0], fake_vocab};
  generate(f, strange, whole(1), t, HR_INVALID_ARGUMENT);
  CHECK(hr_session_length(f.session) == 20);
  all.resize(fake_positions + 1, 5);
  generate(f, all, whole(1), t, HR_CONTEXT_FULL);
  CHECK(hr_session_length(f.session) == 20);
  all.resize(fake_positions);
  CHECK(generate(f, all, whole(3), t, HR_CONTEXT_FULL)[0] == predicted(all));
  CHECK(counts(t) == Counts{60, 20, 40, 5, 0});
  CHECK(allIds(f).size() == 61); // and one is pending
}

TEST_CASE("further end ids end an answer") {
  Fixture f;
  hr_timings t;
  const std::vector<int32_t> prompt = someTokens(5);
  const int32_t first = predicted(prompt);
  hr_generate_options options = whole(9);
  options.ignore_eos = 0;
  options.end_ids = &first;
  options.end_count = 1;
  CHECK(generate(f, prompt, options, t) == std::vector<int32_t>{first});
}

TEST_CASE("a saved session goes on with one token, greedily or drawn, as if it had never stopped") {
  for (float temperature : {0.0f, 1.5f}) {
    hr_generate_options options = whole(24);
    options.sampling.temperature = temperature;
    options.sampling.seed = 5;
    options.sampling.repetition_penalty = 1.1f;
    hr_timings t;
    Fixture one;
    const std::vector<int32_t> want = generate(one, someTokens(20), options, t);

    Fixture first(2), second(3);
    options.max_tokens = 11;
    std::vector<int32_t> have = generate(first, someTokens(20), options, t);
    std::string what;
    REQUIRE(load(second, saved(first), what) == HR_OK);
    CHECK(what == "");
    CHECK(allIds(second) == allIds(first));
    CHECK(hr_session_length(second.session) == 30);
    options.max_tokens = 13;
    options.resume_draws = 1;
    options.sampling.seed = 77;
    const std::vector<int32_t> rest = generate(second, allIds(second), options, t);
    CHECK(counts(t) == Counts{31, 30, 1, 1, 12});
    have.insert(have.end(), rest.begin(), rest.end());
    CHECK(have == want);
    // The seed that the draws began with lets them go on; with another they begin anew.
    auto resumed = [&](uint64_t seed) {
      Fixture again;
      REQUIRE(load(again, saved(first), what) == HR_OK);
      options.resume_draws = HR_RESUME_SEED;
      options.sampling.seed = seed;
      return generate(again, allIds(again), options, t);
    };
    CHECK(resumed(5) == rest);
    CHECK((resumed(77) == rest) == (options.sampling.temperature == 0));
    // Equal sessions, equal bytes.
    CHECK(saved(second).bytes == saved(one).bytes);
  }
}

TEST_CASE("a session without a generation is saved too") {
  Fixture f, g;
  const std::vector<int32_t> tokens = someTokens(33);
  std::string what;
  REQUIRE(load(g, saved(f), what) == HR_OK); // an empty one
  CHECK(hr_session_length(g.session) == 0);
  REQUIRE(hr_append(f.session, tokens.data(), 33, HR_NO_ROWS, nullptr, nullptr) == HR_OK);
  REQUIRE(load(g, saved(f), what) == HR_OK);
  hr_timings t;
  CHECK(generate(g, allIds(g), whole(1), t)[0] == predicted(tokens));
  CHECK(counts(t) == Counts{33, 32, 1, 1, 0});
}

TEST_CASE("every flipped bit and every cut of a saved session is noticed") {
  Fixture f, g;
  hr_timings t;
  generate(f, someTokens(13), whole(4), t);
  generate(g, someTokens(3), whole(1), t);
  const std::string good = saved(f).bytes;
  std::string what;
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    File bad = {good};
    bad.bytes[bit / 8] = static_cast<char>(bad.bytes[bit / 8] ^ (1 << bit % 8));
    INFO("bit " << bit);
    REQUIRE(load(g, bad, what) == HR_BAD_SESSION);
    // A damaged header is seen before anything is overwritten, the rest only at the end.
    REQUIRE(hr_session_length(g.session) == (bit < 64 * 8 ? 3 : 0));
    if (bit >= 64 * 8)
      generate(g, someTokens(3), whole(1), t);
  }
  for (size_t n = 0; n < good.size(); ++n)
    REQUIRE(load(g, {good.substr(0, n)}, what) == HR_BAD_SESSION);
  REQUIRE(load(g, {good}, what) == HR_OK);
}

TEST_CASE("a session of another bundle, or with other caches, is named") {
  Fixture f, g;
  hr_timings t;
  generate(f, someTokens(13), whole(4), t);
  const File file = saved(f);
  std::string what;
  g.library.blob_hash ^= 1;
  CHECK(load(g, file, what) == HR_MISMATCH);
  CHECK(what == "hash of weights.bin");
  g.library.blob_hash ^= 1;
  g.library.context -= 32;
  CHECK(load(g, file, what) == HR_MISMATCH);
  CHECK(what == "positions of the context");
  g.library.context += 32;
  hr_kv cache = g.library.kv[0];
  cache.v_type = HR_KV_F16;
  g.library.kv = &cache;
  CHECK(load(g, file, what) == HR_MISMATCH);
  CHECK(what == "hash of the caches' types and sizes");
  CHECK(hr_session_save(f.session, nullptr, nullptr) == HR_INVALID_ARGUMENT);
  CHECK(hr_session_load(f.session, nullptr, nullptr, nullptr) == HR_INVALID_ARGUMENT);
  hr_write_fn full = [](void *, const void *, size_t) { return HR_STOPPED; };
  CHECK(hr_session_save(f.session, full, nullptr) == HR_STOPPED);
}
