/* hr_run_options.h - the flags of `headrace run` and `headrace-run`: one table, one parser. */
#ifndef HR_RUN_OPTIONS_H
#define HR_RUN_OPTIONS_H
#include "headrace.h"

#include <stdbool.h>

enum { HR_LIST_MOST = 16 };
typedef struct hr_text_list {
  const char *items[HR_LIST_MOST];
  uint32_t count;
} hr_text_list;

typedef struct hr_run_options {
  const char *bundle;
  const char *prompt; /* 0: not given */
  const char *ids;    /* 0: not given; "1,2,3" */
  const char *logits;
  const char *prompt_logits;
  const char *checksum; /* "header" or "full" */
  const char *load_session, *save_session;
  hr_text_list stop;
  uint64_t tokens, threads, chunk, top_k, penalty_window, seed;
  float temperature, top_p, min_p, repetition_penalty;
  bool json, ignore_eos, timings, help;
  bool seeded; /* a seed was given */
} hr_run_options;

enum hr_option_kind { HR_OPTION_FLAG, HR_OPTION_NUMBER, HR_OPTION_FLOAT, HR_OPTION_TEXT, HR_OPTION_LIST };

typedef struct hr_option {
  const char *name;       /* "--top-k" */
  const char *short_name; /* "-n", or 0 */
  const char *value;      /* "N", 0 for a flag */
  const char *help;
  uint32_t kind;
  uint32_t offset;      /* of the field in hr_run_options */
  uint64_t least, most; /* of a number; of a float in thousandths */
} hr_option;

extern const hr_option hr_option_table[];
extern const uint32_t hr_option_count;

/* What is wrong with a command line: "<option>: expected <expected>, found '<found>'"; option 0: the text stands for
 * itself. */
typedef struct hr_usage_error {
  const char *option, *expected, *found;
} hr_usage_error;

/* Fills options from argv[1 .. argc-1]. False: see error. */
bool hr_run_parse(int argc, const char *const *argv, hr_run_options *options, hr_usage_error *error);

/* Reads "1,2,3" into ids[capacity]; returns how many there are, or -1. */
int64_t hr_parse_ids(const char *text, int32_t *ids, size_t capacity);

#endif
