#include "compiler/import/safetensors/Safetensors.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <algorithm>
#include <limits>

namespace headrace {

namespace {
using nlohmann::json;

constexpr uint64_t kLongestHeader = 100'000'000; // the format's own limit
constexpr size_t kMostDimensions = 8;

struct TypeRow {
  const char *name;
  unsigned bits;
  ElementType type;
};
const TypeRow kTypes[] = {
    {"BF16", 16, ElementType::BF16},    {"BOOL", 8, ElementType::Other},    {"C64", 64, ElementType::Other},
    {"F16", 16, ElementType::F16},      {"F32", 32, ElementType::F32},      {"F4", 4, ElementType::Other},
    {"F64", 64, ElementType::Other},    {"F6_E2M3", 6, ElementType::Other}, {"F6_E3M2", 6, ElementType::Other},
    {"F8_E4M3", 8, ElementType::Other}, {"F8_E5M2", 8, ElementType::Other}, {"F8_E8M0", 8, ElementType::Other},
    {"I16", 16, ElementType::Other},    {"I32", 32, ElementType::I32},      {"I64", 64, ElementType::Other},
    {"I8", 8, ElementType::I8},         {"U16", 16, ElementType::Other},    {"U32", 32, ElementType::Other},
    {"U64", 64, ElementType::Other},    {"U8", 8, ElementType::Other},
};
} // namespace

unsigned elementBytes(ElementType type) {
  return type == ElementType::F32 ? 4 : type == ElementType::F16 || type == ElementType::BF16 ? 2 : 0;
}

/// a * b, or false when it does not fit.
static bool multiply(uint64_t a, uint64_t b, uint64_t &product) { return !__builtin_mul_overflow(a, b, &product); }

static Result<std::vector<int64_t>> readShape(const json &value, const std::string &where) {
  if (!value.is_array())
    return expectedFound(where + ": shape", "a list of integers", jsonKindText(value));
  if (value.size() > kMostDimensions)
    return expectedFound(where + ": shape", "at most 8 dimensions", std::to_string(value.size()));
  std::vector<int64_t> shape;
  for (const json &dim : value) {
    if (!dim.is_number_unsigned() || dim.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()))
      return expectedFound(where + ": shape", "non-negative integers", jsonKindText(dim));
    shape.push_back(int64_t(dim.get<uint64_t>()));
  }
  return shape;
}

/// The bytes that elements of `row` in `shape` occupy.
static Result<uint64_t> bytesOf(const TypeRow &row, const std::vector<int64_t> &shape, const std::string &where) {
  uint64_t bits = row.bits;
  for (int64_t dim : shape)
    if (!multiply(bits, uint64_t(dim), bits))
      return expectedFound(where + ": shape", "a size below 2^61 bytes", shapeText(shape));
  if (bits % 8 != 0)
    return expectedFound(where, "a whole number of bytes", std::to_string(bits) + " bits");
  return bits / 8;
}

static Result<const TypeRow *> readType(const json &value, const std::string &where) {
  if (!value.is_string())
    return expectedFound(where + ": dtype", "a string", jsonKindText(value));
  for (const TypeRow &row : kTypes)
    if (value.get_ref<const std::string &>() == row.name)
      return &row;
  return expectedFound(where + ": dtype", "a type of the safetensors format",
                       inQuotes(value.get_ref<const std::string &>()));
}

/// Fills offset and bytes (relative to the data) after checking them against the type, the shape and the size of the
/// data.
static Result<void> readRange(const json &value, const TypeRow &row, uint64_t dataBytes, const std::string &where,
                              TensorEntry &tensor) {
  if (!value.is_array() || value.size() != 2 || !value[0].is_number_unsigned() || !value[1].is_number_unsigned())
    return expectedFound(where + ": data_offsets", "two non-negative integers",
                         value.is_array() ? value.dump() : jsonKindText(value));
  uint64_t begin = value[0].get<uint64_t>(), end = value[1].get<uint64_t>();
  if (begin > end)
    return expectedFound(where + ": data_offsets", "begin <= end", value.dump());
  if (end > dataBytes)
    return expectedFound(where + ": data_offsets", "an end within the " + bytesText(dataBytes) + " of data",
                         value.dump());
  Result<uint64_t> needed = bytesOf(row, tensor.shape, where);
  if (!needed)
    return needed.error();
  if (*needed != end - begin)
    return expectedFound(where, bytesText(*needed) + " for " + row.name + " " + shapeText(tensor.shape),
                         bytesText(end - begin));
  tensor.offset = begin;
  tensor.bytes = end - begin;
  return {};
}

static Result<TensorEntry> readTensor(const std::string &name, const json &value, uint64_t dataBytes,
                                      const std::string &file) {
  std::string where = file + ": tensor " + inQuotes(name);
  if (name.empty())
    return expectedFound(file, "tensors with names", "an empty name");
  if (!value.is_object())
    return expectedFound(where, "an object", jsonKindText(value));
  for (const char *key : {"dtype", "shape", "data_offsets"})
    if (!value.contains(key))
      return expectedFound(where, std::string("the field '") + key + "'", "none");
  for (const auto &field : value.items())
    if (field.key() != "dtype" && field.key() != "shape" && field.key() != "data_offsets")
      return expectedFound(where, "only dtype, shape and data_offsets", inQuotes(field.key()));
  Result<const TypeRow *> row = readType(value["dtype"], where);
  if (!row)
    return row.error();
  Result<std::vector<int64_t>> shape = readShape(value["shape"], where);
  if (!shape)
    return shape.error();
  TensorEntry tensor{name, (*row)->name, (*row)->type, shape.take(), 0, 0};
  HR_TRY(readRange(value["data_offsets"], **row, dataBytes, where, tensor));
  return tensor;
}

/// The tensors, ascending by offset, must cover [0, dataBytes) exactly.
static Result<void> checkCover(const std::vector<TensorEntry> &tensors, uint64_t dataBytes, const std::string &file) {
  uint64_t covered = 0;
  for (const TensorEntry &tensor : tensors) {
    std::string where = file + ": tensor " + inQuotes(tensor.name);
    if (tensor.offset < covered)
      return expectedFound(where, "data from byte " + std::to_string(covered) + " on",
                           "an overlap from byte " + std::to_string(tensor.offset));
    if (tensor.offset > covered)
      return expectedFound(where, "data from byte " + std::to_string(covered) + " on",
                           "a gap up to byte " + std::to_string(tensor.offset));
    covered += tensor.bytes;
  }
  if (covered != dataBytes)
    return expectedFound(file, bytesText(covered) + " of data", bytesText(dataBytes));
  return {};
}

static Result<void> readMetadata(const json &value, const std::string &file,
                                 std::map<std::string, std::string> &metadata) {
  if (!value.is_object())
    return expectedFound(file + ": __metadata__", "an object of strings", jsonKindText(value));
  for (const auto &field : value.items()) {
    if (!field.value().is_string())
      return expectedFound(file + ": __metadata__: " + inQuotes(field.key()), "a string", jsonKindText(field.value()));
    metadata[field.key()] = field.value().get<std::string>();
  }
  return {};
}

/// The JSON text between the length and the data.
static Result<std::string_view> headerText(const uint8_t *data, size_t size, const std::string &file) {
  if (size < 8)
    return expectedFound(file, "a header length of 8 bytes", bytesText(size));
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | data[i];
  if (length > kLongestHeader)
    return expectedFound(file, "a header of at most " + bytesText(kLongestHeader), bytesText(length));
  if (length > size - 8)
    return expectedFound(file, "a header of " + bytesText(length), bytesText(size - 8) + " after the header length");
  std::string_view text(reinterpret_cast<const char *>(data) + 8, size_t(length));
  if (text.empty() || text[0] != '{')
    return expectedFound(file + ": header", "a JSON object",
                         text.empty() ? "nothing" : "the byte " + inQuotes(text.substr(0, 1)));
  return text;
}

Result<SafetensorsHeader> readSafetensorsHeader(const uint8_t *data, size_t size, std::string_view fileName) {
  std::string file(fileName);
  Result<std::string_view> text = headerText(data, size, file);
  if (!text)
    return text.error();
  Result<json> parsed = parseJson(*text, file + ": header");
  if (!parsed)
    return parsed.error();

  uint64_t dataStart = 8 + text->size(), dataBytes = size - dataStart;
  SafetensorsHeader header;
  for (const auto &field : parsed->items()) {
    if (field.key() == "__metadata__") {
      HR_TRY(readMetadata(field.value(), file, header.metadata));
      continue;
    }
    Result<TensorEntry> tensor = readTensor(field.key(), field.value(), dataBytes, file);
    if (!tensor)
      return tensor.error();
    header.tensors.push_back(tensor.take());
  }
  std::sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry &a, const TensorEntry &b) {
    return std::tie(a.offset, a.bytes, a.name) < std::tie(b.offset, b.bytes, b.name);
  });
  HR_TRY(checkCover(header.tensors, dataBytes, file));
  for (TensorEntry &tensor : header.tensors)
    tensor.offset += dataStart;
  return header;
}

} // namespace headrace
