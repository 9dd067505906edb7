// fuzz_bundle - the bundle loader: a weights.bin made of a whole one and the fuzzer's bytes.
//
//   byte 0        bit 0: write right hashes afterwards, so that what lies behind the hash check is reached
//   bytes 1, 2    how many bytes are cut from the end
//   next 256      are combined (xor) with header and section table
//   the rest      becomes the tokenizer section
#include "aligned_memory.h"
#include "fake_library.h"
#include "headrace_port.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

void useTokenizer(const hr_model *model) {
  hr_tokenizer tokenizer;
  if (hr_model_tokenizer(model, &tokenizer) != HR_OK)
    return;
  const char text[] = "Hello, \xc3\xa9t\xc3\xa9 42";
  const size_t bytes = sizeof text - 1, scratch = hr_tokenizer_scratch(&tokenizer, bytes);
  if (scratch > size_t(1) << 24)
    return;
  std::vector<char> room(scratch), piece(hr_decode_max(&tokenizer));
  std::vector<int32_t> ids(64);
  size_t n = 0;
  if (hr_encode(&tokenizer, text, bytes, HR_WITH_SPECIAL, ids.data(), ids.size(), &n, room.data(), scratch) != HR_OK)
    return;
  hr_decoder decoder = {};
  for (size_t i = 0; i < n; ++i) {
    size_t got = 0;
    hr_decode(&tokenizer, &decoder, ids[i], piece.data(), piece.size(), &got);
  }
}

void run(const hr_library &library, const uint8_t *blob, size_t bytes) {
  hr_port port;
  hr_port_none(&port);
  const size_t arenaBytes = hr_arena_bytes(&library), sessionBytes = hr_session_bytes(&library);
  Memory arena = take(arenaBytes), kv = take(sessionBytes);
  hr_model *model = nullptr;
  hr_session *session = nullptr;
  if (hr_open(&model, &library, blob, bytes, &port, nullptr, arena.get(), arenaBytes) != HR_OK ||
      hr_session_open(&session, model, kv.get(), sessionBytes) != HR_OK)
    return;
  useTokenizer(model);
  const int32_t prompt[] = {1, 2, 3};
  hr_generate_options options = {};
  options.max_tokens = 3;
  hr_generate(session, prompt, 3, &options, nullptr, nullptr, nullptr);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3)
    return 0;
  Memory whole = take(fake_blob_bytes);
  fake_blob(whole.get());
  hr_library library = fake_library(whole.get(), 0);
  const size_t table = std::min<size_t>(size - 3, 256), rest = size - 3 - table;
  for (size_t i = 0; i < table; ++i)
    whole.get()[i] ^= data[3 + i];
  std::memcpy(whole.get() + 3 * HR_SECTION_ALIGN, data + 3 + table, std::min<size_t>(rest, HR_SECTION_ALIGN));
  auto *header = reinterpret_cast<hr_blob_header *>(whole.get());
  if (data[0] & 1) {
    fake_blob_rehash(whole.get());
    library.blob_hash = header->table_hash;
  }
  const size_t bytes = fake_blob_bytes - (data[1] | size_t(data[2]) << 8);
  Memory blob = take(bytes);
  std::memcpy(blob.get(), whole.get(), bytes);
  hr_problem problem;
  hr_check_payload(&library, blob.get(), bytes, &problem);
  run(library, blob.get(), bytes);
  return 0;
}
