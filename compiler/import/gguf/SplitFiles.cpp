// The parts of a split GGUF file: NAME-00001-of-00003.gguf has the metadata, all have tensors.
#include "compiler/import/gguf/Gguf.h"
#include "compiler/support/ErrorText.h"

#include <cstdio>
#include <cstring>

namespace headrace {

static const char kNumber[] = "split.no", kCount[] = "split.count", kTensors[] = "split.tensors.count";
static const int64_t kMostParts = 99999; // five digits

static std::string partSuffix(int64_t number, int64_t count) {
  char text[40];
  std::snprintf(text, sizeof text, "-%05d-of-%05d.gguf", int(number), int(count));
  return text;
}

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Maps and reads one file, and puts its tensors with the others.
static Result<GgufMetadata> readPart(const std::string &path, std::vector<Checkpoint::Part> &parts) {
  Result<MappedFile> bytes = MappedFile::open(path);
  if (!bytes)
    return bytes.error();
  std::string name = fileNameOf(path);
  Result<GgufHeader> header = readGgufHeader(bytes->data(), bytes->size(), name);
  if (!header)
    return header.error();
  parts.push_back({name, bytes.take(), std::move(header->tensors)});
  return std::move(header->metadata);
}

/// The key as it must be in part `number` (from 0); absent is as good as the value of a file that is not split.
static Result<void> checkKey(const GgufMetadata &metadata, const char *key, int64_t expected) {
  Result<int64_t> found = metadata.integer(key);
  if (!found)
    return found.error();
  if (*found != expected)
    return expectedFound(metadata.where(key), std::to_string(expected), std::to_string(*found));
  return {};
}

static Result<void> readOtherParts(const std::string &path, const GgufMetadata &first, int64_t count,
                                   std::vector<Checkpoint::Part> &parts) {
  HR_TRY(checkKey(first, kNumber, 0));
  std::string suffix = partSuffix(1, count);
  if (!endsWith(path, suffix))
    return expectedFound(path,
                         "a name that ends with '" + suffix + "' for the first of " + std::to_string(count) + " parts",
                         inQuotes(fileNameOf(path)));
  std::string stem = path.substr(0, path.size() - suffix.size());
  for (int64_t number = 2; number <= count; ++number) {
    std::string other = stem + partSuffix(number, count);
    if (!pathExists(other))
      return expectedFound(fileNameOf(path), "the part " + inQuotes(fileNameOf(other)) + " beside it", "no such file");
    Result<GgufMetadata> metadata = readPart(other, parts);
    if (!metadata)
      return metadata.error();
    HR_TRY(checkKey(*metadata, kNumber, number - 1));
    HR_TRY(checkKey(*metadata, kCount, count));
  }
  size_t tensors = 0;
  for (const Checkpoint::Part &part : parts)
    tensors += part.tensors.size();
  return checkKey(first, kTensors, int64_t(tensors));
}

Result<GgufFile> openGguf(const std::string &path) {
  std::vector<Checkpoint::Part> parts;
  Result<GgufMetadata> metadata = readPart(path, parts);
  if (!metadata)
    return metadata.error();
  int64_t count = 1;
  if (metadata->has(kCount)) {
    Result<int64_t> given = metadata->integer(kCount);
    if (!given)
      return given.error();
    if (*given < 0 || *given > kMostParts)
      return expectedFound(metadata->where(kCount), "at most 99999 parts", std::to_string(*given));
    count = *given;
  }
  if (count > 1)
    HR_TRY(readOtherParts(path, *metadata, count, parts));
  Result<Checkpoint> checkpoint = Checkpoint::of(path, std::move(parts));
  if (!checkpoint)
    return checkpoint.error();
  return GgufFile{metadata.take(), checkpoint.take()};
}

bool looksLikeGguf(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  return file && file->size() >= 4 && std::memcmp(file->data(), "GGUF", 4) == 0;
}

} // namespace headrace
