// headrace run BUNDLE --jsonl - requests on stdin, answers on stdout, a line each. An error of a request is its answer.
#include "compiler/support/ErrorText.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Conversation.h"
#include "compiler/tools/headrace/Options.h"
#include "compiler/tools/headrace/Requests.h"
#include "compiler/tools/headrace/Text.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

struct JsonlArguments {
  std::string bundle;
  size_t sessions = 8;
  ContextRule rule = ContextRule::stop;
  RunOptions options;
};

/// A named session, and what is known of its conversation.
struct NamedSession {
  std::unique_ptr<SessionMemory> memory;
  std::unique_ptr<Conversation> conversation; ///< none where the bundle has no template
  uint64_t used = 0;                          ///< number of the request that used it last
};

class Server {
public:
  Server(const OpenBundle &bundle, const JsonlArguments &arguments)
      : bundle(bundle), arguments(arguments), chat(ChatTemplate::open(bundle)) {}

  /// The answer to a line, a line.
  std::string answer(const std::string &line);

private:
  Result<Json> carryOut(LineRequest &request);
  Result<NamedSession *> session(const std::string &name, std::string &dropped);
  Result<Prompt> promptOf(const LineRequest &request, const NamedSession &session) const;

  const OpenBundle &bundle;
  const JsonlArguments &arguments;
  Result<ChatTemplate> chat;
  std::map<std::string, NamedSession> sessions;
  uint64_t requests = 0;
};

/// Where there are too many, the one not used for the longest time goes: it was only a cache.
Result<NamedSession *> Server::session(const std::string &name, std::string &dropped) {
  auto found = sessions.find(name);
  if (found == sessions.end()) {
    if (sessions.size() >= arguments.sessions) {
      auto oldest = sessions.begin();
      for (auto at = sessions.begin(); at != sessions.end(); ++at)
        if (at->second.used < oldest->second.used)
          oldest = at;
      dropped = oldest->first;
      sessions.erase(oldest);
    }
    auto memory = bundle.newSession();
    if (!memory)
      return memory.error();
    found = sessions.emplace(name, NamedSession{memory.take(), nullptr, 0}).first;
    if (chat)
      found->second.conversation = std::make_unique<Conversation>(*chat, bundle.library());
  }
  found->second.used = ++requests;
  return &found->second;
}

Result<Prompt> Server::promptOf(const LineRequest &request, const NamedSession &session) const {
  Prompt prompt;
  prompt.ids = request.generate.ids;
  if (!prompt.ids.empty())
    return prompt;
  if (!request.prompt) {
    if (!chat)
      return chat.error();
    Json context = request.context;
    context["messages"] = request.messages;
    return session.conversation->prompt(std::move(context), request.generate.tokens, arguments.rule);
  }
  hr_tokenizer tokenizer;
  if (bundle.api().model_tokenizer(bundle.model(), &tokenizer) != HR_OK)
    return expectedFound(fileNameOf(bundle.folder()), "a tokenizer", "none: give ids");
  const size_t most = bundle.library().max_positions;
  if (isFarTooLong(bundle.api(), tokenizer, *request.prompt, most))
    return promptTooLong(most, "more than " + std::to_string(2 * most));
  auto ids = encodeText(bundle.api(), tokenizer, *request.prompt, true);
  if (!ids)
    return ids.error();
  prompt.ids = ids.take();
  if (prompt.ids.empty() && bundle.library().bos_id >= 0)
    prompt.ids = {bundle.library().bos_id};
  return prompt;
}

Result<Json> Server::carryOut(LineRequest &request) {
  std::string dropped;
  auto named = session(request.session, dropped);
  if (!named)
    return named.error();
  auto prompt = promptOf(request, **named);
  if (!prompt)
    return prompt.error();
  request.generate.ids = prompt->ids;
  const bool isChat = !request.messages.is_null();
  if (isChat)
    request.generate.endIds = chat->endIds();
  auto answer = generateAnswer(bundle, (*named)->memory->get(), request.generate);
  if (!answer)
    return answer.error();
  if (isChat)
    (*named)->conversation->answered(*prompt, *answer);
  Json result = {{"ids", answer->ids}, {"text", answer->text}, {"finish", answer->finish}};
  result["timings"] = timingsJson(answer->timings);
  if (prompt->dropped)
    result["dropped_messages"] = prompt->dropped;
  if (!dropped.empty())
    result["dropped_session"] = dropped;
  return result;
}

std::string Server::answer(const std::string &line) {
  std::string id;
  auto request = parseRequest(line, id);
  Result<Json> result = request ? carryOut(*request) : Result<Json>(request.error());
  const Json rest = result ? result.take() : Json{{"error", result.error().message()}};
  return "{\"id\":" + id + "," + jsonLine(rest).substr(1);
}

Result<void> serve(const JsonlArguments &arguments) {
  auto bundle = OpenBundle::open(arguments.bundle, arguments.options);
  if (!bundle)
    return bundle.error();
  HR_TRY((*bundle)->expectKind(HR_MODEL_DECODER));
  Server server(**bundle, arguments);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    const std::string text = server.answer(line);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      return Error("stdout: cannot be written: " + systemErrorText(errno));
  }
  return {};
}

} // namespace

int jsonlMain(int argc, const char *const *argv) {
  JsonlArguments arguments;
  bool jsonl = false;
  CLI::App app("Answers requests: one JSON object a line on stdin, one answer a line on stdout.", "headrace run");
  app.footer(requestHelp());
  app.add_option("bundle", arguments.bundle, "the bundle")->required();
  app.add_flag("--jsonl", jsonl, "this way of running");
  app.add_option("--sessions", arguments.sessions,
                 "most sessions at once; each costs the KV cache (headrace inspect); beyond it the one not used for "
                 "the longest time is dropped, and the answer says so")
      ->capture_default_str()
      ->check(wholeNumber(1, 1 << 20));
  addContextRule(app, arguments.rule);
  app.add_option("--threads", arguments.options.threads, "threads (default: the cores)")
      ->check(wholeNumber(1, HR_MAX_THREADS));
  app.add_option("--chunk", arguments.options.chunk, "most prompt tokens of a step")->check(wholeNumber(1, 1 << 20));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    return usageError(error.what());
  }
  auto done = serve(arguments);
  return done ? exitDone : report(done.error());
}

} // namespace headrace
