// headrace - runs, judges and inspects device bundles. It loads neither LLVM nor MLIR, so that it starts in a
// millisecond; `compile` and `diff` are carried out by headrace-compile, which lies beside it.
#include "compiler/tools/headrace/Commands.h"

#include "compiler/support/ErrorText.h"

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

Result<std::vector<int32_t>> parseIds(const std::string &text) {
  std::vector<int32_t> ids;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    int32_t id = 0;
    auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() || id < 0 || (next != end && *next != ','))
      return expectedFound("--ids", "token ids such as 1,2,3", inQuotes(text));
    ids.push_back(id);
    if (next == end)
      return ids;
    at = next + 1;
  }
}

std::string checkIds(const std::string &text) {
  auto ids = parseIds(text);
  return ids ? "" : ids.error().message();
}

namespace {

/// Replaces this process by the compiler; returns only when that fails.
int runCompiler(char **argv) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  std::string path(self, length > 0 ? size_t(length) : 0);
  path = path.substr(0, path.rfind('/') + 1) + "headrace-compile";
  execv(path.c_str(), argv);
  return report(expectedFound(path, "the compiler, installed beside headrace", systemErrorText(errno)));
}

int usageError(const CLI::ParseError &error) {
  std::string text = error.what();
  for (char &c : text)
    if (c == '\n')
      c = ' ';
  std::fprintf(stderr, "headrace: error: %s; see headrace --help\n", text.c_str());
  return exitUsage;
}

} // namespace
} // namespace headrace

int main(int argc, char **argv) {
  using namespace headrace;
  if (argc > 1 && (std::strcmp(argv[1], "compile") == 0 || std::strcmp(argv[1], "diff") == 0))
    return runCompiler(argv);

  if (argc > 1 && std::strcmp(argv[1], "run") == 0) {
    argv[1] = const_cast<char *>("headrace run");
    return runMain(argc - 1, argv + 1);
  }

  CLI::App app("Compiles trained models into device bundles, and runs, judges and inspects them.", "headrace");
  app.require_subcommand(1);
  app.set_version_flag("--version", "headrace " HEADRACE_VERSION);
  int exitCode = exitDone;
  app.add_subcommand("compile", "turn a Hugging Face folder into a device bundle (headrace compile --help)");
  app.add_subcommand("diff", "compare a bundle with its float model layer by layer (headrace diff --help)");
  app.add_subcommand("run", "continue a prompt (headrace run --help)");
  addEval(app, exitCode);
  addTokenize(app, exitCode);
  addDetokenize(app, exitCode);
  addInspect(app, exitCode);
  addVerify(app, exitCode);
  addTargets(app, exitCode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    return usageError(error);
  }
  return exitCode;
}
