// Feeds arbitrary bytes to the GGUF reader and, when it takes them, their metadata to the tokenizer compiler; what that
// accepts must open, and encode and decode some text.
#include "use_tokenizer.h"

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
  useTokenizer(*section, "It's 12 ab<x> e\xcc\x81\n");
  return 0;
}
