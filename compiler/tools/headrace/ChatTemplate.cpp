#include "compiler/tools/headrace/ChatTemplate.h"

#include "compiler/support/ErrorText.h"
#include "compiler/tools/headrace/Rendering.h"
#include "compiler/tools/headrace/Text.h"

namespace headrace {
Result<ChatTemplate> ChatTemplate::open(const OpenBundle &bundle) {
  ChatTemplate chat(bundle);
  const std::string name = fileNameOf(bundle.folder());
  if (bundle.api().model_tokenizer(bundle.model(), &chat.tokenizer) != HR_OK)
    return expectedFound(name, "a tokenizer", "none: the model was compiled without one");
  auto chatTemplate = templateOf(bundle.weights(), name);
  if (!chatTemplate)
    return chatTemplate.error();
  chat.chatTemplate = *chatTemplate;
  chat.findEndOfTurn();
  return chat;
}

namespace {

/// A message as templates expect it: without fields that are null, and with what one of three names says of its
/// reasoning under the two that templates read.
nlohmann::ordered_json normalized(const nlohmann::ordered_json &message) {
  using Json = nlohmann::ordered_json;
  Json known = Json::object(), result = Json::object();
  for (const auto &[name, value] : message.items())
    if (!value.is_null())
      known[name] = value;
  const Json *reasoning = nullptr;
  for (const char *name : {"reasoning", "thinking", "reasoning_content"})
    if (known.contains(name))
      reasoning = &known[name];
  if (!reasoning)
    return known;
  result["thinking"] = *reasoning;
  for (const auto &[name, value] : known.items())
    result[name] = value;
  result["reasoning_content"] = *reasoning;
  return result;
}

} // namespace

Result<std::string> ChatTemplate::render(nlohmann::ordered_json object) const {
  if (!object.contains("add_generation_prompt"))
    object["add_generation_prompt"] = true;
  for (const char *name : {"tools", "documents"}) // none where there are none, as apply_chat_template gives them
    if (!object.contains(name))
      object[name] = nullptr;
  for (nlohmann::ordered_json &message : object["messages"])
    message = normalized(message);
  // What is typed in a terminal need not be UTF-8.
  return renderTemplate(chatTemplate, object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Result<std::vector<int32_t>> ChatTemplate::encode(std::string_view text) const {
  return encodeText(bundle->api(), tokenizer, text, false);
}

bool ChatTemplate::isFarTooLong(std::string_view text, size_t most) const {
  return headrace::isFarTooLong(bundle->api(), tokenizer, text, most);
}

bool ChatTemplate::isSpecial(int32_t id) const {
  size_t shown = 0, kept = 0;
  bundle->api().detokenize(&tokenizer, &id, 1, 0, nullptr, 0, &shown);
  bundle->api().detokenize(&tokenizer, &id, 1, HR_KEEP_SPECIAL, nullptr, 0, &kept);
  return shown == 0 && kept > 0;
}

/// Renders an answer that is easy to find, and looks at what comes behind it. A template that refuses this
/// conversation, or puts no special token there, leaves the library's end ids alone.
void ChatTemplate::findEndOfTurn() {
  const std::string mark = "x7end7x";
  using Json = nlohmann::ordered_json;
  Json context = {{"add_generation_prompt", false}};
  context["messages"] = Json::array({{{"role", "user"}, {"content", "x"}}, {{"role", "assistant"}, {"content", mark}}});
  auto text = render(context);
  if (!text)
    return;
  size_t at = text->rfind(mark);
  if (at == std::string::npos)
    return;
  auto ids = encode(std::string_view(*text).substr(at + mark.size()));
  if (ids && !ids->empty() && isSpecial(ids->front()))
    ends = {ids->front()};
}

} // namespace headrace
