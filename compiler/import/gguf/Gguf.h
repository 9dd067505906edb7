// Gguf.h - GGUF files: metadata and tensors of one file or of the parts of a split one, believed only after checking.
//
//   0    "GGUF", u32 version (2 or 3), u64 tensors, u64 pairs
//   24   pairs: string key, u32 type, value            string: u64 bytes, then those; array: u32 type, u64 count,
//   values
//        tensors: string name, u32 dimensions, u64 sizes (innermost first), u32 type, u64 offset in the data
//        data, from the next multiple of general.alignment (32 when absent), in which each tensor starts at such a
//        multiple
#ifndef HEADRACE_IMPORT_GGUF_H
#define HEADRACE_IMPORT_GGUF_H

#include "compiler/import/folder/Checkpoint.h"
#include "compiler/import/gguf/Metadata.h"

namespace headrace {

struct GgufHeader {
  GgufMetadata metadata; // points into the file's bytes
  /// Ascending by offset (from the start of the file), without overlap; shapes outermost first, as everywhere here.
  std::vector<TensorEntry> tensors;
};

/// Reads and checks everything before the data of the file whose bytes are [data, data + size). `fileName` is what
/// errors call it.
Result<GgufHeader> readGgufHeader(const uint8_t *data, size_t size, std::string_view fileName);

/// A model in the GGUF format. Movable; views from `metadata` stay valid while it lives.
struct GgufFile {
  GgufMetadata metadata; // of the first part
  Checkpoint checkpoint; // of all parts
};

/// Opens `path`, and when it is the first part of a split file ("NAME-00001-of-00003.gguf", split.count in the
/// metadata) the others beside it.
Result<GgufFile> openGguf(const std::string &path);

/// Whether the file at `path` starts with the format's magic number.
bool looksLikeGguf(const std::string &path);

} // namespace headrace
#endif
