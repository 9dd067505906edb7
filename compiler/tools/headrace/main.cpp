// headrace - runs, judges and inspects device bundles. It loads neither LLVM nor MLIR, so that it starts in a
// millisecond; `compile` is carried out by headrace-compile, which lies beside it.
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Compiler.h"

#include "compiler/support/ErrorText.h"

#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace headrace {

int report(const Error &error) {
  std::fflush(stdout);
  std::fprintf(stderr, "headrace: error: %s\n", error.message().c_str());
  return exitRefused;
}

/// One line, lower-case at its start like every error.
int usageError(std::string text) {
  for (char &c : text)
    if (c == '\n')
      c = ' ';
  if (text.size() > 1 && !std::isupper(static_cast<unsigned char>(text[1])))
    text[0] = char(std::tolower(static_cast<unsigned char>(text[0])));
  std::fprintf(stderr, "headrace: error: %s; see headrace --help\n", text.c_str());
  return exitUsage;
}

Result<std::vector<int32_t>> parseIds(const std::string &text) {
  std::vector<int32_t> ids;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    int32_t id = 0;
    auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() || id < 0 || (next != end && *next != ','))
      return Error("expected token ids such as 1,2,3, found " + inQuotes(text)); // CLI11 names the option
    ids.push_back(id);
    if (next == end)
      return ids;
    at = next + 1;
  }
}

namespace {

bool isCommand(const CLI::App &app, const std::string &name) {
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    if (command->get_name() == name)
      return true;
  return false;
}

/// Takes `-- TEXT` off the end of the command line: the text may be empty or begin with a dash.
std::optional<std::string> takeText(int &argc, char **argv) {
  for (int i = 2; i < argc; ++i)
    if (std::strcmp(argv[i], "--") == 0 && i + 2 == argc) {
      argc = i;
      return argv[i + 1];
    }
  return std::nullopt;
}

} // namespace
} // namespace headrace

int main(int argc, char **argv) {
  using namespace headrace;
  if (argc > 1 && std::strcmp(argv[1], "compile") == 0)
    return report(becomeCompiler(argv));

  if (argc > 1 && std::strcmp(argv[1], "run") == 0) {
    argv[1] = const_cast<char *>("headrace run");
    return runMain(argc - 1, argv + 1);
  }

  CLI::App app("Compiles trained models into device bundles, and runs, judges and inspects them.", "headrace");
  app.require_subcommand(1);
  app.set_version_flag("--version", "headrace " HEADRACE_VERSION);
  int exitCode = exitDone;
  app.add_subcommand("compile",
                     "turn a Hugging Face folder or a GGUF file into a device bundle (headrace compile --help)");
  app.add_subcommand("run", "continue a prompt (headrace run --help)");
  const std::optional<std::string> text = takeText(argc, argv);
  addChat(app, exitCode);
  addDiff(app, exitCode);
  addEmbed(app, exitCode, text);
  addEval(app, exitCode);
  addTokenize(app, exitCode, text);
  addDetokenize(app, exitCode);
  addRender(app, exitCode);
  addInspect(app, exitCode);
  addVerify(app, exitCode);
  addTargets(app, exitCode);
  if (argc > 1 && argv[1][0] != '-' && !isCommand(app, argv[1]))
    return usageError("unknown command " + inQuotes(argv[1]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    return usageError(error.what());
  }
  return exitCode;
}
