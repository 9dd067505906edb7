// Feeds arbitrary bytes to the GGUF reader; what it accepts must satisfy what it promises.
#include "compiler/import/gguf/Gguf.h"

#include <cstdlib>

static void readEveryValue(const headrace::GgufMetadata &metadata) {
  for (std::string_view key : metadata.keys()) {
    (void)metadata.text(key);
    (void)metadata.integer(key);
    (void)metadata.number(key);
    (void)metadata.boolean(key);
    (void)metadata.texts(key);
    (void)metadata.numbers(key);
    (void)metadata.booleans(key);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto header = headrace::readGgufHeader(data, size, "fuzz.gguf");
  if (!header) {
    if (header.error().message().find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  uint64_t at = 0;
  for (const headrace::TensorEntry &tensor : header->tensors) {
    if (tensor.offset < at || tensor.bytes > size - tensor.offset)
      std::abort();
    at = tensor.offset + tensor.bytes;
  }
  readEveryValue(header->metadata);
  return 0;
}
