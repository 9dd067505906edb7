// FieldTables.h - what becomes of a field of config.json that no family asks for.
//
// It is harmless to the result; or harmless at certain values, and otherwise an error that names it; or unknown: an
// error when its name suggests that it changes the mathematics, else a warning.
#ifndef HEADRACE_IMPORT_FIELDTABLES_H
#define HEADRACE_IMPORT_FIELDTABLES_H

#include <nlohmann/json.hpp>
#include <string>

namespace headrace {

enum class FieldClass {
  Harmless,    // training, bookkeeping, sampling defaults
  Conditional, // harmless at certain values only
  Dangerous,   // unknown, and its name speaks of the mathematics
  Unknown
};

FieldClass classifyField(const std::string &name);

/// For a Conditional field: whether `value` is one at which it changes nothing.
bool isNeutral(const std::string &name, const nlohmann::json &value);

/// For a Conditional field: its neutral values as text, "null or 1.0".
std::string neutralText(const std::string &name);

} // namespace headrace
#endif
