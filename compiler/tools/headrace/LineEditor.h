// LineEditor.h - lines from a terminal, with editing and history (libedit), or from whatever stdin is.
#ifndef HEADRACE_TOOLS_LINEEDITOR_H
#define HEADRACE_TOOLS_LINEEDITOR_H

#include <memory>
#include <string>

namespace headrace {

class LineEditor {
public:
  enum class Outcome { line, end, interrupted };

  LineEditor();
  ~LineEditor();
  LineEditor(const LineEditor &) = delete;
  LineEditor &operator=(const LineEditor &) = delete;

  bool isTerminal() const;
  /// A line without its end. `interrupted`: a signal came (its handler must not restart system calls).
  Outcome read(const std::string &prompt, std::string &line);

private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal; ///< none where stdin is no terminal
};

} // namespace headrace
#endif
