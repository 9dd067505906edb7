#include "compiler/tools/headrace/Requests.h"

#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/tools/headrace/Conversation.h"

#include <limits>

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t mostStops = 16;

Error wrongType(const char *name, const char *expected, const Json &value) {
  return expectedFound(std::string("field ") + inQuotes(name), expected, jsonKindText(nlohmann::json(value)));
}

/// Reads one field into the request.
using Reader = Result<void> (*)(const char *name, const Json &value, LineRequest &request);

Result<void> readId(const char *, const Json &value, LineRequest &request) {
  request.id = value;
  return {};
}

Result<void> readSession(const char *name, const Json &value, LineRequest &request) {
  if (!value.is_string())
    return wrongType(name, "a string", value);
  request.session = value.get<std::string>();
  return {};
}

Result<void> readPrompt(const char *name, const Json &value, LineRequest &request) {
  if (!value.is_string())
    return wrongType(name, "a string", value);
  request.prompt = value.get<std::string>();
  return {};
}

Result<void> readIds(const char *name, const Json &value, LineRequest &request) {
  if (!value.is_array() || value.empty())
    return wrongType(name, "a list of token ids", value);
  for (const Json &id : value) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() > uint64_t(std::numeric_limits<int32_t>::max()))
      return wrongType(name, "a list of token ids", id);
    request.generate.ids.push_back(id.get<int32_t>());
  }
  return {};
}

Result<void> readMessages(const char *name, const Json &value, LineRequest &request) {
  HR_TRY(checkMessages(value, std::string("field ") + inQuotes(name)));
  request.messages = value;
  return {};
}

template <typename T> Result<void> readWhole(const char *name, const Json &value, T &into) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max())
    return wrongType(name, "a whole number", value);
  into = value.get<T>();
  return {};
}

Result<void> readFloat(const char *name, const Json &value, float most, float &into) {
  if (!value.is_number() || !(value.get<double>() >= 0) || !(value.get<double>() <= double(most)))
    return wrongType(name, most == 1 ? "a number from 0 to 1" : "a number of at least 0", value);
  into = value.get<float>();
  return {};
}

Result<void> readStop(const char *name, const Json &value, LineRequest &request) {
  const Json list = value.is_string() ? Json::array({value}) : value;
  if (!list.is_array() || list.size() > mostStops)
    return wrongType(name, "a string, or a list of at most 16", value);
  for (const Json &text : list) {
    if (!text.is_string() || text.get_ref<const std::string &>().empty() ||
        text.get_ref<const std::string &>().find('\0') != std::string::npos)
      return wrongType(name, "strings that are not empty", text);
    request.generate.stop.push_back(text.get<std::string>());
  }
  return {};
}

Result<void> readTokens(const char *name, const Json &value, LineRequest &request) {
  return readWhole(name, value, request.generate.tokens);
}
Result<void> readTopK(const char *name, const Json &value, LineRequest &request) {
  return readWhole(name, value, request.generate.sampling.top_k);
}
Result<void> readSeed(const char *name, const Json &value, LineRequest &request) {
  return readWhole(name, value, request.generate.sampling.seed);
}
Result<void> readTemperature(const char *name, const Json &value, LineRequest &request) {
  return readFloat(name, value, 1e6f, request.generate.sampling.temperature);
}
Result<void> readTopP(const char *name, const Json &value, LineRequest &request) {
  return readFloat(name, value, 1, request.generate.sampling.top_p);
}
Result<void> readMinP(const char *name, const Json &value, LineRequest &request) {
  return readFloat(name, value, 1, request.generate.sampling.min_p);
}

/// The one table of fields.
const struct {
  const char *name, *help;
  Reader read;
} fields[] = {
    {"id", "given back with the answer, any value", readId},
    {"session", "name of the session whose cache is used (none: one that has no name)", readSession},
    {"prompt", "text; one of prompt, ids and messages must be given, and it is the whole of the prompt", readPrompt},
    {"ids", "token ids", readIds},
    {"messages", "a conversation for the chat template: [{\"role\": ..., \"content\": ...}, ...]", readMessages},
    {"n", "most tokens to generate (128)", readTokens},
    {"temperature", "0: always the most likely token (0.8)", readTemperature},
    {"top_k", "draw among the K most likely tokens; 0: off (40)", readTopK},
    {"top_p", "draw among the most likely tokens that hold P of the probability; 1: off (0.95)", readTopP},
    {"min_p", "leave out tokens less than P times as likely as the first; 0: off (0)", readMinP},
    {"seed", "seed of the draws (0)", readSeed},
    {"stop", "a text, or a list of texts, before which to end", readStop},
};

Result<void> readField(const std::string &name, const Json &value, LineRequest &request) {
  std::string known;
  for (const auto &field : fields) {
    if (name == field.name)
      return field.read(field.name, value, request);
    known += (known.empty() ? "" : ", ") + std::string(field.name);
  }
  return expectedFound("request", "fields " + known, inQuotes(name));
}

} // namespace

const char *requestHelp() {
  static const std::string text = [] {
    std::string lines = "A request, one JSON object a line:\n";
    for (const auto &field : fields)
      lines +=
          "  " + std::string(field.name) + std::string(13 - std::string(field.name).size(), ' ') + field.help + "\n";
    return lines +
           "The answer, one line: id, ids, text, finish (end, length, stop, context), timings; or id and error.\n"
           "A request says all of its prompt; what its session holds of it is not computed again\n"
           "(timings: cached_tokens, prefilled_tokens).";
  }();
  return text.c_str();
}

Result<LineRequest> parseRequest(const std::string &line, Json &id) {
  id = nullptr;
  auto strict = parseJson(line, "request");
  if (!strict)
    return strict.error();
  if (!strict->is_object())
    return expectedFound("request", "an object", jsonKindText(*strict));
  const Json json = Json::parse(line); // again, in the order in which a template would show it
  if (json.contains("id"))
    id = json["id"];
  LineRequest request;
  for (const auto &[name, value] : json.items())
    HR_TRY(readField(name, value, request));
  const int sources = request.prompt.has_value() + !request.generate.ids.empty() + !request.messages.is_null();
  if (sources != 1)
    return expectedFound("request", "one of prompt, ids and messages", sources ? "more of them" : "none");
  return request;
}

} // namespace headrace
