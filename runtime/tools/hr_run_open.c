/* hr_run_open.c - the run command up to the prompt's ids: errors, the bundle, a saved session, the prompt. */
#include "hr_run_internal.h"

static int fail(run *r) {
  hr_out_text(&r->err, "\n");
  hr_out_flush(&r->err);
  return 1;
}

static hr_out *error_line(run *r) {
  hr_out_text(&r->err, "headrace: error: ");
  return &r->err;
}

int hr_run_fail_text(run *r, const char *where, const char *text) {
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

int hr_run_fail_errno(run *r, const char *path, int error) {
  hr_out *e = error_line(r);
  hr_out_text(e, path);
  hr_out_text(e, ": cannot be written: ");
  hr_out_errno(e, error);
  return fail(r);
}

int hr_run_usage(run *r, const hr_usage_error *u) {
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

/* "section 1: <what>: expected <n>, found <m>", or the status where there is no more to say. */
static void out_problem(hr_out *e, const char *status, const hr_problem *p) {
  if (!p->what || !p->what[0]) {
    hr_out_text(e, status);
    return;
  }
  if (p->section >= 0) {
    hr_out_text(e, "section ");
    hr_out_number(e, (uint64_t)p->section);
    hr_out_text(e, ": ");
  }
  void (*number)(hr_out *, uint64_t) = p->hex ? hr_out_hex : hr_out_number;
  hr_out_text(e, p->what);
  hr_out_text(e, ": expected ");
  number(e, p->expected);
  hr_out_text(e, ", found ");
  number(e, p->found);
}

/* A saved session that could not be loaded or written. */
int hr_run_fail_session(run *r, const char *path, const char *verb, const hr_session_fault *fault) {
  hr_out *e = error_line(r);
  hr_out_text(e, path);
  hr_out_text(e, ": ");
  if (fault->error) {
    hr_out_text(e, verb);
    hr_out_text(e, ": ");
    hr_out_errno(e, fault->error);
  } else {
    out_problem(e, r->loaded.api->status_text(fault->status), &fault->problem);
  }
  return fail(r);
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
  out_problem(e, l->api->status_text(status), &p);
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
    return hr_run_fail_text(r, "--threads", "the threads cannot be started");
  return 0;
}

int hr_run_open(run *r) {
  const hr_host *h = r->host;
  char error[512] = "";
  if (h->open_bundle(h->context, r->options.bundle, &r->loaded, error, sizeof error))
    return hr_run_fail_text(r, 0, error);
  const hr_loaded *l = &r->loaded;
  bool full = r->options.checksum[0] == 'f';
  if (open_threads(r) || check_weights(r, full) || check_cpu(r))
    return 1;
  if (l->library->model_kind != HR_MODEL_DECODER)
    return hr_run_fail_text(r, r->options.bundle,
                            "expected a model that generates text, found an encoder (headrace embed)");
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
    return hr_run_fail_text(r, r->options.bundle, l->api->status_text(status));
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

/* Room for `most` tokens behind those of the session, which come first. */
static int prompt_room(run *r, const char *option, size_t most) {
  uint32_t held;
  const int32_t *ids = r->loaded.api->session_ids(r->session, &held);
  r->prompt = r->host->memory(r->host->context, (held + most) * sizeof(int32_t) + 1);
  if (!r->prompt)
    return hr_run_fail_text(r, option, "no memory is left");
  for (; r->n_prompt < held; ++r->n_prompt)
    r->prompt[r->n_prompt] = ids[r->n_prompt];
  return 0;
}

static int encode_prompt(run *r) {
  const hr_host *h = r->host;
  const hr_api *api = r->loaded.api;
  hr_tokenizer tokenizer;
  hr_status status = api->model_tokenizer(r->model, &tokenizer);
  if (status)
    return hr_run_fail_text(r, "--prompt", "the bundle has no tokenizer: give --ids");
  size_t bytes = length_of(r->options.prompt), n = 0, room = bytes + 64;
  size_t scratch_bytes = api->tokenizer_scratch(&tokenizer, bytes);
  void *scratch = h->memory(h->context, scratch_bytes + 1);
  if (!scratch)
    return hr_run_fail_text(r, "--prompt", "no memory is left");
  if (prompt_room(r, "--prompt", room))
    return 1;
  uint32_t flags = r->options.load_session ? 0 : HR_WITH_SPECIAL; /* what begins a text has been said */
  int32_t *ids = r->prompt + r->n_prompt;
  status = api->encode(&tokenizer, r->options.prompt, bytes, flags, ids, room, &n, scratch, scratch_bytes);
  if (status)
    return hr_run_fail_text(r, "--prompt", api->status_text(status));
  if (!n && !r->n_prompt && r->loaded.library->bos_id >= 0)
    ids[n++] = r->loaded.library->bos_id; /* an empty text: whatever a text may begin with */
  r->n_prompt += (uint32_t)n;
  return 0;
}

int hr_run_read_prompt(run *r) {
  const hr_library *l = r->loaded.library;
  const char *option = r->options.ids ? "--ids" : r->options.prompt ? "--prompt" : "--load-session";
  hr_session_fault fault;
  const char *path = r->options.load_session;
  if (path && hr_session_read(r->host, r->loaded.api, r->session, path, &fault))
    return hr_run_fail_session(r, path, "cannot be read", &fault);
  if (r->options.prompt) {
    if (encode_prompt(r))
      return 1;
  } else {
    size_t room = r->options.ids ? length_of(r->options.ids) / 2 + 1 : 0;
    if (prompt_room(r, option, room))
      return 1;
    if (r->options.ids)
      r->n_prompt += (uint32_t)hr_parse_ids(r->options.ids, r->prompt + r->n_prompt, room);
  }
  if (!r->n_prompt)
    return hr_run_fail_text(r, option, "the prompt has no tokens");
  for (uint32_t i = 0; i < r->n_prompt; ++i)
    if ((uint32_t)r->prompt[i] >= l->vocab_size)
      return fail_number(r, option, "ids below ", l->vocab_size, "", (uint32_t)r->prompt[i]);
  if (r->n_prompt > l->max_positions)
    return fail_number(r, option, "at most ", l->max_positions, " tokens, the context", r->n_prompt);
  return 0;
}
