// Json.h - strict JSON: what the format leaves open to interpretation is refused.
#ifndef HEADRACE_SUPPORT_JSON_H
#define HEADRACE_SUPPORT_JSON_H

#include "compiler/support/Result.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace headrace {

/// Parses one JSON text. Refused, with `where` at the front of the message: syntax errors and text after the value
/// (with the byte offset), text that is not UTF-8, a key that occurs twice in an object (the two would be read
/// differently by different tools), and nesting deeper than 64.
Result<nlohmann::json> parseJson(std::string_view text, std::string_view where);

/// "an object", "a string", "the number 1.5" ...: how errors call a JSON value.
std::string jsonKindText(const nlohmann::json &value);

} // namespace headrace
#endif
