// FieldReader.h - typed, range-checked fields of one JSON object.
#ifndef HEADRACE_IMPORT_FIELDREADER_H
#define HEADRACE_IMPORT_FIELDREADER_H

#include "compiler/support/Result.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace headrace {

/// `where` names the object in errors. A field that is null counts as absent. The optional* functions leave `value` as
/// it is when the field is absent; ranges include both ends. Which fields were asked for is remembered.
class FieldReader {
public:
  FieldReader(const nlohmann::json &object, std::string where) : object(object), where(std::move(where)) {}

  bool has(const char *name) const { return find(name) != nullptr; }
  const nlohmann::json *find(const char *name) const;
  /// The field is there and null.
  bool isNull(const char *name) const;
  /// Fields that were asked for, whether they are there or not.
  const std::set<std::string> &asked() const { return names; }
  std::string place(const char *name) const { return where + ": " + name; }

  Result<void> integer(const char *name, int64_t least, int64_t most, int64_t &value) const;
  Result<void> optionalInteger(const char *name, int64_t least, int64_t most, int64_t &value) const;
  Result<void> number(const char *name, double least, double most, double &value) const;
  Result<void> optionalNumber(const char *name, double least, double most, double &value) const;
  Result<void> optionalBool(const char *name, bool &value) const;
  Result<void> optionalString(const char *name, std::string &value) const;
  /// A token id or a list of them. Those at or above vocabSize, as defaults of small models have, can never be
  /// generated: they are left out, with a warning.
  Result<void> optionalIds(const char *name, int64_t vocabSize, std::vector<int32_t> &ids,
                           std::vector<std::string> &warnings) const;

private:
  const nlohmann::json &object;
  std::string where;
  mutable std::set<std::string> names;
};

} // namespace headrace
#endif
