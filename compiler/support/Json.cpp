#include "compiler/support/Json.h"
#include "compiler/support/ErrorText.h"

#include <set>
#include <vector>

namespace headrace {

namespace {
/// Leaves nlohmann's parser from inside its callback; never leaves this file.
struct Refused {
  std::string reason;
};

/// Watches the parser's events for what it would let pass.
class Watcher {
public:
  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json &parsed) {
    using Event = nlohmann::json::parse_event_t;
    switch (event) {
    case Event::object_start:
      keys.emplace_back();
      [[fallthrough]];
    case Event::array_start:
      if (depth >= 64)
        throw Refused{"nesting deeper than 64"};
      break;
    case Event::object_end:
      keys.pop_back();
      break;
    case Event::key:
      if (!keys.back().insert(parsed.get_ref<const std::string &>()).second)
        throw Refused{"the key " + inQuotes(parsed.get_ref<const std::string &>()) + " twice in one object"};
      break;
    default:
      break;
    }
    return true;
  }

private:
  std::vector<std::set<std::string>> keys;
};
} // namespace

Result<nlohmann::json> parseJson(std::string_view text, std::string_view where) {
  try {
    Watcher watcher;
    return nlohmann::json::parse(text.begin(), text.end(), std::ref(watcher));
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
