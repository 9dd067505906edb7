// Metadata.h - the key-value pairs of a GGUF file, left where they are in the mapped file.
#ifndef HEADRACE_IMPORT_GGUF_METADATA_H
#define HEADRACE_IMPORT_GGUF_METADATA_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

/// Numbered as in the file.
enum class GgufType : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

/// A value whose bytes have been checked to lie within the file: each string's length, each boolean's value.
struct GgufValue {
  GgufType type = GgufType::U8; // of the value, or of the elements of an array
  bool isArray = false;
  uint64_t count = 1;            // elements of an array
  const uint8_t *data = nullptr; // the first element, without alignment
};

/// The metadata of one file. Each reading function says in its error which file and key it is about, what was expected
/// and what was found; an absent key is an error too, has() asks first. Views are valid while the file is mapped.
class GgufMetadata {
public:
  explicit GgufMetadata(std::string fileName = "") : file(std::move(fileName)) {}

  const std::string &fileName() const { return file; }
  bool has(std::string_view key) const { return values.count(key) != 0; }
  /// In the order of the file.
  const std::vector<std::string_view> &keys() const { return order; }
  bool isArray(std::string_view key) const;
  /// Elements of the array at `key`; 0 when there is none or it is no array.
  uint64_t countOf(std::string_view key) const;

  Result<std::string_view> text(std::string_view key) const;
  /// Of any integer type.
  Result<int64_t> integer(std::string_view key) const;
  /// Of any float or integer type; finite.
  Result<double> number(std::string_view key) const;
  Result<bool> boolean(std::string_view key) const;
  Result<std::vector<std::string_view>> texts(std::string_view key) const;
  Result<std::vector<int64_t>> integers(std::string_view key) const;
  Result<std::vector<double>> numbers(std::string_view key) const;
  Result<std::vector<bool>> booleans(std::string_view key) const;

  /// "FILE: key 'KEY'", which is how errors call a place.
  std::string where(std::string_view key) const;
  /// False when the key is there already.
  bool add(std::string_view key, const GgufValue &value);

private:
  Result<const GgufValue *> find(std::string_view key, bool array, const char *expected) const;
  std::string file;
  std::map<std::string_view, GgufValue> values;
  std::vector<std::string_view> order;
};

/// Bytes of a scalar of that type; 0 for strings and arrays.
unsigned ggufScalarBytes(GgufType type);

} // namespace headrace
#endif
