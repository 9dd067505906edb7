// Feeds arbitrary bytes to the safetensors reader; what it accepts must satisfy what it promises.
#include "compiler/import/safetensors/Safetensors.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto header = headrace::readSafetensorsHeader(data, size, "fuzz.safetensors");
  if (!header) {
    if (header.error().message().find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  uint64_t at = header->tensors.empty() ? size : header->tensors.front().offset;
  for (const headrace::TensorEntry &tensor : header->tensors) {
    if (tensor.offset != at)
      std::abort();
    at += tensor.bytes;
  }
  if (at != size)
    std::abort();
  return 0;
}
