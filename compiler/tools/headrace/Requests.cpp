#include "compiler/tools/headrace/Requests.h"

#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/tools/headrace/Conversation.h"

#include <limits>

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t mostStops = 16;

std::string fieldText(const char *name) { return std::string("field ") + inQuotes(name); }

Error wrongType(const std::string &where, const std::string &expected, const Json &value) {
  return expectedFound(where, expected, jsonKindText(nlohmann::json(value)));
}

/// Reads one field into the request.
using Reader = Result<void> (*)(const char *name, const Json &value, LineRequest &request);

/// Given back as the line has it.
Result<void> readId(const char *, const Json &, LineRequest &) { return {}; }

Result<void> readText(const char *name, const Json &value, std::string &into) {
  if (!value.is_string())
    return wrongType(fieldText(name), "a string", value);
  into = value.get<std::string>();
  return {};
}

Result<void> readSession(const char *name, const Json &value, LineRequest &request) {
  return readText(name, value, request.session);
}

Result<void> readPrompt(const char *name, const Json &value, LineRequest &request) {
  return readText(name, value, request.prompt.emplace());
}

template <typename T> Result<void> readWhole(const std::string &where, const Json &value, T &into) {
  const auto most = uint64_t(std::numeric_limits<T>::max());
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
    return wrongType(where, "a whole number from 0 to " + std::to_string(most), value);
  into = value.get<T>();
  return {};
}

Result<void> readIds(const char *name, const Json &value, LineRequest &request) {
  if (!value.is_array())
    return wrongType(fieldText(name), "a list of token ids", value);
  if (value.empty())
    return expectedFound(fieldText(name), "at least one token id", "an empty list");
  for (const Json &each : value) {
    int32_t id = 0;
    HR_TRY(readWhole(fieldText(name) + ", element " + std::to_string(request.generate.ids.size()), each, id));
    request.generate.ids.push_back(id);
  }
  return {};
}

Result<void> readMessages(const char *name, const Json &value, LineRequest &request) {
  HR_TRY(checkMessages(value, fieldText(name)));
  request.messages = value;
  return {};
}

Result<void> readTools(const char *name, const Json &value, LineRequest &request) {
  if (!value.is_array())
    return wrongType(fieldText(name), "a list of tools", value);
  request.context[name] = value;
  return {};
}

Result<void> readContext(const char *name, const Json &value, LineRequest &request) {
  if (!value.is_object())
    return wrongType(fieldText(name), "an object of template variables", value);
  for (const auto &[variable, each] : value.items()) {
    if (variable == "messages" || variable == "tools")
      return expectedFound(fieldText(name), "no " + inQuotes(variable) + ", which is a field of its own", "it");
    request.context[variable] = each;
  }
  return {};
}

Result<void> readFloat(const char *name, const Json &value, float most, float &into) {
  if (!value.is_number() || !(value.get<double>() >= 0) || !(value.get<double>() <= double(most)))
    return wrongType(fieldText(name), most == 1 ? "a number from 0 to 1" : "a number from 0 to 1000000", value);
  into = value.get<float>();
  return {};
}

Result<void> readStop(const char *name, const Json &value, LineRequest &request) {
  const Json list = value.is_string() ? Json::array({value}) : value;
  if (!list.is_array())
    return wrongType(fieldText(name), "a text or a list of texts", value);
  if (list.size() > mostStops)
    return expectedFound(fieldText(name), "at most " + std::to_string(mostStops) + " texts",
                         std::to_string(list.size()));
  for (const Json &text : list) {
    if (!text.is_string())
      return wrongType(fieldText(name), "texts", text);
    const auto &bytes = text.get_ref<const std::string &>();
    if (bytes.empty() || bytes.find('\0') != std::string::npos)
      return expectedFound(fieldText(name), "texts that are not empty and without a NUL character", inQuotes(bytes));
    request.generate.stop.push_back(bytes);
  }
  return {};
}

Result<void> readTokens(const char *name, const Json &value, LineRequest &request) {
  return readWhole(fieldText(name), value, request.generate.tokens);
}
Result<void> readTopK(const char *name, const Json &value, LineRequest &request) {
  return readWhole(fieldText(name), value, request.generate.sampling.top_k);
}
Result<void> readSeed(const char *name, const Json &value, LineRequest &request) {
  return readWhole(fieldText(name), value, request.generate.sampling.seed);
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

/// The one table of fields. null stands for a field that is not there.
const struct {
  const char *name, *help;
  Reader read;
} fields[] = {
    {"id", "given back with the answer, any value", readId},
    {"session", "name of the session whose cache is used (none: one that has no name)", readSession},
    {"prompt", "text; one of prompt, ids and messages must be given, and it is the whole of the prompt", readPrompt},
    {"ids", "token ids", readIds},
    {"messages", "a conversation for the chat template: [{\"role\": ..., \"content\": ...}, ...]", readMessages},
    {"tools", "of a conversation: tools for the chat template", readTools},
    {"context", "of a conversation: an object with what else the template looks at (enable_thinking, documents)",
     readContext},
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
      return value.is_null() ? Result<void>() : field.read(field.name, value, request);
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

namespace {

/// The end of the JSON value that begins at `at`; the text is valid JSON.
size_t valueEnd(std::string_view text, size_t at) {
  size_t depth = 0;
  for (bool quoted = false; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\')
      ++at;
    else if (c == '"')
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (c == '{' || c == '[')
      ++depth;
    else if (depth == 0 && (c == ',' || c == '}' || c == ']' || c == ':'))
      break;
    else if (c == '}' || c == ']')
      --depth;
  }
  return at;
}

/// The text of a member of an object, which is valid JSON; empty: it has none of that name.
std::string_view memberText(std::string_view object, std::string_view name) {
  size_t at = object.find('{') + 1;
  while (at < object.size()) {
    const size_t keyEnd = valueEnd(object, at), end = valueEnd(object, keyEnd + 1);
    if (keyEnd >= object.size() || object[keyEnd] != ':')
      break;
    if (Json::parse(object.substr(at, keyEnd - at)) == name) {
      const size_t begin = object.find_first_not_of(" \t\r", keyEnd + 1);
      return object.substr(begin, object.find_last_not_of(" \t\r", end - 1) + 1 - begin);
    }
    at = end + 1;
  }
  return {};
}

/// A request asks for one thing, and says of the conversation only where there is one.
Result<void> checkTogether(const LineRequest &request) {
  const int sources = request.prompt.has_value() + !request.generate.ids.empty() + !request.messages.is_null();
  if (sources != 1)
    return expectedFound("request", "one of prompt, ids and messages", sources ? "more of them" : "none");
  if (!request.context.empty() && request.messages.is_null())
    return expectedFound("request", "messages beside tools and context", "none");
  return {};
}

} // namespace

Result<LineRequest> parseRequest(const std::string &line, std::string &id) {
  id = "null";
  auto strict = parseJson(line, "request");
  if (!strict)
    return strict.error();
  if (!strict->is_object())
    return expectedFound("request", "an object", jsonKindText(*strict));
  if (strict->contains("id"))
    id = memberText(line, "id");
  const Json json = Json::parse(line); // again, in the order in which a template would show it
  LineRequest request;
  for (const auto &[name, value] : json.items())
    HR_TRY(readField(name, value, request));
  HR_TRY(checkTogether(request));
  return request;
}

} // namespace headrace
