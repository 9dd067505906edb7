/* hr_run.c - the command `run`: a prompt through a bundle, its continuation as text, JSON and logits. */
#include "hr_run_internal.h"

static void help(run *r) {
  hr_out *o = &r->out;
  hr_out_text(o, "usage: ");
  hr_out_text(o, r->program);
  hr_out_text(
      o, " BUNDLE (-p TEXT | --ids IDS | --load-session F) [options]\n\nGenerates text with a compiled bundle.\n\n");
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
  if (r->host->more_help)
    hr_out_text(o, r->host->more_help);
  hr_out_text(o, "\nExit code: 0 done, 1 bad input or refused, 2 usage.\n");
  hr_out_flush(o);
}

static void out_piece(void *user, const char *text, size_t bytes) { hr_out_bytes(user, text, bytes); }

/* Held-back text goes nowhere when the answer comes as JSON: the text is made of all ids at the end. */
static void drop_piece(void *user, const char *text, size_t bytes) {}

static int take_token(void *user, int32_t id, const char *text, size_t bytes, const float *logits) {
  run *r = user;
  hr_npy_row(&r->logits, logits);
  if (r->n_ids < r->most_ids)
    r->ids[r->n_ids++] = id;
  int stop = hr_stop_feed(&r->stop, text, bytes, r->options.json ? drop_piece : out_piece, &r->out);
  if (r->options.json)
    return stop || r->logits.error;
  if (!r->has_tokenizer) {
    hr_out_text(&r->out, r->n_ids > 1 ? "," : "");
    hr_out_number(&r->out, (uint32_t)id);
  }
  hr_out_flush(&r->out);
  return stop || r->logits.error || r->out.error;
}

static hr_status take_rows(void *user, uint32_t first, uint32_t rows, const float *logits, uint32_t stride) {
  run *r = user;
  (void)first;
  for (uint32_t i = 0; i < rows; ++i)
    hr_npy_row(&r->prompt_logits, logits + (size_t)i * stride);
  return r->prompt_logits.error ? HR_STOPPED : HR_OK;
}

static void out_count(hr_out *o, const char *name, uint64_t count) {
  hr_out_text(o, name);
  hr_out_number(o, count);
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

/* Bytes of the text before the first stop string; all when there is none. */
static size_t before_stop(const run *r) {
  for (size_t at = 0; at < r->text_bytes; ++at)
    for (uint32_t i = 0; i < r->stop.count; ++i) {
      const char *s = r->stop.strings[i];
      size_t n = 0;
      while (s[n] && at + n < r->text_bytes && r->text[at + n] == s[n])
        ++n;
      if (!s[n])
        return at;
    }
  return r->text_bytes;
}

static const char *finish_text(const run *r, hr_status status) {
  if (r->stop.found)
    return "stop";
  return status == HR_CONTEXT_FULL ? "context" : r->n_ids == r->options.tokens ? "length" : "end";
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
  hr_out_json(o, r->text, r->stop.found ? before_stop(r) : r->text_bytes);
  hr_out_text(o, ",\"finish\":\"");
  hr_out_text(o, finish_text(r, status));
  hr_out_text(o, "\",\"timings\":{");
  out_count(o, "\"prompt_tokens\":", t->prompt_tokens);
  out_count(o, ",\"cached_tokens\":", t->cached_tokens);
  out_count(o, ",\"prefilled_tokens\":", t->prefilled_tokens);
  out_count(o, ",\"prefill_steps\":", t->prefill_steps);
  out_count(o, ",\"generated_tokens\":", t->generated_tokens);
  out_count(o, ",\"steps\":", t->steps);
  out_count(o, ",\"threads\":", r->options.threads);
  out_milliseconds(o, ",\"prefill_ms\":", t->prefill_ns);
  out_milliseconds(o, ",\"first_token_ms\":", t->first_token_ns);
  out_milliseconds(o, ",\"decode_ms\":", t->decode_ns);
  out_rate(o, ",\"prefill_tokens_per_second\":", t->prefilled_tokens, t->prefill_ns);
  out_rate(o, ",\"decode_tokens_per_second\":", t->steps, t->decode_ns);
  hr_out_text(o, "}}\n");
}

static void print_timings(run *r, const hr_timings *t) {
  hr_out *e = &r->err;
  hr_out_text(e, "headrace: ");
  if (t->cached_tokens) {
    hr_out_number(e, t->cached_tokens);
    hr_out_text(e, " tokens cached, ");
  }
  hr_out_number(e, t->prefilled_tokens);
  out_milliseconds(e, " prompt tokens in ", t->prefill_ns);
  out_rate(e, " ms (", t->prefilled_tokens, t->prefill_ns);
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
                               .reuse = 1,
                               .resume_draws = !o->load_session ? 0
                                               : o->seeded      ? HR_RESUME_SEED
                                                                : 1,
                               .ignore_eos = o->ignore_eos,
                               .on_prompt_rows = o->prompt_logits ? take_rows : 0};
}

/* What a finished or broken generation means for the exit code. */
static int finish(run *r, hr_status status) {
  const hr_api *api = r->loaded.api;
  hr_npy_close(&r->logits);
  hr_npy_close(&r->prompt_logits);
  if (r->logits.error || r->prompt_logits.error)
    return hr_run_fail_errno(r, r->logits.error ? r->logits.path : r->prompt_logits.path,
                             r->logits.error ? r->logits.error : r->prompt_logits.error);
  if (r->out.error)
    return hr_run_fail_errno(r, "stdout", r->out.error);
  if (status == HR_NOT_FINITE)
    return hr_run_fail_text(r, api->fault_site(r->model), api->status_text(status));
  if (status == HR_CONTEXT_FULL) {
    hr_out_text(&r->err, "headrace: note: the context of ");
    hr_out_number(&r->err, r->loaded.library->max_positions);
    hr_out_text(&r->err, " positions is full\n");
    hr_out_flush(&r->err);
    return 0;
  }
  return status ? hr_run_fail_text(r, r->options.bundle, api->status_text(status)) : 0;
}

static int save_session(run *r) {
  hr_session_fault fault;
  const char *path = r->options.save_session;
  if (path && hr_session_write(r->host, r->loaded.api, r->session, path, &fault))
    return hr_run_fail_session(r, path, "cannot be written", &fault);
  return 0;
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
  if (status == HR_STOPPED && r->stop.found)
    status = HR_OK;
  if (!o->json)
    hr_stop_flush(&r->stop, out_piece, &r->out);
  bool printed = !status || status == HR_CONTEXT_FULL;
  if (o->json && printed)
    print_json(r, &timings, status);
  else if (r->n_ids || o->prompt)
    hr_out_text(&r->out, "\n");
  hr_out_flush(&r->out);
  int code = finish(r, status);
  if (!code)
    code = save_session(r);
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
    return hr_run_usage(&r, &error);
  if (r.options.help) {
    help(&r);
    return 0;
  }
  r.stop.strings = r.options.stop.items;
  r.stop.count = r.options.stop.count;
  if (hr_run_open(&r) || hr_run_read_prompt(&r))
    return 1;
  return generate(&r);
}
