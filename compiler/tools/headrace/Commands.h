// Commands.h - the subcommands of `headrace`. Each adds itself to the command line; when chosen, its callback leaves
// the exit code.
#ifndef HEADRACE_TOOLS_COMMANDS_H
#define HEADRACE_TOOLS_COMMANDS_H

#include "compiler/support/Result.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace headrace {

/// Exit codes: 0 done, 1 bad input or refused (one line on stderr), 2 usage.
enum ExitCode { exitDone = 0, exitRefused = 1, exitUsage = 2 };

/// Prints "headrace: error: ..." and returns exitRefused.
int report(const Error &error);
/// Prints "headrace: error: ...; see headrace --help" and returns exitUsage.
int usageError(std::string text);

/// `headrace run`, with a command line of its own; argv[0] is what usage lines call it.
int runMain(int argc, const char *const *argv);
/// `headrace run BUNDLE --jsonl`.
int jsonlMain(int argc, const char *const *argv);
void addChat(CLI::App &app, int &exitCode);
/// text: what stood behind `--` on the command line, if it did.
void addEmbed(CLI::App &app, int &exitCode, const std::optional<std::string> &text);
void addDiff(CLI::App &app, int &exitCode);
void addEval(CLI::App &app, int &exitCode);
/// text: what stood behind `--` on the command line, if it did.
void addTokenize(CLI::App &app, int &exitCode, const std::optional<std::string> &text);
void addDetokenize(CLI::App &app, int &exitCode);
void addRender(CLI::App &app, int &exitCode);
void addInspect(CLI::App &app, int &exitCode);
void addVerify(CLI::App &app, int &exitCode);
void addTargets(CLI::App &app, int &exitCode);

/// "1,2,3" -> ids; the error is one of usage.
Result<std::vector<int32_t>> parseIds(const std::string &text);

} // namespace headrace
#endif
