#include "compiler/import/config/FieldReader.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

namespace headrace {

using nlohmann::json;

/// Whether `value` is an integer in [least, most]; JSON integers may exceed int64.
static bool integerIn(const json &value, int64_t least, int64_t most) {
  if (value.is_number_unsigned())
    return value.get<uint64_t>() <= uint64_t(most) && int64_t(value.get<uint64_t>()) >= least;
  return value.is_number_integer() && value.get<int64_t>() >= least && value.get<int64_t>() <= most;
}

static std::string rangeText(const json &least, const json &most) {
  return "from " + least.dump() + " to " + most.dump();
}

const json *FieldReader::find(const char *name) const {
  names.insert(name);
  auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

bool FieldReader::isNull(const char *name) const {
  names.insert(name);
  auto it = object.find(name);
  return it != object.end() && it->is_null();
}

Result<void> FieldReader::integer(const char *name, int64_t least, int64_t most, int64_t &value) const {
  if (!has(name))
    return expectedFound(place(name), "an integer", "none");
  return optionalInteger(name, least, most, value);
}

Result<void> FieldReader::optionalInteger(const char *name, int64_t least, int64_t most, int64_t &value) const {
  const json *field = find(name);
  if (!field)
    return {};
  if (!integerIn(*field, least, most))
    return expectedFound(place(name), "an integer " + rangeText(least, most), jsonKindText(*field));
  value = field->get<int64_t>();
  return {};
}

Result<void> FieldReader::number(const char *name, double least, double most, double &value) const {
  if (!has(name))
    return expectedFound(place(name), "a number", "none");
  return optionalNumber(name, least, most, value);
}

Result<void> FieldReader::optionalNumber(const char *name, double least, double most, double &value) const {
  const json *field = find(name);
  if (!field)
    return {};
  double number = field->is_number() ? field->get<double>() : 0;
  if (!field->is_number() || !(number >= least && number <= most))
    return expectedFound(place(name), "a number " + rangeText(least, most), jsonKindText(*field));
  value = number;
  return {};
}

Result<void> FieldReader::optionalBool(const char *name, bool &value) const {
  const json *field = find(name);
  if (!field)
    return {};
  if (!field->is_boolean())
    return expectedFound(place(name), "true or false", jsonKindText(*field));
  value = field->get<bool>();
  return {};
}

Result<void> FieldReader::optionalString(const char *name, std::string &value) const {
  const json *field = find(name);
  if (!field)
    return {};
  if (!field->is_string())
    return expectedFound(place(name), "a string", jsonKindText(*field));
  value = field->get<std::string>();
  return {};
}

Result<void> FieldReader::optionalIds(const char *name, int64_t vocabSize, std::vector<int32_t> &ids,
                                      std::vector<std::string> &warnings) const {
  const json *field = find(name);
  if (!field)
    return {};
  const json list = field->is_array() ? *field : json::array({*field});
  for (const json &id : list) {
    if (!integerIn(id, 0, INT32_MAX))
      return expectedFound(place(name), "token ids below vocab_size " + std::to_string(vocabSize), jsonKindText(id));
    if (id.get<int64_t>() < vocabSize)
      ids.push_back(id.get<int32_t>());
    else
      warnings.push_back(place(name) + ": " + id.dump() + " is not below vocab_size " + std::to_string(vocabSize) +
                         " and was ignored");
  }
  return {};
}

} // namespace headrace
