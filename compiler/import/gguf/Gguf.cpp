#include "compiler/import/gguf/Gguf.h"
#include "compiler/import/gguf/GgmlType.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

namespace headrace {

namespace {

constexpr uint32_t kMostDimensions = 4;
constexpr unsigned kDeepestArray = 4;
constexpr uint64_t kLeastPair = 8 + 4 + 1;           // an empty key, the type, a byte
constexpr uint64_t kLeastTensor = 8 + 4 + 8 + 4 + 8; // an empty name, one dimension

/// Reads a header from front to back. Nothing is allocated by a count that the bytes behind it cannot bear.
class HeaderReader {
public:
  HeaderReader(const uint8_t *data, size_t size, std::string file) : data(data), size(size), file(std::move(file)) {
    header.metadata = GgufMetadata(this->file);
  }
  Result<GgufHeader> read();

private:
  uint64_t left() const { return size - at; }
  Error cutShort(const std::string &where, const std::string &what, uint64_t needed) const {
    return expectedFound(where, what + " of " + bytesText(needed), bytesText(left()) + " before the end of the file");
  }
  template <typename T> Result<T> scalar(const std::string &where, const char *what);
  Result<std::string_view> string(const std::string &where, const char *what);
  Result<void> readStart(uint64_t &tensors, uint64_t &pairs);
  Result<GgufType> valueType(const std::string &where);
  Result<void> skipValue(GgufType type, const std::string &where, unsigned depth);
  Result<void> skipElements(GgufType type, uint64_t count, const std::string &where, unsigned depth);
  Result<void> readPair(uint64_t index);
  Result<void> readAlignment();
  Result<std::vector<int64_t>> readShape(const std::string &where);
  Result<void> readTensor(uint64_t index);
  Result<void> checkPlaces();

  const uint8_t *data;
  size_t size, at = 0;
  std::string file;
  uint64_t alignment = 32;
  std::set<std::string> names;
  GgufHeader header;
};

template <typename T> Result<T> HeaderReader::scalar(const std::string &where, const char *what) {
  if (left() < sizeof(T))
    return cutShort(where, what, sizeof(T));
  T value;
  std::memcpy(&value, data + at, sizeof value);
  at += sizeof value;
  return value;
}

Result<std::string_view> HeaderReader::string(const std::string &where, const char *what) {
  Result<uint64_t> length = scalar<uint64_t>(where, "a length");
  if (!length)
    return length.error();
  if (*length > left())
    return cutShort(where, what, *length);
  std::string_view text(reinterpret_cast<const char *>(data) + at, size_t(*length));
  at += text.size();
  return text;
}

Result<void> HeaderReader::readStart(uint64_t &tensors, uint64_t &pairs) {
  if (size < 4 || std::memcmp(data, "GGUF", 4) != 0)
    return expectedFound(file, "the magic number 'GGUF'",
                         inQuotes({reinterpret_cast<const char *>(data), std::min<size_t>(size, 4)}));
  at = 4;
  Result<uint32_t> version = scalar<uint32_t>(file, "a version");
  if (!version)
    return version.error();
  if (*version != 0 && (*version & 0xffff) == 0)
    return expectedFound(file, "a little-endian file", "a big-endian one");
  if (*version != 2 && *version != 3)
    return expectedFound(file, "version 2 or 3 of GGUF", "version " + std::to_string(*version));
  if (left() < 16)
    return cutShort(file, "the counts of tensors and keys", 16);
  tensors = *scalar<uint64_t>(file, "a count");
  pairs = *scalar<uint64_t>(file, "a count");
  if (pairs > left() / kLeastPair)
    return expectedFound(file,
                         "at most " + std::to_string(left() / kLeastPair) + " keys in a file of " + bytesText(size),
                         std::to_string(pairs));
  if (tensors > left() / kLeastTensor)
    return expectedFound(
        file, "at most " + std::to_string(left() / kLeastTensor) + " tensors in a file of " + bytesText(size),
        std::to_string(tensors));
  return {};
}

Result<GgufType> HeaderReader::valueType(const std::string &where) {
  Result<uint32_t> type = scalar<uint32_t>(where, "a value type");
  if (!type)
    return type.error();
  if (*type > uint32_t(GgufType::F64))
    return expectedFound(where, "a value type of the format (0 to 12)", std::to_string(*type));
  return GgufType(*type);
}

/// `count` elements of a type; arrays may hold arrays.
Result<void> HeaderReader::skipElements(GgufType type, uint64_t count, const std::string &where, unsigned depth) {
  uint64_t least = type == GgufType::Array ? 12 : type == GgufType::String ? 8 : ggufScalarBytes(type);
  if (count > left() / least)
    return expectedFound(where, "at most " + std::to_string(left() / least) + " elements before the end of the file",
                         std::to_string(count));
  if (type == GgufType::Bool)
    for (uint64_t i = 0; i < count; ++i)
      if (data[at + i] > 1)
        return expectedFound(where, "booleans of 0 or 1", std::to_string(data[at + i]));
  if (ggufScalarBytes(type)) {
    at += size_t(count * least);
    return {};
  }
  for (uint64_t i = 0; i < count; ++i)
    HR_TRY(skipValue(type, where, depth));
  return {};
}

Result<void> HeaderReader::skipValue(GgufType type, const std::string &where, unsigned depth) {
  if (type == GgufType::String) {
    Result<std::string_view> text = string(where, "a string");
    return text ? Result<void>() : Result<void>(text.error());
  }
  if (type != GgufType::Array)
    return skipElements(type, 1, where, depth);
  if (depth == kDeepestArray)
    return expectedFound(where, "arrays nested at most 4 deep", "deeper ones");
  Result<GgufType> element = valueType(where);
  if (!element)
    return element.error();
  Result<uint64_t> count = scalar<uint64_t>(where, "a count");
  if (!count)
    return count.error();
  return skipElements(*element, *count, where, depth + 1);
}

Result<void> HeaderReader::readPair(uint64_t index) {
  Result<std::string_view> key = string(file + ": key " + std::to_string(index), "a name");
  if (!key)
    return key.error();
  std::string where = header.metadata.where(*key);
  if (key->empty())
    return expectedFound(file + ": key " + std::to_string(index), "a name", "an empty one");
  Result<GgufType> type = valueType(where);
  if (!type)
    return type.error();
  GgufValue value{*type, false, 1, data + at};
  if (*type == GgufType::Array && left() >= 12) {
    uint32_t element;
    std::memcpy(&element, data + at, 4);
    std::memcpy(&value.count, data + at + 4, 8);
    value = {GgufType(element), true, value.count, data + at + 12}; // used only when skipValue has found it sound
  }
  HR_TRY(skipValue(*type, where, 0));
  if (!header.metadata.add(*key, value))
    return expectedFound(where, "each key once", "it twice");
  return {};
}

Result<void> HeaderReader::readAlignment() {
  const char key[] = "general.alignment";
  if (!header.metadata.has(key))
    return {};
  Result<int64_t> given = header.metadata.integer(key);
  if (!given)
    return given.error();
  if (*given < 1 || *given > int64_t(1) << 30 || (*given & (*given - 1)) != 0)
    return expectedFound(header.metadata.where(key), "a power of two up to 2^30", std::to_string(*given));
  alignment = uint64_t(*given);
  return {};
}

Result<std::vector<int64_t>> HeaderReader::readShape(const std::string &where) {
  Result<uint32_t> rank = scalar<uint32_t>(where, "a number of dimensions");
  if (!rank)
    return rank.error();
  if (*rank < 1 || *rank > kMostDimensions)
    return expectedFound(where, "1 to 4 dimensions", std::to_string(*rank));
  std::vector<int64_t> shape(*rank);
  uint64_t elements = 1;
  for (uint32_t i = 0; i < *rank; ++i) {
    Result<uint64_t> dim = scalar<uint64_t>(where, "a dimension");
    if (!dim)
      return dim.error();
    if (*dim == 0)
      return expectedFound(where, "dimensions of at least 1", "0");
    if (__builtin_mul_overflow(elements, *dim, &elements) || elements >= uint64_t(1) << 56)
      return expectedFound(where, "fewer than 2^56 elements", "a dimension of " + std::to_string(*dim));
    shape[*rank - 1 - i] = int64_t(*dim);
  }
  return shape;
}

Result<void> HeaderReader::readTensor(uint64_t index) {
  std::string where = file + ": tensor " + std::to_string(index);
  Result<std::string_view> name = string(where, "a name");
  if (!name)
    return name.error();
  if (name->empty())
    return expectedFound(where, "a name", "an empty one");
  where = file + ": tensor " + inQuotes(*name);
  if (!names.emplace(*name).second)
    return expectedFound(where, "each tensor once", "it twice");
  Result<std::vector<int64_t>> shape = readShape(where);
  if (!shape)
    return shape.error();
  Result<uint32_t> id = scalar<uint32_t>(where, "a type");
  if (!id)
    return id.error();
  const GgmlType *type = findGgmlType(*id);
  if (!type)
    return expectedFound(where, "a tensor type of the format", "type " + std::to_string(*id));
  Result<uint64_t> offset = scalar<uint64_t>(where, "an offset");
  if (!offset)
    return offset.error();
  if (shape->back() % type->blockElements != 0)
    return expectedFound(where, "rows of whole blocks of " + std::to_string(type->blockElements) + " for " + type->name,
                         shapeText(*shape));
  if (*offset % alignment != 0)
    return expectedFound(where, "an offset that " + std::to_string(alignment) + " divides", std::to_string(*offset));
  uint64_t blocks = 1;
  for (int64_t dim : *shape)
    blocks *= uint64_t(dim);
  blocks /= type->blockElements;
  header.tensors.push_back(
      {std::string(*name), type->name, type->type, shape.take(), *offset, blocks * type->blockBytes});
  return {};
}

/// Sorts the tensors, checks that they lie within the data and apart, and makes their offsets those in the file.
Result<void> HeaderReader::checkPlaces() {
  uint64_t start = (at + alignment - 1) / alignment * alignment;
  uint64_t bytes = start < size ? size - start : 0;
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorEntry &a, const TensorEntry &b) { return a.offset < b.offset; });
  uint64_t covered = 0;
  for (TensorEntry &tensor : header.tensors) {
    std::string where = file + ": tensor " + inQuotes(tensor.name);
    if (tensor.offset > bytes || tensor.bytes > bytes - tensor.offset)
      return expectedFound(where,
                           bytesText(tensor.bytes) + " at byte " + std::to_string(tensor.offset) + " of the data",
                           bytesText(bytes) + " of data");
    if (tensor.offset < covered)
      return expectedFound(where, "data from byte " + std::to_string(covered) + " on",
                           "an overlap from byte " + std::to_string(tensor.offset));
    covered = tensor.offset + tensor.bytes;
    tensor.offset += start;
  }
  return {};
}

Result<GgufHeader> HeaderReader::read() {
  uint64_t tensors = 0, pairs = 0;
  HR_TRY(readStart(tensors, pairs));
  for (uint64_t i = 0; i < pairs; ++i)
    HR_TRY(readPair(i));
  HR_TRY(readAlignment());
  for (uint64_t i = 0; i < tensors; ++i)
    HR_TRY(readTensor(i));
  HR_TRY(checkPlaces());
  return std::move(header);
}

} // namespace

Result<GgufHeader> readGgufHeader(const uint8_t *data, size_t size, std::string_view fileName) {
  return HeaderReader(data, size, std::string(fileName)).read();
}

} // namespace headrace
