#include "compiler/tools/headrace/Compiler.h"

#include "compiler/support/ErrorText.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headrace {
namespace {

std::string compilerPath() {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  std::string path(self, length > 0 ? static_cast<size_t>(length) : 0);
  return path.substr(0, path.rfind('/') + 1) + "headrace-compile";
}

Error cannotStart(const std::string &path, int error) {
  return expectedFound(path, "the compiler, installed beside headrace", systemErrorText(error));
}

/// In the child: output is thrown away, errors go to the pipe.
[[noreturn]] void startCompiler(const std::string &path, const std::vector<std::string> &arguments, int errors) {
  std::vector<char *> argv = {const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(path.c_str(), argv.data());
  _exit(127);
}

std::string readAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  return text;
}

/// The message of the last line that is an error, without what commands put before it.
std::string errorLine(const std::string &text) {
  const std::string mark = "headrace: error: ";
  size_t at = text.rfind(mark);
  if (at == std::string::npos)
    return "";
  at += mark.size();
  return text.substr(at, text.find('\n', at) - at);
}

} // namespace

Error becomeCompiler(char **argv) {
  std::string path = compilerPath();
  execv(path.c_str(), argv);
  return cannotStart(path, errno);
}

Result<void> runCompiler(const std::vector<std::string> &arguments) {
  std::string path = compilerPath();
  if (access(path.c_str(), X_OK) != 0)
    return cannotStart(path, errno);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return cannotStart(path, errno);
  pid_t child = fork();
  if (child == 0)
    startCompiler(path, arguments, ends[1]);
  int error = errno;
  close(ends[1]);
  std::string text = child > 0 ? readAll(ends[0]) : "";
  close(ends[0]);
  if (child < 0)
    return cannotStart(path, error);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {};
  std::string line = errorLine(text);
  return Error(line.empty() ? "the compiler ended without a message" : line);
}

} // namespace headrace
