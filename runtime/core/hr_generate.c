/* hr_generate.c - prompt in, tokens and text out. */
#include "hr_internal.h"

HR_SMALL_BEGIN

typedef struct generation {
  hr_session *session;
  const hr_generate_options *options;
  hr_token_fn on_token;
  void *user;
  hr_timings *timings;
  hr_random random;
  hr_decoder decoder;
} generation;

static bool contains(const int32_t *ids, uint32_t n, int32_t id) {
  for (uint32_t i = 0; i < n; ++i)
    if (ids[i] == id)
      return true;
  return false;
}

static bool is_end(const generation *g, int32_t id) {
  const hr_library *library = g->session->model->library;
  return !g->options->ignore_eos && (contains(library->eos_ids, library->eos_count, id) ||
                                     contains(g->options->end_ids, g->options->end_count, id));
}

static hr_status sample(generation *g, int32_t *id) {
  hr_session *s = g->session;
  uint32_t window = g->options->sampling.penalty_window, most = s->length;
  if (!window || window > HR_PENALTY_WINDOW)
    window = HR_PENALTY_WINDOW;
  uint32_t n_seen = window < most ? window : most;
  hr_float_mode mode = hr_float_enter();
  hr_status status = hr_sample(&g->options->sampling, &g->random, s->logits, s->model->library->vocab_size,
                               s->ids + s->length - n_seen, n_seen, s->model->scratch, id);
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
  hr_status status = sample(g, id);
  if (status)
    return status;
  s->ids[s->length] = *id;
  s->pending = true;
  s->draws = g->random.state;
  uint32_t count = ++g->timings->generated_tokens;
  bool full = s->length >= s->model->library->max_positions;
  *done = is_end(g, *id) || count == g->options->max_tokens;
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

/* The part of the prompt that the session does not hold, appended. */
static hr_status prefill(generation *g, const int32_t *prompt, uint32_t n) {
  hr_session *s = g->session;
  uint32_t common = g->options->reuse ? hr_session_common(s, prompt, n) : 0, before = s->steps;
  if (g->options->reuse && !hr_valid_ids(s->model->library, prompt, n))
    return HR_INVALID_ARGUMENT;
  if (g->options->reuse && common < s->length)
    hr_session_rewind(s, common);
  uint32_t cached = s->length, rest = n - common;
  hr_rows_fn on_rows = g->options->on_prompt_rows;
  hr_status status = hr_append_steps(s, prompt + common, rest, on_rows ? HR_ALL_ROWS : HR_LAST_ROW, on_rows, g->user);
  g->timings->cached_tokens = cached;
  g->timings->prefilled_tokens = rest;
  g->timings->prompt_tokens = cached + rest;
  g->timings->prefill_steps = s->steps - before;
  return status;
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
  int resume = g.options->resume_draws;
  if (resume && (resume != HR_RESUME_SEED || hr_random_reaches(g.random.state, session->draws)))
    g.random.state = session->draws;
  *g.timings = (hr_timings){0};
  atomic_store_explicit(&session->cancelled, 0, memory_order_release);
  uint64_t start = hr_now(session->model);
  hr_status status = prefill(&g, prompt, n);
  uint64_t prefilled = hr_now(session->model);
  g.timings->prefill_ns = prefilled - start;
  if (!status && g.options->max_tokens)
    status = decode_loop(&g, start);
  g.timings->decode_ns = hr_now(session->model) - prefilled;
  return status;
}

HR_SMALL_END
