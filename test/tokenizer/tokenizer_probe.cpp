// tokenizer_probe TOKENIZER.json - compiles a tokenizer and serves requests on stdin, for fuzz_against_hf.py.
//
//   request:  u8 kind ('E' encode, 'D' decode all, 'S' decode as a stream), u32 flags, u32 count, text bytes or int32
//   ids answer:   i32 status, u32 count, int32 ids or text bytes
#include "compiler/import/tokenizer/Tokenizer.h"
#include "headrace.h"

#include <cstdio>
#include <string>
#include <vector>

namespace {

bool readAll(void *to, size_t bytes) { return fread(to, 1, bytes, stdin) == bytes; }

template <typename T> void answer(hr_status status, const std::vector<T> &elements) {
  int32_t code = status;
  auto count = uint32_t(elements.size());
  fwrite(&code, 4, 1, stdout);
  fwrite(&count, 4, 1, stdout);
  fwrite(elements.data(), sizeof(T), elements.size(), stdout);
  fflush(stdout);
}

void encode(const hr_tokenizer &tokenizer, uint32_t flags, const std::string &text) {
  std::vector<uint8_t> scratch(hr_tokenizer_scratch(&tokenizer, text.size()));
  std::vector<int32_t> ids;
  size_t n = 0;
  hr_status status = HR_OUT_OF_MEMORY;
  for (int round = 0; round < 2 && status == HR_OUT_OF_MEMORY; round++) {
    ids.resize(n);
    status = hr_encode(&tokenizer, text.data(), text.size(), flags, ids.data(), ids.size(), &n, scratch.data(),
                       scratch.size());
  }
  ids.resize(status == HR_OK ? n : 0);
  answer(status, ids);
}

void decode(const hr_tokenizer &tokenizer, uint32_t flags, const std::vector<int32_t> &ids) {
  size_t n = 0;
  hr_detokenize(&tokenizer, ids.data(), ids.size(), flags, nullptr, 0, &n);
  std::vector<char> text(n);
  answer(hr_detokenize(&tokenizer, ids.data(), ids.size(), flags, text.data(), n, &n), text);
}

void decodeStream(const hr_tokenizer &tokenizer, uint32_t flags, std::vector<int32_t> ids) {
  hr_decoder state = {};
  state.keep_special = flags & HR_KEEP_SPECIAL;
  std::vector<char> text, piece(hr_decode_max(&tokenizer));
  hr_status status = HR_OK;
  ids.push_back(-1);
  for (int32_t id : ids) {
    size_t n = 0;
    status = hr_decode(&tokenizer, &state, id, piece.data(), piece.size(), &n);
    if (status != HR_OK)
      break;
    text.insert(text.end(), piece.begin(), piece.begin() + ptrdiff_t(n));
  }
  answer(status, text);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto section = headrace::compileTokenizer(argv[1]);
  if (!section) {
    fprintf(stderr, "headrace: error: %s\n", section.error().message().c_str());
    return 1;
  }
  hr_tokenizer tokenizer;
  if (hr_tokenizer_open(&tokenizer, section->data(), section->size()) != HR_OK)
    return 1;
  uint8_t kind;
  uint32_t flags, count;
  while (readAll(&kind, 1) && readAll(&flags, 4) && readAll(&count, 4)) {
    if (kind == 'E') {
      std::string text(count, '\0');
      if (!readAll(text.data(), count))
        return 1;
      encode(tokenizer, flags, text);
      continue;
    }
    std::vector<int32_t> ids(count);
    if (!readAll(ids.data(), size_t(count) * 4))
      return 1;
    kind == 'D' ? decode(tokenizer, flags, ids) : decodeStream(tokenizer, flags, ids);
  }
  return 0;
}
