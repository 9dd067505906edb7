#include "compiler/tools/headrace/LineEditor.h"

#include <clocale>
#include <cstdio>
#include <histedit.h>
#include <iostream>
#include <unistd.h>

namespace headrace {

struct LineEditor::Terminal {
  EditLine *edit;
  History *history;
  HistEvent event = {};
  std::string prompt;

  Terminal() : edit(el_init("headrace", stdin, stdout, stderr)), history(history_init()) {
    ::history(history, &event, H_SETSIZE, 1000);
    ::history(history, &event, H_SETUNIQUE, 1);
    el_set(edit, EL_CLIENTDATA, this);
    el_set(
        edit, EL_PROMPT, +[](EditLine *e) -> char * {
          Terminal *self = nullptr;
          el_get(e, EL_CLIENTDATA, &self);
          return self->prompt.data();
        });
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_SIGNAL, 0);
    el_set(edit, EL_HIST, ::history, history);
  }
  ~Terminal() {
    el_end(edit);
    history_end(history);
  }
};

LineEditor::LineEditor() {
  if (!isatty(STDIN_FILENO))
    return;
  std::setlocale(LC_CTYPE, ""); // libedit takes bytes apart into characters
  terminal = std::make_unique<Terminal>();
}

LineEditor::~LineEditor() = default;

bool LineEditor::isTerminal() const { return terminal != nullptr; }

LineEditor::Outcome LineEditor::read(const std::string &prompt, std::string &line) {
  if (!terminal)
    return std::getline(std::cin, line) ? Outcome::line : Outcome::end;
  terminal->prompt = prompt;
  int count = 0;
  const char *text = el_gets(terminal->edit, &count);
  if (!text) {
    if (count >= 0)
      return Outcome::end;
    el_reset(terminal->edit);
    return Outcome::interrupted;
  }
  line.assign(text, size_t(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
    line.pop_back();
  if (!line.empty())
    ::history(terminal->history, &terminal->event, H_ENTER, line.c_str());
  return Outcome::line;
}

} // namespace headrace
