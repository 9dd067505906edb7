// headrace chat - a conversation: in a terminal, line by line from a pipe, or one answer to a file of messages.
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/support/OutputFolder.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Conversation.h"
#include "compiler/tools/headrace/Host.h"
#include "compiler/tools/headrace/LineEditor.h"
#include "compiler/tools/headrace/Options.h"
#include "compiler/tools/headrace/Text.h"
#include "hr_session_io.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

struct ChatArguments {
  std::string bundle, messages, system;
  std::vector<std::string> stop;
  uint32_t tokens = 512;
  hr_sampling sampling = defaultSampling();
  ContextRule rule = ContextRule::stop;
  bool json = false, timings = false;
  RunOptions options;
};

/// What Ctrl-C stops: the answer that is being generated. hr_cancel stores one atomic word.
std::atomic<hr_session *> answering{nullptr};
std::atomic<void (*)(hr_session *)> cancelAnswer{nullptr};

void onInterrupt(int) {
  if (hr_session *session = answering)
    cancelAnswer.load()(session);
}

void note(const std::string &text) {
  std::fflush(stdout);
  std::fprintf(stderr, "headrace: note: %s\n", text.c_str());
}

std::string countText(size_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class Chat {
public:
  Chat(const OpenBundle &bundle, const ChatTemplate &chat, const ChatArguments &arguments)
      : bundle(bundle), arguments(arguments), chat(chat), conversation(chat, bundle.library()) {
    cancelAnswer = bundle.api().cancel;
    setSystem(arguments.system);
  }

  /// Answers the context's last message and remembers the answer.
  Result<void> answer();
  /// Lines until the end of the input or /quit.
  void converse();
  Result<void> readMessages(const std::string &path);

private:
  Json &messages() { return context["messages"]; }
  void setSystem(const std::string &text);
  /// A line that begins with '/'. False: the conversation ends.
  bool command(const std::string &line);
  Result<void> save(const std::string &path);
  Result<void> load(const std::string &path);
  void print(const Prompt &prompt, const Answer &answer);

  const OpenBundle &bundle;
  const ChatArguments &arguments;
  const ChatTemplate &chat;
  Conversation conversation;
  Json context = {{"messages", Json::array()}};
};

/// An empty text: no system prompt. The conversation begins anew.
void Chat::setSystem(const std::string &text) {
  messages() = Json::array();
  if (!text.empty())
    messages().push_back({{"role", "system"}, {"content", text}});
}

Result<void> Chat::readMessages(const std::string &path) {
  auto text = readFile(path);
  if (!text)
    return text.error();
  auto strict = parseJson(*text, fileNameOf(path));
  if (!strict)
    return strict.error();
  Json json = Json::parse(*text); // again, in the order in which a template would show it
  if (json.is_object() && json.contains("messages"))
    context = json;
  else
    messages() = json;
  HR_TRY(checkMessages(messages(), fileNameOf(path)));
  if (!arguments.system.empty() && messages()[0]["role"] != "system")
    messages().insert(messages().begin(), Json::object({{"role", "system"}, {"content", arguments.system}}));
  return {};
}

void Chat::print(const Prompt &prompt, const Answer &answer) {
  if (arguments.json) {
    Json result = {{"text", answer.text}, {"ids", answer.ids}, {"finish", answer.finish}};
    result["timings"] = timingsJson(answer.timings);
    if (prompt.dropped)
      result["dropped_messages"] = prompt.dropped;
    std::fputs(jsonLine(result).c_str(), stdout);
  } else {
    std::fputc('\n', stdout);
  }
  std::fflush(stdout);
  if (prompt.dropped)
    note("the context of " + std::to_string(bundle.library().max_positions) + " positions is short: the oldest " +
         std::to_string(prompt.dropped) + " messages are left out");
  if (answer.finish == "context")
    note("the context of " + std::to_string(bundle.library().max_positions) + " positions is full");
  if (answer.finish == "cancelled")
    note("stopped");
  const hr_timings &t = answer.timings;
  if (arguments.timings)
    std::fprintf(stderr,
                 "headrace: %u tokens cached, %u computed in %.3f ms, %u generated in %.3f ms (%.3f tokens/s)\n",
                 t.cached_tokens, t.prefilled_tokens, double(t.prefill_ns) * 1e-6, t.generated_tokens,
                 double(t.decode_ns) * 1e-6, t.decode_ns ? t.steps * 1e9 / double(t.decode_ns) : 0.0);
}

Result<void> Chat::answer() {
  auto prompt = conversation.prompt(context, arguments.tokens, arguments.rule);
  if (!prompt)
    return prompt.error();
  GenerateRequest request;
  request.ids = prompt->ids;
  request.sampling = arguments.sampling;
  request.tokens = arguments.tokens;
  request.stop = arguments.stop;
  request.endIds = chat.endIds();
  if (!arguments.json)
    request.onText = [](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    };
  answering = bundle.session();
  auto answer = generateAnswer(bundle, bundle.session(), request);
  answering = nullptr;
  if (!answer)
    return answer.error();
  if (answer->finish == "cancelled" && answer->ids.empty()) { // before there was anything to remember
    messages().erase(messages().size() - 1);
    note("stopped");
    return {};
  }
  conversation.answered(*prompt, *answer);
  dropMessages(messages(), prompt->dropped);
  messages().push_back({{"role", "assistant"}, {"content", answer->text}});
  print(*prompt, *answer);
  return {};
}

Error fileError(const std::string &path, const hr_session_fault &fault) {
  if (fault.error)
    return Error(path + ": " + systemErrorText(fault.error));
  if (!fault.problem.what || !*fault.problem.what)
    return Error(path + ": " + hr_status_text(fault.status));
  return expectedFound(path + ": " + fault.problem.what, std::to_string(fault.problem.expected),
                       std::to_string(fault.problem.found));
}

/// The session, and beside it the messages: the session is only a cache, which any other conversation may begin with.
Result<void> Chat::save(const std::string &path) {
  Host host;
  hr_session_fault fault;
  if (hr_session_write(&host.table, &bundle.api(), bundle.session(), path.c_str(), &fault))
    return fileError(path, fault);
  HR_TRY(writeFileAtomically(path + ".json", jsonLine(context)));
  note(countText(messages().size(), "message") + " saved in " + path + " and " + path + ".json");
  return {};
}

Result<void> Chat::load(const std::string &path) {
  Json before = context;
  if (auto read = readMessages(path + ".json"); !read) {
    context = before;
    return read.error();
  }
  Host host;
  hr_session_fault fault;
  if (hr_session_read(&host.table, &bundle.api(), bundle.session(), path.c_str(), &fault)) {
    context = before;
    return fileError(path, fault);
  }
  note(countText(messages().size(), "message") + " loaded from " + path + " and " + path + ".json");
  return {};
}

constexpr const char *help =
    "/reset          forget the conversation, keep the system prompt\n"
    "/system TEXT    begin anew with this system prompt (none: without one)\n"
    "/save F         write the conversation to F and F.json\n"
    "/load F         go on with a saved one\n"
    "/help           this\n"
    "/quit           end, like Ctrl-D\n"
    "Ctrl-C stops an answer. A line that ends with \\ goes on in the next; // begins a message "
    "with a slash.\n";

bool Chat::command(const std::string &line) {
  const size_t space = line.find(' ');
  const std::string name = line.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
  Result<void> done;
  if (name == "/quit")
    return false;
  if (name == "/reset") {
    while (messages().size() && messages().back()["role"] != "system")
      messages().erase(messages().size() - 1);
  } else if (name == "/system") {
    setSystem(rest);
  } else if ((name == "/save" || name == "/load") && !rest.empty()) {
    done = name == "/save" ? save(rest) : load(rest);
  } else if (name == "/help") {
    std::fputs(help, stdout);
  } else {
    done = expectedFound("command", "/reset, /system TEXT, /save F, /load F, /help or /quit", inQuotes(line));
  }
  if (!done)
    report(done.error());
  return true;
}

void Chat::converse() {
  LineEditor editor;
  std::string message, line;
  while (true) {
    const auto outcome = editor.read(message.empty() ? "> " : ". ", line);
    if (outcome == LineEditor::Outcome::end)
      break;
    if (outcome == LineEditor::Outcome::interrupted) {
      message.clear();
      std::fputc('\n', stdout);
      continue;
    }
    const bool goesOn = !line.empty() && line.back() == '\\';
    message += goesOn ? line.substr(0, line.size() - 1) + "\n" : line;
    if (goesOn || message.empty())
      continue;
    if (message[0] == '/' && message.compare(0, 2, "//") != 0) {
      if (!command(message))
        return;
      message.clear();
      continue;
    }
    messages().push_back({{"role", "user"}, {"content", message.substr(message[0] == '/')}});
    message.clear();
    if (auto done = answer(); !done) {
      report(done.error());
      messages().erase(messages().size() - 1);
    }
  }
  if (editor.isTerminal())
    std::fputc('\n', stdout);
}

Result<void> chat(const ChatArguments &arguments) {
  auto bundle = OpenBundle::open(arguments.bundle, arguments.options);
  if (!bundle)
    return bundle.error();
  HR_TRY((*bundle)->expectKind(HR_MODEL_DECODER));
  auto chatTemplate = ChatTemplate::open(**bundle);
  if (!chatTemplate)
    return chatTemplate.error();
  Chat chat(**bundle, *chatTemplate, arguments);
  struct sigaction action = {};
  action.sa_handler = onInterrupt; // without SA_RESTART, so that Ctrl-C also ends the reading of a line
  sigaction(SIGINT, &action, nullptr);
  if (arguments.messages.empty()) {
    chat.converse();
    return {};
  }
  HR_TRY(chat.readMessages(arguments.messages));
  return chat.answer();
}

void addSampling(CLI::App &command, hr_sampling &sampling) {
  command.add_option("--temperature", sampling.temperature, "0: always the most likely token")
      ->capture_default_str()
      ->check(number(0, 1e6));
  command.add_option("--top-k", sampling.top_k, "draw among the K most likely tokens; 0: off")
      ->capture_default_str()
      ->check(wholeNumber(0, UINT32_MAX));
  command.add_option("--top-p", sampling.top_p, "draw among the most likely tokens that hold P of the probability")
      ->capture_default_str()
      ->check(number(0, 1));
  command.add_option("--min-p", sampling.min_p, "leave out tokens less than P times as likely as the first; 0: off")
      ->capture_default_str()
      ->check(number(0, 1));
  command
      .add_option("--repetition-penalty", sampling.repetition_penalty,
                  "divide the logits of recent tokens by R; 0 or 1: off")
      ->capture_default_str()
      ->check(number(0, 1e6));
  command.add_option("--seed", sampling.seed, "seed of the draws")
      ->capture_default_str()
      ->check(wholeNumber(0, UINT64_MAX));
}

} // namespace

void addChat(CLI::App &app, int &exitCode) {
  auto arguments = std::make_shared<ChatArguments>();
  CLI::App *command = app.add_subcommand("chat", "a conversation, by the model's chat template");
  command->footer(std::string("In a conversation:\n") + help);
  command->add_option("bundle", arguments->bundle, "the bundle")->required();
  command->add_option("--system", arguments->system, "the system prompt");
  command->add_option("--messages", arguments->messages,
                      "answer this file: a list of messages, or an object with messages and what else the template "
                      "looks at, such as tools");
  command->add_option("-n,--tokens", arguments->tokens, "most tokens of an answer")
      ->capture_default_str()
      ->check(wholeNumber(0, UINT32_MAX));
  addSampling(*command, arguments->sampling);
  command->add_option("--stop", arguments->stop, "end before this text; may be given up to 16 times")
      ->expected(1)
      ->take_all();
  addContextRule(*command, arguments->rule);
  command->add_flag("--json", arguments->json, "one JSON object an answer: text, ids, finish, timings");
  command->add_flag("--timings", arguments->timings, "print timings on stderr");
  command->add_option("--threads", arguments->options.threads, "threads (default: the cores)")
      ->check(wholeNumber(1, HR_MAX_THREADS));
  command->callback([arguments, &exitCode] {
    for (const std::string &text : arguments->stop)
      if (text.empty() || arguments->stop.size() > 16)
        throw CLI::ValidationError("--stop", "expected up to 16 texts that are not empty");
    if (auto done = chat(*arguments); !done)
      exitCode = report(done.error());
  });
}

} // namespace headrace
