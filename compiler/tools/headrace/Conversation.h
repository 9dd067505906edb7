// Conversation.h - messages to a prompt that costs little: what the session generated stays as it is, and where the
// context is too short the oldest turns go, if that is wanted.
#ifndef HEADRACE_TOOLS_CONVERSATION_H
#define HEADRACE_TOOLS_CONVERSATION_H

#include "compiler/tools/headrace/ChatTemplate.h"
#include "compiler/tools/headrace/Generate.h"

#include <CLI/CLI.hpp>

namespace headrace {

/// What happens when the context is full.
enum class ContextRule {
  stop,       ///< a prompt that does not fit is refused, an answer ends where the context does
  dropOldest, ///< the oldest turns are left out, never the system prompt nor the last turn
};

/// The option --context-full of a command.
void addContextRule(CLI::App &command, ContextRule &rule);

/// A prompt and what was left out of it.
struct Prompt {
  std::string text;
  std::vector<int32_t> ids;
  size_t dropped = 0; ///< messages left out, behind the system prompt
};

class Conversation {
public:
  Conversation(const ChatTemplate &chat, const hr_library &library) : chat(chat), library(library) {}

  /// The prompt of the next answer, for an answer of up to `tokens`; context: see ChatTemplate::render. With dropOldest
  /// there is room for the answer behind it, but for no more than a quarter of the context.
  Result<Prompt> prompt(nlohmann::ordered_json context, uint32_t tokens, ContextRule rule) const;

  /// Remembers an answer, so that the next prompt begins with the ids that the model itself generated: the same text
  /// could be cut into other tokens.
  void answered(const Prompt &prompt, const Answer &answer);

private:
  Result<std::vector<int32_t>> encode(const std::string &text) const;

  const ChatTemplate &chat;
  const hr_library &library;
  std::string knownText;         ///< of the last prompt and its answer
  std::vector<int32_t> knownIds; ///< of that text
};

/// Leaves `count` messages out behind the system prompt.
void dropMessages(nlohmann::ordered_json &messages, size_t count);

/// [{"role": "user", "content": "..."}, ...]: what a request or a file must hold. `where` begins the error.
Result<void> checkMessages(const nlohmann::ordered_json &messages, const std::string &where);

} // namespace headrace
#endif
