// JsonField.h - typed access to JSON with errors that name the place.
#ifndef HEADRACE_IMPORT_TOKENIZER_JSONFIELD_H
#define HEADRACE_IMPORT_TOKENIZER_JSONFIELD_H

#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

namespace headrace::tokenizer {

/// A JSON value and the path that leads to it. The getters note the first error, in the document's list, and give a
/// harmless value, so that a reader checks once at its end.
class JsonField {
public:
  JsonField(const nlohmann::json &value, std::string path, std::string &problem)
      : json(&value), path(std::move(path)), problem(&problem) {}

  bool isNull() const { return json->is_null(); }
  bool isObject() const { return json->is_object(); }
  bool isString() const { return json->is_string(); }
  bool isList() const { return json->is_array(); }
  bool has(const char *key) const { return json->is_object() && json->contains(key) && !(*json)[key].is_null(); }
  const nlohmann::json &value() const { return *json; }
  const std::string &where() const { return path; }

  /// A member; null when absent.
  JsonField operator[](const char *key) const { return member(key, key); }
  /// A member whose name stands in the document.
  JsonField named(const std::string &key) const { return member(key, inQuotes(key)); }
  JsonField at(size_t index) const { return {(*json)[index], path + "[" + std::to_string(index) + "]", *problem}; }
  /// Elements of a list; 0 for anything else, which is an error.
  size_t listSize() const {
    if (!json->is_array())
      fail("a list");
    return json->is_array() ? json->size() : 0;
  }
  const std::string &string() const {
    static const std::string empty;
    if (!json->is_string())
      fail("a string");
    return json->is_string() ? json->get_ref<const std::string &>() : empty;
  }
  bool boolean() const {
    if (!json->is_boolean())
      fail("true or false");
    return json->is_boolean() && json->get<bool>();
  }
  bool booleanOr(bool other) const { return isNull() ? other : boolean(); }
  /// An integer below `limit`.
  uint32_t number(uint32_t limit, const char *what) const {
    bool good = json->is_number_unsigned() && json->get<uint64_t>() < limit;
    if (!good)
      fail(std::string(what) + " below " + std::to_string(limit));
    return good ? json->get<uint32_t>() : 0;
  }
  /// The component's "type", for dispatch and errors; empty when it has none.
  std::string type() const {
    return json->is_object() && json->contains("type") && (*json)["type"].is_string()
               ? (*json)["type"].get<std::string>()
               : "";
  }

  void fail(std::string_view expected) const { fail(expected, jsonKindText(*json)); }
  void fail(std::string_view expected, std::string_view found) const {
    if (problem->empty())
      *problem = expectedFound(path, expected, found).message();
  }
  void failWith(const Error &error) const {
    if (problem->empty())
      *problem = error.message();
  }
  /// "expected X, Y or Z, found T": a component that is not supported, by its name.
  void failType(std::string_view expected) const { fail(expected, type().empty() ? jsonKindText(*json) : inQuotes(type())); }
  bool failed() const { return !problem->empty(); }

private:
  JsonField member(const std::string &key, const std::string &shown) const {
    static const nlohmann::json null;
    bool present = json->is_object() && json->contains(key);
    return {present ? (*json)[key] : null, path + (path.back() == ' ' ? "" : ".") + shown, *problem};
  }

  const nlohmann::json *json;
  std::string path;
  std::string *problem;
};

} // namespace headrace::tokenizer
#endif
