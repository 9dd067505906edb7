// GgmlType.h - the tensor types of the GGUF format: how many elements make a block, and how many bytes it takes.
#ifndef HEADRACE_IMPORT_GGMLTYPE_H
#define HEADRACE_IMPORT_GGMLTYPE_H

#include "compiler/import/safetensors/Safetensors.h"

namespace headrace {

struct GgmlType {
  uint32_t id; // in the file
  const char *name;
  uint32_t blockElements; // consecutive elements of a row that are stored together
  uint32_t blockBytes;
  ElementType type; // Other: named by the format, not computed with
};

/// nullptr when the format has no type of that number, or has one no longer.
const GgmlType *findGgmlType(uint32_t id);

} // namespace headrace
#endif
