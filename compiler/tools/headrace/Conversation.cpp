#include "compiler/tools/headrace/Conversation.h"

#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/tools/headrace/Text.h"

#include <algorithm>

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

bool hasRole(const Json &message, const char *role) { return message.at("role") == role; }

/// Messages of the system prompt.
size_t systemMessages(const Json &messages) {
  size_t count = 0;
  while (count < messages.size() && (hasRole(messages[count], "system") || hasRole(messages[count], "developer")))
    ++count;
  return count;
}

/// Messages of the oldest turn: all from behind the system prompt to the next message of the user. 0: only one turn is
/// left.
size_t oldestTurn(const Json &messages) {
  const size_t begin = systemMessages(messages);
  size_t end = begin + 1;
  while (end < messages.size() && !hasRole(messages[end], "user"))
    ++end;
  return end < messages.size() ? end - begin : 0;
}

} // namespace

void dropMessages(Json &messages, size_t count) {
  auto begin = messages.begin() + ptrdiff_t(systemMessages(messages));
  messages.erase(begin, begin + ptrdiff_t(count));
}

void addContextRule(CLI::App &command, ContextRule &rule) {
  command.add_option_function<std::string>(
      "--context-full",
      [&rule](const std::string &text) {
        if (text != "stop" && text != "drop")
          throw CLI::ValidationError("--context-full", "expected stop or drop, found " + inQuotes(text));
        rule = text == "stop" ? ContextRule::stop : ContextRule::dropOldest;
      },
      "stop: refuse what does not fit (default); drop: leave out the oldest turns, and say so");
}

Result<void> checkMessages(const Json &messages, const std::string &where) {
  if (!messages.is_array() || messages.empty())
    return expectedFound(where, "a list of messages",
                         messages.is_array() ? "an empty one" : jsonKindText(nlohmann::json(messages)));
  for (const Json &message : messages)
    if (!message.is_object() || !message.contains("role") || !message["role"].is_string())
      return expectedFound(where, "messages with a role", jsonKindText(nlohmann::json(message)));
  return {};
}

/// What follows the known text is taken apart from it only where it begins with a special token: elsewhere a token
/// could reach over the seam.
Result<std::vector<int32_t>> Conversation::encode(const std::string &text) const {
  if (!knownText.empty() && text.compare(0, knownText.size(), knownText) == 0) {
    auto rest = chat.encode(std::string_view(text).substr(knownText.size()));
    if (!rest)
      return rest;
    if (!rest->empty() && chat.isSpecial(rest->front())) {
      std::vector<int32_t> ids = knownIds;
      ids.insert(ids.end(), rest->begin(), rest->end());
      return ids;
    }
  }
  return chat.encode(text);
}

Result<Prompt> Conversation::prompt(Json context, uint32_t tokens, ContextRule rule) const {
  const size_t most = library.max_positions, room = std::min<size_t>(tokens, most / 4);
  Prompt prompt;
  while (true) {
    auto text = chat.render(context);
    if (!text)
      return text.error();
    const bool isFarTooLong = chat.isFarTooLong(*text, most);
    auto ids = isFarTooLong ? std::vector<int32_t>() : encode(*text);
    if (!ids)
      return ids.error();
    prompt.text = text.take();
    prompt.ids = ids.take();
    const bool fits = !isFarTooLong && (rule == ContextRule::stop || prompt.ids.size() + room <= most);
    const size_t oldest = fits || rule == ContextRule::stop ? 0 : oldestTurn(context["messages"]);
    if (!oldest && isFarTooLong)
      return promptTooLong(most, "more than " + std::to_string(2 * most));
    if (!oldest)
      return prompt;
    dropMessages(context["messages"], oldest);
    prompt.dropped += oldest;
  }
}

void Conversation::answered(const Prompt &prompt, const Answer &answer) {
  knownText = prompt.text + answer.text;
  knownIds = prompt.ids;
  knownIds.insert(knownIds.end(), answer.ids.begin(), answer.ids.end());
  if (!answer.ids.empty() && isEndId(library, chat.endIds(), answer.ids.back()))
    knownIds.pop_back();
  if (answer.finish == "stop")
    knownText.clear(); // the text ends inside the ids
}

} // namespace headrace
