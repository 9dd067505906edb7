/* hr_run_internal.h - what the files of the run command share. */
#ifndef HR_RUN_INTERNAL_H
#define HR_RUN_INTERNAL_H
#include "hr_out.h"
#include "hr_run_options.h"
#include "hr_session_io.h"

#pragma GCC visibility push(hidden)

typedef struct run {
  const hr_host *host;
  const char *program;
  hr_run_options options;
  hr_loaded loaded;
  hr_port port;
  hr_model *model;
  hr_session *session;
  int32_t *prompt;
  uint32_t n_prompt;
  bool has_tokenizer;
  int32_t *ids; /* generated */
  uint32_t n_ids, most_ids;
  char *text; /* all of it, for --json */
  size_t text_bytes;
  hr_npy logits, prompt_logits;
  hr_stop stop;
  hr_out out, err;
} run;

/* Each prints one line on stderr and returns the exit code. */
int hr_run_usage(run *r, const hr_usage_error *u);
int hr_run_fail_text(run *r, const char *where, const char *text);
int hr_run_fail_errno(run *r, const char *path, int error);
int hr_run_fail_session(run *r, const char *path, const char *verb, const hr_session_fault *fault);

/* Opens the bundle, a model and a session: 0, or the exit code after a line on stderr. */
int hr_run_open(run *r);
/* Loads a session if one is named, and puts all ids, those of the session first, into r->prompt. */
int hr_run_read_prompt(run *r);

#pragma GCC visibility pop
#endif
