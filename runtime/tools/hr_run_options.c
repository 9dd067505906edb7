/* hr_run_options.c - the table of flags, and reading them without a libc. */
#include "hr_run_options.h"

#define AT(field) (uint32_t)offsetof(hr_run_options, field)

const hr_option hr_option_table[] = {
    {"--prompt", "-p", "TEXT", "prompt; special tokens are added as the tokenizer says", HR_OPTION_TEXT, AT(prompt), 0,
     0},
    {"--ids", 0, "IDS", "prompt as token ids, such as 1,2,3", HR_OPTION_TEXT, AT(ids), 0, 0},
    {"--tokens", "-n", "N", "most tokens to generate (128)", HR_OPTION_NUMBER, AT(tokens), 0, UINT32_MAX},
    {"--temperature", 0, "T", "0: always the most likely token (0.8)", HR_OPTION_FLOAT, AT(temperature), 0, 1000000},
    {"--top-k", 0, "K", "draw among the K most likely tokens; 0: off (40)", HR_OPTION_NUMBER, AT(top_k), 0, UINT32_MAX},
    {"--top-p", 0, "P", "draw among the most likely tokens that hold P of the probability; 1: off (0.95)",
     HR_OPTION_FLOAT, AT(top_p), 0, 1000},
    {"--min-p", 0, "P", "leave out tokens less than P times as likely as the first; 0: off (0)", HR_OPTION_FLOAT,
     AT(min_p), 0, 1000},
    {"--repetition-penalty", 0, "R", "divide the logits of recent tokens by R; 1: off (1)", HR_OPTION_FLOAT,
     AT(repetition_penalty), 0, 1000000},
    {"--penalty-window", 0, "N", "how many recent tokens the penalty looks at (256)", HR_OPTION_NUMBER,
     AT(penalty_window), 0, HR_PENALTY_WINDOW},
    {"--seed", 0, "S", "seed of the draws (0)", HR_OPTION_NUMBER, AT(seed), 0, UINT64_MAX},
    {"--stop", 0, "TEXT", "end before this text; may be given up to 16 times", HR_OPTION_LIST, AT(stop), 0, 0},
    {"--threads", 0, "N", "threads (the cores)", HR_OPTION_NUMBER, AT(threads), 1, HR_MAX_THREADS},
    {"--chunk", 0, "N", "most prompt tokens per step (the bundle's largest body)", HR_OPTION_NUMBER, AT(chunk), 1,
     UINT32_MAX},
    {"--ignore-eos", 0, 0, "go on after an end token", HR_OPTION_FLAG, AT(ignore_eos), 0, 0},
    {"--json", 0, 0, "print one JSON object: ids, text, timings", HR_OPTION_FLAG, AT(json), 0, 0},
    {"--logits", 0, "F.npy", "write the logits of every generated token", HR_OPTION_TEXT, AT(logits), 0, 0},
    {"--prompt-logits", 0, "F.npy", "write the logits of every prompt token", HR_OPTION_TEXT, AT(prompt_logits), 0, 0},
    {"--save-session", 0, "F", "write the session afterwards", HR_OPTION_TEXT, AT(save_session), 0, 0},
    {"--load-session", 0, "F",
     "go on with a session; a prompt follows it, and the draws go on unless --seed is another one", HR_OPTION_TEXT,
     AT(load_session), 0, 0},
    {"--timings", 0, 0, "print timings on stderr", HR_OPTION_FLAG, AT(timings), 0, 0},
    {"--checksum", 0, "WHAT", "header, or full: also the payload of weights.bin (header)", HR_OPTION_TEXT, AT(checksum),
     0, 0},
    {"--help", "-h", 0, "print this", HR_OPTION_FLAG, AT(help), 0, 0},
};
const uint32_t hr_option_count = sizeof(hr_option_table) / sizeof(hr_option_table[0]);

static bool same(const char *a, const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}

/* Length of `prefix` if text begins with it followed by '=', else 0. */
static size_t before_equals(const char *text, const char *prefix) {
  size_t n = 0;
  while (prefix[n] && text[n] == prefix[n])
    ++n;
  return !prefix[n] && text[n] == '=' ? n : 0;
}

/* Digits only. Returns what follows them, or 0 when there are none or the number does not fit. */
static const char *read_number(const char *text, uint64_t *value) {
  const char *at = text;
  uint64_t v = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    uint64_t digit = (uint64_t)(*at - '0');
    if (v > (UINT64_MAX - digit) / 10)
      return 0;
    v = v * 10 + digit;
  }
  *value = v;
  return at == text ? 0 : at;
}

/* digits [. digits] [e [+-] digits], not negative: exact for what people type (up to 15 digits, exponents up to 22). */
static bool read_float(const char *text, float *value) {
  double mantissa = 0, scale = 1;
  int digits = 0, places = 0;
  bool point = false;
  for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); ++text) {
    if (*text == '.') {
      point = true;
      continue;
    }
    if (++digits > 15)
      return false;
    mantissa = mantissa * 10 + (*text - '0');
    places += point;
  }
  int exponent = 0;
  if (digits && (*text == 'e' || *text == 'E')) {
    bool negative = text[1] == '-';
    uint64_t e;
    text = read_number(text + 1 + (negative || text[1] == '+'), &e);
    if (!text || e > 22)
      return false;
    exponent = negative ? -(int)e : (int)e;
  }
  exponent -= places;
  for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i)
    scale *= 10;
  *value = (float)(exponent < 0 ? mantissa / scale : mantissa * scale);
  return digits && !*text;
}

int64_t hr_parse_ids(const char *text, int32_t *ids, size_t capacity) {
  int64_t n = 0;
  for (;;) {
    uint64_t id;
    while (*text == ' ')
      ++text;
    text = read_number(text, &id);
    if (!text || id > INT32_MAX)
      return -1;
    if ((size_t)n < capacity)
      ids[n] = (int32_t)id;
    ++n;
    while (*text == ' ')
      ++text;
    if (!*text)
      return n;
    if (*text++ != ',')
      return -1;
  }
}

static const char *const number_texts[] = {"a whole number", "a whole number from 1 to 64",
                                           "a whole number of at least 1"};

static bool store(const hr_option *o, const char *text, hr_run_options *options, hr_usage_error *error) {
  char *field = (char *)options + o->offset;
  switch (o->kind) {
  case HR_OPTION_FLAG:
    *(bool *)field = true;
    return true;
  case HR_OPTION_TEXT:
    *(const char **)field = text;
    return true;
  case HR_OPTION_LIST: {
    hr_text_list *list = (hr_text_list *)field;
    if (*text && list->count < HR_LIST_MOST) {
      list->items[list->count++] = text;
      return true;
    }
    *error = (hr_usage_error){o->name, *text ? "at most 16 of them" : "a text that is not empty", text};
    return false;
  }
  case HR_OPTION_NUMBER: {
    uint64_t value;
    const char *end = read_number(text, &value);
    if (end && !*end && value >= o->least && value <= o->most) {
      *(uint64_t *)field = value;
      return true;
    }
    *error = (hr_usage_error){o->name, number_texts[o->least ? (o->most == HR_MAX_THREADS ? 1 : 2) : 0], text};
    return false;
  }
  default: {
    float value;
    if (read_float(text, &value) && value * 1000 <= (float)o->most) {
      *(float *)field = value;
      return true;
    }
    *error = (hr_usage_error){o->name, o->most == 1000 ? "a number from 0 to 1" : "a number of at least 0", text};
    return false;
  }
  }
}

static const hr_option *find_option(const char *text, const char **inline_value) {
  for (uint32_t i = 0; i < hr_option_count; ++i) {
    const hr_option *o = &hr_option_table[i];
    if (same(text, o->name) || (o->short_name && same(text, o->short_name)))
      return o;
    size_t n = before_equals(text, o->name);
    if (n && o->value) {
      *inline_value = text + n + 1;
      return o;
    }
  }
  return 0;
}

static bool check_together(const hr_run_options *o, hr_usage_error *error) {
  if (!o->bundle)
    *error = (hr_usage_error){0, "a bundle is missing", 0};
  else if (o->ids && o->prompt)
    *error = (hr_usage_error){0, "--prompt and --ids exclude each other", 0};
  else if (!o->ids && !o->prompt && !o->load_session)
    *error = (hr_usage_error){0, "one of --prompt, --ids and --load-session is missing", 0};
  else if (o->ids && hr_parse_ids(o->ids, 0, 0) < 0)
    *error = (hr_usage_error){"--ids", "token ids separated by commas", o->ids};
  else if (!same(o->checksum, "header") && !same(o->checksum, "full"))
    *error = (hr_usage_error){"--checksum", "header or full", o->checksum};
  else
    return true;
  return false;
}

bool hr_run_parse(int argc, const char *const *argv, hr_run_options *options, hr_usage_error *error) {
  *options = (hr_run_options){.tokens = 128, .temperature = 0.8f, .top_k = 40, .top_p = 0.95f, .checksum = "header"};
  for (int i = 1; i < argc; ++i) {
    const char *value = 0;
    if (argv[i][0] != '-' || !argv[i][1]) {
      if (options->bundle) {
        *error = (hr_usage_error){"arguments", "one bundle", argv[i]};
        return false;
      }
      options->bundle = argv[i];
      continue;
    }
    const hr_option *o = find_option(argv[i], &value);
    if (!o) {
      *error = (hr_usage_error){"options", "one that --help lists", argv[i]};
      return false;
    }
    if (o->value && !value && ++i == argc) {
      *error = (hr_usage_error){o->name, o->value, ""};
      return false;
    }
    options->seeded |= o->offset == AT(seed);
    if (!store(o, o->value ? (value ? value : argv[i]) : 0, options, error))
      return false;
  }
  return options->help || check_together(options, error);
}
