// GgufFixture.h - GGUF files made in memory, right by default and wrong where a test says so.
#ifndef HEADRACE_TEST_READERS_GGUFFIXTURE_H
#define HEADRACE_TEST_READERS_GGUFFIXTURE_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fixtures {

/// The bytes of a number, little endian.
template <typename T> std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(&bytes[0], &value, sizeof value);
  return bytes;
}

inline std::string ggufString(const std::string &text) { return raw(uint64_t(text.size())) + text; }

/// Value types by their numbers in the format.
enum : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };

struct GgufMaker {
  std::string magic = "GGUF";
  uint32_t version = 3;
  int64_t extraTensors = 0, extraPairs = 0; // how far the counts are from the truth
  uint64_t alignment = 32;                  // of the layout; the key is a pair like others
  std::vector<std::string> pairs, tensors;
  std::string data;

  GgufMaker &pair(const std::string &key, uint32_t type, const std::string &value) {
    pairs.push_back(ggufString(key) + raw(type) + value);
    return *this;
  }
  GgufMaker &text(const std::string &key, const std::string &value) { return pair(key, kString, ggufString(value)); }
  GgufMaker &array(const std::string &key, uint32_t type, uint64_t count, const std::string &values) {
    return pair(key, kArray, raw(type) + raw(count) + values);
  }
  /// A tensor info alone; `sizes` innermost first.
  GgufMaker &info(const std::string &name, const std::vector<uint64_t> &sizes, uint32_t type, uint64_t offset) {
    std::string bytes = ggufString(name) + raw(uint32_t(sizes.size()));
    for (uint64_t size : sizes)
      bytes += raw(size);
    tensors.push_back(bytes + raw(type) + raw(offset));
    return *this;
  }
  /// A tensor info and its data behind those before it.
  GgufMaker &tensor(const std::string &name, const std::vector<uint64_t> &sizes, uint32_t type,
                    const std::string &bytes) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    info(name, sizes, type, data.size());
    data += bytes;
    return *this;
  }
  std::string header() const {
    std::string file = magic + raw(version) + raw(uint64_t(int64_t(tensors.size()) + extraTensors)) +
                       raw(uint64_t(int64_t(pairs.size()) + extraPairs));
    for (const std::string &bytes : pairs)
      file += bytes;
    for (const std::string &bytes : tensors)
      file += bytes;
    return file;
  }
  std::string bytes() const {
    std::string file = header();
    file.resize((file.size() + alignment - 1) / alignment * alignment);
    return file + data;
  }
};

} // namespace fixtures
#endif
