// Feeds arbitrary bytes to the GGUF reader and, when it takes them, their metadata to the tokenizer compiler; what that
// accepts must open, and encode and decode some text.
#include "compiler/import/gguf/Gguf.h"
#include "compiler/import/tokenizer/Tokenizer.h"
#include "headrace.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto header = headrace::readGgufHeader(data, size, "fuzz.gguf");
  if (!header)
    return 0;
  auto section = headrace::compileTokenizerFromGguf(header->metadata);
  if (!section) {
    if (section.error().message().find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  hr_tokenizer tokenizer;
  if (hr_tokenizer_open(&tokenizer, section->data(), section->size()) != HR_OK)
    std::abort();
  const char *text = "It's 12 ab<x> e\xcc\x81\n";
  size_t n = 0, needed = hr_tokenizer_scratch(&tokenizer, strlen(text));
  if (needed > size_t(1) << 24) // a character map may lengthen text; nobody has to have that much memory
    return 0;
  std::vector<uint64_t> scratch(needed / 8 + 1);
  std::vector<int32_t> ids(needed);
  if (hr_encode(&tokenizer, text, strlen(text), HR_WITH_SPECIAL, ids.data(), ids.size(), &n, scratch.data(), needed) !=
      HR_OK)
    std::abort();
  size_t bytes = 0;
  std::vector<char> out(hr_decode_max(&tokenizer) * (n + 1));
  if (hr_detokenize(&tokenizer, ids.data(), n, HR_KEEP_SPECIAL, out.data(), out.size(), &bytes) != HR_OK)
    std::abort();
  return 0;
}
