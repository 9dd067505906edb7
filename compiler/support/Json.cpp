#include "compiler/support/Json.h"
#include "compiler/support/ErrorText.h"

#include <unordered_set>
#include <vector>

namespace headrace {

namespace {
/// Leaves nlohmann's parser from inside its callback; never leaves this file.
struct Refused {
  std::string reason;
};

/// Builds the value from the parser's events, and refuses what nlohmann would let pass. (Its callback parser could do
/// this too, but looks through the whole parent after each child.)
class StrictBuilder {
public:
  using Json = nlohmann::json;
  explicit StrictBuilder(Json &value) : value(value, /*allow_exceptions_=*/true) {}

  bool null() { return value.null(); }
  bool boolean(bool v) { return value.boolean(v); }
  bool number_integer(Json::number_integer_t v) { return value.number_integer(v); }
  bool number_unsigned(Json::number_unsigned_t v) { return value.number_unsigned(v); }
  bool number_float(Json::number_float_t v, const std::string &text) { return value.number_float(v, text); }
  bool string(std::string &v) { return value.string(v); }
  bool binary(Json::binary_t &v) { return value.binary(v); }
  bool start_object(size_t size) {
    enter();
    return value.start_object(size);
  }
  bool key(std::string &name) {
    if (!keys.back().insert(name).second)
      throw Refused{"the key " + inQuotes(name) + " twice in one object"};
    return value.key(name);
  }
  bool end_object() {
    keys.pop_back();
    return value.end_object();
  }
  bool start_array(size_t size) {
    enter();
    return value.start_array(size);
  }
  bool end_array() {
    keys.pop_back();
    return value.end_array();
  }
  template <typename Exception> bool parse_error(size_t at, const std::string &token, const Exception &error) {
    return value.parse_error(at, token, error); // throws
  }

private:
  void enter() {
    if (keys.size() >= 64)
      throw Refused{"nesting deeper than 64"};
    keys.emplace_back();
  }

  nlohmann::detail::json_sax_dom_parser<Json> value;
  std::vector<std::unordered_set<std::string>> keys; ///< of each open object; empty for arrays
};
} // namespace

Result<nlohmann::json> parseJson(std::string_view text, std::string_view where) {
  try {
    nlohmann::json value;
    StrictBuilder builder(value);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return value;
  } catch (const Refused &refused) {
    return expectedFound(where, "valid JSON", refused.reason);
  } catch (const nlohmann::json::parse_error &error) {
    return expectedFound(where, "valid JSON", "a syntax error at byte " + std::to_string(error.byte));
  } catch (const nlohmann::json::exception &error) {
    return expectedFound(where, "valid JSON", "a number out of range");
  }
}

std::string jsonKindText(const nlohmann::json &value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  if (value.is_string())
    return "the string " + inQuotes(value.get_ref<const std::string &>());
  if (value.is_null() || value.is_boolean())
    return value.dump();
  return "the number " + value.dump();
}

} // namespace headrace
