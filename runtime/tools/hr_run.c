/* hr_run.c - the command `run`: a prompt through a bundle, its continuation as text, JSON and logits. */
#include "hr_out.h"
#include "hr_run_options.h"

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
  hr_out out, err;
} run;

static int fail(run *r) {
  hr_out_text(&r->err, "\n");
  hr_out_flush(&r->err);
  return 1;
}

static hr_out *error_line(run *r) {
  hr_out_text(&r->err, "headrace: error: ");
  return &r->err;
}

static int fail_text(run *r, const char *where, const char *text) {
  hr_out *e = error_line(r);
  if (where) {
    hr_out_text(e, where);
    hr_out_text(e, ": ");
  }
  hr_out_text(e, text);
  return fail(r);
}

static int fail_number(run *r, const char *where, const char *expected, uint64_t limit, const char *unit,
                       uint64_t found) {
  hr_out *e = error_line(r);
  hr_out_text(e, where);
  hr_out_text(e, ": expected ");
  hr_out_text(e, expected);
  hr_out_number(e, limit);
  hr_out_text(e, unit);
  hr_out_text(e, ", found ");
  hr_out_number(e, found);
  return fail(r);
}

static int fail_errno(run *r, const char *path, int error) {
  hr_out *e = error_line(r);
  hr_out_text(e, path);
  hr_out_text(e, ": cannot be written (errno ");
  hr_out_number(e, (uint64_t)error);
  hr_out_text(e, ")");
  return fail(r);
}

static int usage(run *r, const hr_usage_error *u) {
  hr_out *e = error_line(r);
  if (u->option) {
    hr_out_text(e, u->option);
    hr_out_text(e, ": expected ");
  }
  hr_out_text(e, u->expected);
  if (u->found) {
    hr_out_text(e, ", found ");
    hr_out_quoted(e, u->found);
  }
  fail(r);
  return 2;
}

static void help(run *r) {
  hr_out *o = &r->out;
  hr_out_text(o, "usage: ");
  hr_out_text(o, r->program);
  hr_out_text(o, " BUNDLE (-p TEXT | --ids IDS) [options]\n\nGenerates text with a compiled bundle.\n\n");
  for (uint32_t i = 0; i < hr_option_count; ++i) {
    const hr_option *row = &hr_option_table[i];
    size_t start = o->used;
    hr_out_text(o, "  ");
    if (row->short_name) {
      hr_out_text(o, row->short_name);
      hr_out_text(o, ", ");
    }
    hr_out_text(o, row->name);
    if (row->value) {
      hr_out_text(o, " ");
      hr_out_text(o, row->value);
    }
    for (size_t n = o->used - start; n < 32; ++n)
      hr_out_text(o, " ");
    hr_out_text(o, row->help);
    hr_out_text(o, "\n");
    hr_out_flush(o);
  }
  hr_out_text(o, "\nExit code: 0 done, 1 bad input or refused, 2 usage.\n");
  hr_out_flush(o);
}

/* weights.bin against the library, with the numbers. */
static int check_weights(run *r, bool full) {
  const hr_loaded *l = &r->loaded;
  hr_problem p;
  hr_status status = full ? l->api->check_payload(l->library, l->weights, l->weight_bytes, &p)
                          : l->api->check_bundle(l->library, l->weights, l->weight_bytes, &p);
  if (!status)
    return 0;
  hr_out *e = error_line(r);
  hr_out_text(e, r->options.bundle);
  hr_out_text(e, "/weights.bin: ");
  if (!p.what[0])
    hr_out_text(e, l->api->status_text(status));
  if (p.what[0] && p.section >= 0) {
    hr_out_text(e, "section ");
    hr_out_number(e, (uint64_t)p.section);
    hr_out_text(e, ": ");
  }
  if (p.what[0]) {
    void (*number)(hr_out *, uint64_t) = p.hex ? hr_out_hex : hr_out_number;
    hr_out_text(e, p.what);
    hr_out_text(e, ": expected ");
    number(e, p.expected);
    hr_out_text(e, ", found ");
    number(e, p.found);
  }
  return fail(r);
}

static int check_cpu(run *r) {
  const hr_loaded *l = &r->loaded;
  uint32_t missing = l->api->missing_features(l->library, &r->port);
  if (!missing)
    return 0;
  hr_out *e = error_line(r);
  hr_out_text(e, r->options.bundle);
  hr_out_text(e, ": compiled for ");
  hr_out_text(e, l->library->target);
  hr_out_text(e, ": this CPU lacks");
  for (uint32_t bit = 1, first = 1; bit; bit <<= 1)
    if (missing & bit) {
      hr_out_text(e, first ? " " : ", ");
      hr_out_text(e, l->api->feature_name(bit));
      first = 0;
    }
  return fail(r);
}

static int open_threads(run *r) {
  const hr_host *h = r->host;
  if (!r->options.threads)
    r->options.threads = h->cores(h->context);
  if (r->options.threads < 1 || r->options.threads > HR_MAX_THREADS)
    r->options.threads = r->options.threads < 1 ? 1 : HR_MAX_THREADS;
  if (h->open_port(h->context, &r->port, (uint32_t)r->options.threads))
    return fail_text(r, "--threads", "the threads cannot be started");
  return 0;
}

static int open_all(run *r) {
  const hr_host *h = r->host;
  char error[512] = "";
  if (h->open_bundle(h->context, r->options.bundle, &r->loaded, error, sizeof error))
    return fail_text(r, 0, error);
  const hr_loaded *l = &r->loaded;
  bool full = r->options.checksum[0] == 'f';
  if (open_threads(r) || check_weights(r, full) || check_cpu(r))
    return 1;
  size_t arena_bytes = l->api->arena_bytes(l->library), kv_bytes = l->api->session_bytes(l->library);
  void *arena = h->memory(h->context, arena_bytes), *kv = h->memory(h->context, kv_bytes);
  if (!arena || !kv)
    return fail_number(r, "memory", "", (arena_bytes + kv_bytes) >> 20, " MiB for arena and KV cache", 0);
  hr_model_options options = {.threads = (uint32_t)r->options.threads, .chunk = (uint32_t)r->options.chunk};
  hr_status status =
      l->api->open(&r->model, l->library, l->weights, l->weight_bytes, &r->port, &options, arena, arena_bytes);
  if (!status)
    status = l->api->session_open(&r->session, r->model, kv, kv_bytes);
  if (status)
    return fail_text(r, r->options.bundle, l->api->status_text(status));
  hr_tokenizer tokenizer;
  r->has_tokenizer = l->api->model_tokenizer(r->model, &tokenizer) == HR_OK;
  return 0;
}

static size_t length_of(const char *text) {
  size_t n = 0;
  while (text[n])
    ++n;
  return n;
}

static int encode_prompt(run *r) {
  const hr_host *h = r->host;
  const hr_api *api = r->loaded.api;
  hr_tokenizer tokenizer;
  hr_status status = api->model_tokenizer(r->model, &tokenizer);
  if (status)
    return fail_text(r, "--prompt", "the bundle has no tokenizer: give --ids");
  size_t bytes = length_of(r->options.prompt), n = 0, room = bytes + 64;
  size_t scratch_bytes = api->tokenizer_scratch(&tokenizer, bytes);
  void *scratch = h->memory(h->context, scratch_bytes + 1);
  r->prompt = h->memory(h->context, room * sizeof(int32_t));
  if (!scratch || !r->prompt)
    return fail_text(r, "--prompt", "no memory is left");
  status =
      api->encode(&tokenizer, r->options.prompt, bytes, HR_WITH_SPECIAL, r->prompt, room, &n, scratch, scratch_bytes);
  if (status)
    return fail_text(r, "--prompt", api->status_text(status));
  if (!n && r->loaded.library->bos_id >= 0)
    r->prompt[n++] = r->loaded.library->bos_id; /* an empty text: whatever a text may begin with */
  r->n_prompt = (uint32_t)n;
  return 0;
}

static int read_prompt(run *r) {
  const hr_library *l = r->loaded.library;
  const char *option = r->options.ids ? "--ids" : "--prompt";
  if (r->options.ids) {
    size_t room = length_of(r->options.ids) / 2 + 1;
    r->prompt = r->host->memory(r->host->context, room * sizeof(int32_t));
    if (!r->prompt)
      return fail_text(r, option, "no memory is left");
    r->n_prompt = (uint32_t)hr_parse_ids(r->options.ids, r->prompt, room);
  } else if (encode_prompt(r)) {
    return 1;
  }
  if (!r->n_prompt)
    return fail_text(r, option, "the prompt has no tokens");
  for (uint32_t i = 0; i < r->n_prompt; ++i)
    if ((uint32_t)r->prompt[i] >= l->vocab_size)
      return fail_number(r, option, "ids below ", l->vocab_size, "", (uint32_t)r->prompt[i]);
  if (r->n_prompt > l->max_positions)
    return fail_number(r, option, "at most ", l->max_positions, " tokens, the context", r->n_prompt);
  return 0;
}

static int take_token(void *user, int32_t id, const char *text, size_t bytes, const float *logits) {
  run *r = user;
  hr_npy_row(&r->logits, logits);
  if (r->n_ids < r->most_ids)
    r->ids[r->n_ids++] = id;
  if (r->options.json)
    return r->logits.error;
  if (r->has_tokenizer) {
    hr_out_bytes(&r->out, text, bytes);
  } else {
    hr_out_text(&r->out, r->n_ids > 1 ? "," : "");
    hr_out_number(&r->out, (uint32_t)id);
  }
  hr_out_flush(&r->out);
  return r->logits.error || r->out.error;
}

static hr_status take_rows(void *user, uint32_t first, uint32_t rows, const float *logits, uint32_t stride) {
  run *r = user;
  (void)first;
  for (uint32_t i = 0; i < rows; ++i)
    hr_npy_row(&r->prompt_logits, logits + (size_t)i * stride);
  return r->prompt_logits.error ? HR_STOPPED : HR_OK;
}

static void out_milliseconds(hr_out *o, const char *name, uint64_t ns) {
  hr_out_text(o, name);
  hr_out_thousandths(o, ns / 1000);
}

static void out_rate(hr_out *o, const char *name, uint64_t tokens, uint64_t ns) {
  hr_out_text(o, name);
  hr_out_thousandths(o, ns ? tokens * 1000000000000u / ns : 0);
}

/* The text of all ids at once, which in rare cases (see hr_detokenize) is not the sum of the streamed pieces. */
static void gather_text(run *r) {
  const hr_api *api = r->loaded.api;
  hr_tokenizer tokenizer;
  if (api->model_tokenizer(r->model, &tokenizer))
    return;
  size_t bytes = 0;
  api->detokenize(&tokenizer, r->ids, r->n_ids, 0, 0, 0, &bytes);
  r->text = r->host->memory(r->host->context, bytes + 1);
  if (r->text && api->detokenize(&tokenizer, r->ids, r->n_ids, 0, r->text, bytes, &bytes) == HR_OK)
    r->text_bytes = bytes;
}

static void print_json(run *r, const hr_timings *t, hr_status status) {
  gather_text(r);
  hr_out *o = &r->out;
  hr_out_text(o, "{\"ids\":[");
  for (uint32_t i = 0; i < r->n_ids; ++i) {
    hr_out_text(o, i ? "," : "");
    hr_out_number(o, (uint32_t)r->ids[i]);
  }
  hr_out_text(o, "],\"text\":");
  hr_out_json(o, r->text, r->text_bytes);
  hr_out_text(o, ",\"finish\":\"");
  hr_out_text(o, status == HR_CONTEXT_FULL ? "context" : r->n_ids == r->options.tokens ? "length" : "end");
  hr_out_text(o, "\",\"timings\":{\"prompt_tokens\":");
  hr_out_number(o, t->prompt_tokens);
  hr_out_text(o, ",\"generated_tokens\":");
  hr_out_number(o, t->generated_tokens);
  hr_out_text(o, ",\"steps\":");
  hr_out_number(o, t->steps);
  hr_out_text(o, ",\"threads\":");
  hr_out_number(o, r->options.threads);
  out_milliseconds(o, ",\"prefill_ms\":", t->prefill_ns);
  out_milliseconds(o, ",\"first_token_ms\":", t->first_token_ns);
  out_milliseconds(o, ",\"decode_ms\":", t->decode_ns);
  out_rate(o, ",\"prefill_tokens_per_second\":", t->prompt_tokens, t->prefill_ns);
  out_rate(o, ",\"decode_tokens_per_second\":", t->steps, t->decode_ns);
  hr_out_text(o, "}}\n");
}

static void print_timings(run *r, const hr_timings *t) {
  hr_out *e = &r->err;
  hr_out_text(e, "headrace: ");
  hr_out_number(e, t->prompt_tokens);
  out_milliseconds(e, " prompt tokens in ", t->prefill_ns);
  out_rate(e, " ms (", t->prompt_tokens, t->prefill_ns);
  hr_out_text(e, " tokens/s), ");
  hr_out_number(e, t->generated_tokens);
  out_milliseconds(e, " generated in ", t->decode_ns);
  out_rate(e, " ms (", t->steps, t->decode_ns);
  hr_out_text(e, " tokens/s)\n");
  hr_out_flush(e);
}

static bool open_outputs(run *r, uint32_t tokens) {
  const hr_host *h = r->host;
  uint32_t vocab = r->loaded.library->vocab_size;
  r->most_ids = tokens;
  r->ids = h->memory(h->context, (size_t)tokens * sizeof(int32_t) + 1);
  return hr_npy_open(&r->logits, h, r->options.logits, vocab) &&
         hr_npy_open(&r->prompt_logits, h, r->options.prompt_logits, vocab);
}

static hr_generate_options generate_options(const hr_run_options *o, uint32_t tokens) {
  return (hr_generate_options){.sampling = {.temperature = o->temperature,
                                            .top_p = o->top_p,
                                            .min_p = o->min_p,
                                            .repetition_penalty = o->repetition_penalty,
                                            .top_k = (uint32_t)o->top_k,
                                            .penalty_window = (uint32_t)o->penalty_window,
                                            .seed = o->seed},
                               .max_tokens = tokens,
                               .ignore_eos = o->ignore_eos,
                               .on_prompt_rows = o->prompt_logits ? take_rows : 0};
}

/* What a finished or broken generation means for the exit code. */
static int finish(run *r, hr_status status) {
  const hr_api *api = r->loaded.api;
  hr_npy_close(&r->logits);
  hr_npy_close(&r->prompt_logits);
  if (r->logits.error || r->prompt_logits.error)
    return fail_errno(r, r->logits.error ? r->logits.path : r->prompt_logits.path,
                      r->logits.error ? r->logits.error : r->prompt_logits.error);
  if (r->out.error)
    return fail_errno(r, "stdout", r->out.error);
  if (status == HR_NOT_FINITE)
    return fail_text(r, api->fault_site(r->model), api->status_text(status));
  if (status == HR_CONTEXT_FULL) {
    hr_out_text(&r->err, "headrace: note: the context of ");
    hr_out_number(&r->err, r->loaded.library->max_positions);
    hr_out_text(&r->err, " positions is full\n");
    hr_out_flush(&r->err);
    return 0;
  }
  return status ? fail_text(r, r->options.bundle, api->status_text(status)) : 0;
}

static int generate(run *r) {
  const hr_run_options *o = &r->options;
  uint64_t room = (uint64_t)r->loaded.library->max_positions - r->n_prompt + 1;
  uint32_t most = (uint32_t)(o->tokens < room ? o->tokens : room);
  if (!open_outputs(r, most))
    return finish(r, HR_OK);
  hr_generate_options options = generate_options(o, (uint32_t)o->tokens);
  hr_timings timings;
  if (o->prompt && !o->json) {
    hr_out_text(&r->out, o->prompt);
    hr_out_flush(&r->out);
  }
  hr_status status = r->loaded.api->generate(r->session, r->prompt, r->n_prompt, &options, take_token, r, &timings);
  bool printed = !status || status == HR_CONTEXT_FULL;
  if (o->json && printed)
    print_json(r, &timings, status);
  else if (r->n_ids || o->prompt)
    hr_out_text(&r->out, "\n");
  hr_out_flush(&r->out);
  int code = finish(r, status);
  if (!code && (o->timings || (!o->json && r->host->is_terminal(r->host->context, 2))))
    print_timings(r, &timings);
  return code;
}

int hr_run_main(const hr_host *host, int argc, const char *const *argv) {
  run r = {.host = host, .program = argc ? argv[0] : "headrace-run"};
  r.out = (hr_out){.host = host, .fd = 1};
  r.err = (hr_out){.host = host, .fd = 2};
  hr_usage_error error;
  if (!hr_run_parse(argc, argv, &r.options, &error))
    return usage(&r, &error);
  if (r.options.help) {
    help(&r);
    return 0;
  }
  if (open_all(&r) || read_prompt(&r))
    return 1;
  return generate(&r);
}
