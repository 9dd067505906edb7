/* hr_generate.c - prompt in, tokens and text out. */
#include "hr_internal.h"

typedef struct generation {
  hr_session *session;
  const hr_generate_options *options;
  hr_token_fn on_token;
  void *user;
  hr_timings *timings;
  hr_random random;
  hr_decoder decoder;
} generation;

static bool is_end(const hr_library *library, int32_t id) {
  for (uint32_t i = 0; i < library->eos_count; ++i)
    if (library->eos_ids[i] == id)
      return true;
  return false;
}

/* Gathers the ids the penalty looks at, newest first. */
static uint32_t seen_ids(const hr_session *s, uint32_t window, int32_t *ids) {
  uint32_t kept = s->length - s->history_from, n = window && window < kept ? window : kept;
  for (uint32_t i = 0; i < n; ++i)
    ids[i] = s->history[(s->length - 1 - i) % HR_PENALTY_WINDOW];
  return n;
}

static hr_status sample(generation *g, int32_t *id) {
  hr_session *s = g->session;
  int32_t seen[HR_PENALTY_WINDOW];
  uint32_t n_seen = seen_ids(s, g->options->sampling.penalty_window, seen);
  hr_float_mode mode = hr_float_enter();
  hr_status status = hr_sample(&g->options->sampling, &g->random, s->logits, s->model->library->vocab_size, seen,
                               n_seen, s->model->scratch, id);
  hr_float_leave(mode);
  if (status == HR_NOT_FINITE)
    s->model->fault_site = INT32_MAX; /* no launch's site: hr_fault_site says "logits" */
  return status;
}

/* The text that became complete with this id, and with the last id all that is left. */
static hr_status decode(generation *g, int32_t id, bool last, const char **text, size_t *bytes) {
  hr_model *m = g->session->model;
  *text = m->scratch;
  *bytes = 0;
  if (!m->tokenizer.data)
    return HR_OK;
  hr_status status = hr_decode(&m->tokenizer, &g->decoder, id, m->scratch, m->scratch_bytes, bytes);
  if (status || !last)
    return status;
  size_t more = 0;
  status = hr_decode(&m->tokenizer, &g->decoder, -1, (char *)m->scratch + *bytes, m->scratch_bytes - *bytes, &more);
  *bytes += more;
  return status;
}

/* Samples from the session's logits, delivers, and says in *id what to append next; *done when there is nothing to
 * append. */
static hr_status next_token(generation *g, int32_t *id, bool *done) {
  hr_session *s = g->session;
  const hr_library *library = s->model->library;
  hr_status status = sample(g, id);
  if (status)
    return status;
  uint32_t count = ++g->timings->generated_tokens;
  bool full = s->length >= library->max_positions;
  *done = (!g->options->ignore_eos && is_end(library, *id)) || count == g->options->max_tokens;
  const char *text;
  size_t bytes;
  if ((status = decode(g, *id, *done || full, &text, &bytes)))
    return status;
  if (g->on_token && g->on_token(g->user, *id, text, bytes, s->logits))
    return HR_STOPPED;
  return full && !*done ? HR_CONTEXT_FULL : HR_OK;
}

static hr_status decode_loop(generation *g, uint64_t start) {
  hr_session *s = g->session;
  for (bool first = true;; first = false) {
    int32_t id;
    bool done;
    hr_status status = next_token(g, &id, &done);
    if (first)
      g->timings->first_token_ns = hr_now(s->model) - start;
    if (status || done)
      return status;
    if ((status = hr_append_steps(s, &id, 1, HR_LAST_ROW, 0, 0)))
      return status;
    ++g->timings->steps;
  }
}

/* Infinities and NaNs fail too. */
static bool valid_sampling(const hr_sampling *s) {
  bool finite = s->temperature < __FLT_MAX__ && s->repetition_penalty < __FLT_MAX__;
  return finite && s->temperature >= 0 && s->top_p >= 0 && s->top_p <= 1 && s->min_p >= 0 && s->min_p <= 1 &&
         s->repetition_penalty >= 0;
}

hr_status hr_generate(hr_session *session, const int32_t *prompt, uint32_t n, const hr_generate_options *options,
                      hr_token_fn on_token, void *user, hr_timings *timings) {
  static const hr_generate_options defaults = {.max_tokens = 64};
  hr_timings local;
  if (!session || !prompt || !n || (options && !valid_sampling(&options->sampling)))
    return HR_INVALID_ARGUMENT;
  generation g = {.session = session,
                  .options = options ? options : &defaults,
                  .on_token = on_token,
                  .user = user,
                  .timings = timings ? timings : &local,
                  .random = {options ? options->sampling.seed : 0}};
  *g.timings = (hr_timings){.prompt_tokens = n, .cached_tokens = session->length};
  atomic_store_explicit(&session->cancelled, 0, memory_order_release);
  uint64_t start = hr_now(session->model);
  hr_rows_fn on_rows = g.options->on_prompt_rows;
  hr_status status = hr_append_steps(session, prompt, n, on_rows ? HR_ALL_ROWS : HR_LAST_ROW, on_rows, user);
  uint64_t prefilled = hr_now(session->model);
  g.timings->prefill_ns = prefilled - start;
  if (!status && g.options->max_tokens)
    status = decode_loop(&g, start);
  g.timings->decode_ns = hr_now(session->model) - prefilled;
  return status;
}
