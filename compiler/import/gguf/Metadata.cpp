#include "compiler/import/gguf/Metadata.h"
#include "compiler/support/ErrorText.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace headrace {

namespace {

struct TypeRow {
  const char *one, *many;
  unsigned bytes;
};
/// By GgufType.
const TypeRow kTypes[] = {
    {"a u8", "u8", 1},          {"an i8", "i8", 1},        {"a u16", "u16", 2},  {"an i16", "i16", 2},
    {"a u32", "u32", 4},        {"an i32", "i32", 4},      {"an f32", "f32", 4}, {"a boolean", "booleans", 1},
    {"a string", "strings", 0}, {"an array", "arrays", 0}, {"a u64", "u64", 8},  {"an i64", "i64", 8},
    {"an f64", "f64", 8},
};

std::string kindText(const GgufValue &value) {
  const TypeRow &row = kTypes[unsigned(value.type)];
  return value.isArray ? std::string("an array of ") + row.many : row.one;
}

template <typename T> T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// The integer at `from`; false when the type holds none, or one beyond i64.
bool loadInteger(GgufType type, const uint8_t *from, int64_t &out) {
  switch (type) {
  case GgufType::U8:
    return out = load<uint8_t>(from), true;
  case GgufType::I8:
    return out = load<int8_t>(from), true;
  case GgufType::U16:
    return out = load<uint16_t>(from), true;
  case GgufType::I16:
    return out = load<int16_t>(from), true;
  case GgufType::U32:
    return out = load<uint32_t>(from), true;
  case GgufType::I32:
    return out = load<int32_t>(from), true;
  case GgufType::I64:
    return out = load<int64_t>(from), true;
  case GgufType::U64:
    out = load<int64_t>(from);
    return out >= 0;
  default:
    return false;
  }
}

bool loadNumber(GgufType type, const uint8_t *from, double &out) {
  if (type == GgufType::F32)
    out = double(load<float>(from));
  else if (type == GgufType::F64)
    out = load<double>(from);
  else if (int64_t integer = 0; loadInteger(type, from, integer))
    out = double(integer);
  else
    return false;
  return std::isfinite(out);
}

/// Whether `load` can be tried on elements of this type, so that an empty array of another type is refused too.
bool holdsIntegers(GgufType type) {
  return type != GgufType::F32 && type != GgufType::F64 && type != GgufType::Bool && type != GgufType::String &&
         type != GgufType::Array;
}
bool holdsNumbers(GgufType type) { return holdsIntegers(type) || type == GgufType::F32 || type == GgufType::F64; }

std::string_view loadText(const uint8_t *from) {
  return {reinterpret_cast<const char *>(from) + 8, size_t(load<uint64_t>(from))};
}

} // namespace

unsigned ggufScalarBytes(GgufType type) { return kTypes[unsigned(type)].bytes; }

std::string GgufMetadata::where(std::string_view key) const { return file + ": key " + inQuotes(key); }

bool GgufMetadata::add(std::string_view key, const GgufValue &value) {
  if (!values.emplace(key, value).second)
    return false;
  order.push_back(key);
  return true;
}

bool GgufMetadata::isArray(std::string_view key) const {
  auto found = values.find(key);
  return found != values.end() && found->second.isArray;
}

uint64_t GgufMetadata::countOf(std::string_view key) const {
  auto found = values.find(key);
  return found != values.end() && found->second.isArray ? found->second.count : 0;
}

Result<const GgufValue *> GgufMetadata::find(std::string_view key, bool array, const char *expected) const {
  auto found = values.find(key);
  if (found == values.end())
    return expectedFound(where(key), expected, "no such key");
  if (found->second.isArray != array)
    return expectedFound(where(key), expected, kindText(found->second));
  return &found->second;
}

Result<std::string_view> GgufMetadata::text(std::string_view key) const {
  Result<const GgufValue *> value = find(key, false, "a string");
  if (!value)
    return value.error();
  if ((*value)->type != GgufType::String)
    return expectedFound(where(key), "a string", kindText(**value));
  return loadText((*value)->data);
}

Result<int64_t> GgufMetadata::integer(std::string_view key) const {
  Result<const GgufValue *> value = find(key, false, "an integer");
  if (!value)
    return value.error();
  int64_t out = 0;
  if (!holdsIntegers((*value)->type))
    return expectedFound(where(key), "an integer", kindText(**value));
  if (!loadInteger((*value)->type, (*value)->data, out))
    return expectedFound(where(key), "an integer below 2^63", std::to_string(load<uint64_t>((*value)->data)));
  return out;
}

Result<double> GgufMetadata::number(std::string_view key) const {
  Result<const GgufValue *> value = find(key, false, "a number");
  if (!value)
    return value.error();
  double out = 0;
  if (!holdsNumbers((*value)->type))
    return expectedFound(where(key), "a number", kindText(**value));
  if (!loadNumber((*value)->type, (*value)->data, out))
    return expectedFound(where(key), "a finite number", "another");
  return out;
}

Result<bool> GgufMetadata::boolean(std::string_view key) const {
  Result<const GgufValue *> value = find(key, false, "a boolean");
  if (!value)
    return value.error();
  if ((*value)->type != GgufType::Bool)
    return expectedFound(where(key), "a boolean", kindText(**value));
  return *(*value)->data != 0;
}

Result<std::vector<std::string_view>> GgufMetadata::texts(std::string_view key) const {
  Result<const GgufValue *> value = find(key, true, "an array of strings");
  if (!value)
    return value.error();
  if ((*value)->type != GgufType::String)
    return expectedFound(where(key), "an array of strings", kindText(**value));
  std::vector<std::string_view> out(size_t((*value)->count));
  const uint8_t *at = (*value)->data;
  for (std::string_view &text : out) {
    text = loadText(at);
    at += 8 + text.size();
  }
  return out;
}

Result<std::vector<int64_t>> GgufMetadata::integers(std::string_view key) const {
  Result<const GgufValue *> value = find(key, true, "an array of integers");
  if (!value)
    return value.error();
  if (!holdsIntegers((*value)->type))
    return expectedFound(where(key), "an array of integers", kindText(**value));
  std::vector<int64_t> out(size_t((*value)->count));
  for (size_t i = 0; i < out.size(); ++i)
    if (!loadInteger((*value)->type, (*value)->data + i * ggufScalarBytes((*value)->type), out[i]))
      return expectedFound(where(key), "integers below 2^63", "a greater one at index " + std::to_string(i));
  return out;
}

Result<std::vector<double>> GgufMetadata::numbers(std::string_view key) const {
  Result<const GgufValue *> value = find(key, true, "an array of numbers");
  if (!value)
    return value.error();
  if (!holdsNumbers((*value)->type))
    return expectedFound(where(key), "an array of numbers", kindText(**value));
  std::vector<double> out(size_t((*value)->count));
  for (size_t i = 0; i < out.size(); ++i)
    if (!loadNumber((*value)->type, (*value)->data + i * ggufScalarBytes((*value)->type), out[i]))
      return expectedFound(where(key), "finite numbers", "another at index " + std::to_string(i));
  return out;
}

Result<std::vector<bool>> GgufMetadata::booleans(std::string_view key) const {
  Result<const GgufValue *> value = find(key, true, "an array of booleans");
  if (!value)
    return value.error();
  if ((*value)->type != GgufType::Bool)
    return expectedFound(where(key), "an array of booleans", kindText(**value));
  std::vector<bool> out(size_t((*value)->count));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = (*value)->data[i] != 0;
  return out;
}

} // namespace headrace
