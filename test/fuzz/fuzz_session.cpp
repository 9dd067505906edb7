// fuzz_session - saved sessions: a whole one with the fuzzer's changes, loaded into a session of the fake model.
//
//   byte 0        bit 0: write right hashes afterwards, so that what lies behind their checks is reached; the rest: how
//                 many tokens the whole session has
//   bytes 1, 2    how many bytes are cut from the end
//   then          {u16 place, u8 value}...: combined (xor) with the bytes
//
// A session that is loaded can be saved and loaded again, with the same header, ids and bytes; one that is refused can
// be used as ever.
#include "aligned_memory.h"
#include "fake_library.h"
#include "headrace_port.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using Bytes = std::vector<uint8_t>;

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// The fake model with two sessions: one to make saved ones with, one to load them into.
struct Model {
  Model() : blob(take(fake_blob_bytes)) {
    fake_blob(blob.get());
    // The section that only a fake tokenizer reads becomes one that nobody looks at.
    auto *header = reinterpret_cast<hr_blob_header *>(blob.get());
    reinterpret_cast<hr_blob_section *>(header + 1)[2].kind = HR_SECTION_TEMPLATE;
    fake_blob_rehash(blob.get());
    library = fake_library(blob.get(), 0);
    library.blob_hash = header->table_hash;
    hr_port_none(&port);
    const size_t arenaBytes = hr_arena_bytes(&library), sessionBytes = hr_session_bytes(&library);
    arena = take(arenaBytes);
    require(hr_open(&model, &library, blob.get(), fake_blob_bytes, &port, nullptr, arena.get(), arenaBytes) == HR_OK);
    for (int i = 0; i < 2; ++i) {
      memory[i] = take(sessionBytes);
      require(hr_session_open(&sessions[i], model, memory[i].get(), sessionBytes) == HR_OK);
    }
  }

  Memory blob, arena, memory[2];
  hr_library library;
  hr_port port;
  hr_model *model = nullptr;
  hr_session *sessions[2] = {};
};

Bytes save(const hr_session *session) {
  Bytes bytes;
  auto write = [](void *user, const void *data, size_t n) {
    auto *from = static_cast<const uint8_t *>(data);
    auto &to = *static_cast<Bytes *>(user);
    to.insert(to.end(), from, from + n);
    return HR_OK;
  };
  require(hr_session_save(session, write, &bytes) == HR_OK);
  require(bytes.size() == hr_session_file_bytes(session));
  return bytes;
}

Bytes wholeSession(Model &model, unsigned which) {
  static constexpr uint32_t lengths[] = {1, 5, 33, fake_positions - 1};
  hr_session *session = model.sessions[0];
  require(hr_session_rewind(session, 0) == HR_OK);
  std::vector<int32_t> prompt(lengths[which % 4]);
  for (size_t i = 0; i < prompt.size(); ++i)
    prompt[i] = int32_t(i * 7 % 256);
  hr_generate_options options = {};
  options.max_tokens = 1 + which / 4 % 2;
  hr_generate(session, prompt.data(), uint32_t(prompt.size()), &options, nullptr, nullptr, nullptr);
  return save(session);
}

struct Reader {
  const Bytes &bytes;
  size_t at;
};

hr_status load(hr_session *session, const Bytes &bytes, size_t &used, hr_problem &problem) {
  Reader reader = {bytes, 0};
  auto read = [](void *user, void *to, size_t n) {
    auto &from = *static_cast<Reader *>(user);
    if (n > from.bytes.size() - from.at)
      return HR_BAD_SESSION;
    std::memcpy(to, from.bytes.data() + from.at, n);
    from.at += n;
    return HR_OK;
  };
  hr_status status = hr_session_load(session, read, &reader, &problem);
  used = reader.at;
  return status;
}

/// Puts the hash that the loader asks for where it looked for it. False: it asks for none.
bool mend(Bytes &bytes, size_t used, const hr_problem &problem) {
  const std::string_view what = problem.what;
  if (what != "hash of the header" && what != "hash of the session")
    return false;
  std::memcpy(bytes.data() + used - sizeof problem.found, &problem.found, sizeof problem.found);
  return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Model model;
  if (size < 3)
    return 0;
  Bytes bytes = wholeSession(model, data[0] >> 1);
  for (size_t i = 3; i + 3 <= size; i += 3)
    bytes[(data[i] | size_t(data[i + 1]) << 8) % bytes.size()] ^= data[i + 2];
  bytes.resize(bytes.size() - std::min<size_t>(bytes.size(), data[1] | size_t(data[2]) << 8));
  hr_session *session = model.sessions[1];
  require(hr_session_rewind(session, 0) == HR_OK);
  size_t used = 0;
  hr_problem problem;
  hr_status status = load(session, bytes, used, problem);
  for (int times = 0; times < 2 && status != HR_OK && (data[0] & 1) && mend(bytes, used, problem); ++times)
    status = load(session, bytes, used, problem);
  const int32_t more[] = {1, 2};
  if (status == HR_OK) {
    const Bytes again = save(session); // keys and values of the fake model share their memory: only these bytes stay
    const size_t head = 64 + hr_session_length(session) * sizeof(int32_t);
    require(again.size() == used && std::equal(again.begin(), again.begin() + ptrdiff_t(head), bytes.begin()));
    require(load(session, again, used, problem) == HR_OK && save(session) == again);
    hr_append(session, more, 1, HR_LAST_ROW, nullptr, nullptr);
  } else {
    require(status == HR_BAD_SESSION || status == HR_MISMATCH);
    require(hr_session_length(session) == 0 && hr_append(session, more, 2, HR_LAST_ROW, nullptr, nullptr) == HR_OK);
  }
  return 0;
}
