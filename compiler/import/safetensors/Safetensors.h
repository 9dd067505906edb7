// Safetensors.h - the header of a safetensors file, believed only after everything in it has been checked.
//
//   0      uint64 n, little endian
//   8      n bytes of JSON: {"name": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [begin, end]}, ...,
//   "__metadata__": {...}} 8 + n  data; the tensors cover it without gaps and without overlaps
#ifndef HEADRACE_IMPORT_SAFETENSORS_H
#define HEADRACE_IMPORT_SAFETENSORS_H

#include "compiler/import/spec/TensorExpr.h"
#include "compiler/support/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

/// Bytes of one element; 0 for elements in blocks and for Other.
unsigned elementBytes(ElementType type);

struct TensorEntry {
  std::string name;
  std::string typeName; // as in the file: "BF16", "I64" ...; always one that the format defines
  ElementType type = ElementType::Other;
  std::vector<int64_t> shape;
  uint64_t offset = 0; // of the first byte, from the start of the file
  uint64_t bytes = 0;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors; // ascending by offset
  std::map<std::string, std::string> metadata;
};

/// Reads and checks the header of the file whose bytes are [data, data + size). `fileName` is what errors call it.
Result<SafetensorsHeader> readSafetensorsHeader(const uint8_t *data, size_t size, std::string_view fileName);

} // namespace headrace
#endif
