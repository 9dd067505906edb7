/* hr_session.c - one KV cache and its length: appending tokens in chunks, rewinding, cancelling.
 *
 *   session memory:  hr_session | base table | ids | HR_BASE_KV bases
 *
 * The length only moves when a call has succeeded; what a failed call left in the cache beyond it is never read.
 */
#include "hr_internal.h"

HR_SMALL_BEGIN

hr_status hr_session_open(hr_session **out, hr_model *model, void *memory, size_t bytes) {
  if (!out || !model || !memory)
    return HR_INVALID_ARGUMENT;
  const hr_library *library = model->library;
  if (bytes < hr_session_need(library))
    return HR_OUT_OF_MEMORY;
  hr_bump bump = {memory, 0};
  hr_session *session = hr_bump_take(&bump, sizeof *session, HR_CACHE_LINE);
  *session = (hr_session){.model = model};
  session->base = hr_bump_take(&bump, library->base_count * sizeof(void *), HR_CACHE_LINE);
  session->ids = hr_bump_take(&bump, ((uint64_t)library->max_positions + 1) * sizeof(int32_t), HR_CACHE_LINE);
  atomic_init(&session->cancelled, 0);
  for (uint32_t i = 0; i < library->base_count; ++i) {
    const hr_base *b = &library->bases[i];
    size_t align = b->align > HR_CACHE_LINE ? b->align : HR_CACHE_LINE;
    session->base[i] = b->kind == HR_BASE_KV ? hr_bump_take(&bump, b->bytes, align) : model->base[i];
  }
  *out = session;
  return HR_OK;
}

uint32_t hr_session_length(const hr_session *session) { return session->length; }

hr_status hr_session_rewind(hr_session *session, uint32_t length) {
  if (length > session->length)
    return HR_INVALID_ARGUMENT;
  session->length = length;
  session->logits = 0;
  session->pending = false;
  return HR_OK;
}

const int32_t *hr_session_ids(const hr_session *session, uint32_t *n) {
  *n = session->length + session->pending;
  return session->ids;
}

uint32_t hr_session_common(const hr_session *session, const int32_t *ids, uint32_t n) {
  uint32_t same = 0, most = session->length;
  if (most >= n)
    most = n ? n - 1 : 0;
  while (same < most && session->ids[same] == ids[same])
    ++same;
  return same;
}

void hr_cancel(hr_session *session) { atomic_store_explicit(&session->cancelled, 1, memory_order_release); }

static void *slot_at(const hr_session *session, const hr_slot *slot) {
  return (uint8_t *)session->base[slot->base] + slot->offset;
}

/* The call succeeded: its tokens have positions now. */
static void remember(hr_session *session, const int32_t *ids, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i)
    session->ids[session->length + i] = ids[i];
  session->length += n;
  session->pending = session->pending && !n;
}

bool hr_valid_ids(const hr_library *library, const int32_t *ids, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i)
    if (ids[i] < 0 || (uint32_t)ids[i] >= library->vocab_size)
      return false;
  return true;
}

void hr_put_tokens(const hr_session *session, const int32_t *ids, uint32_t n) {
  int32_t *tokens = slot_at(session, &session->model->library->tokens);
  for (uint32_t i = 0; i < n; ++i)
    tokens[i] = ids[i];
}

/* One head step over rows [row0, row0 + n) of the last body step. */
static hr_status run_head(hr_session *session, const hr_entry *head, uint32_t n, uint32_t pos, uint32_t row0) {
  hr_status status = hr_run_entry(session, head, n, pos + row0, row0);
  if (status)
    return status;
  const hr_slot *slot = &session->model->library->logits;
  session->logits = (const float *)slot_at(session, slot) + (size_t)(n - 1) * slot->stride;
  return HR_OK;
}

/* The logits of all rows of a body step, in blocks of the head entries' sizes. done: rows of the call before this step.
 */
static hr_status run_heads(hr_session *session, uint32_t n, uint32_t pos, uint32_t done, hr_rows_fn on_rows,
                           void *user) {
  const hr_library *library = session->model->library;
  for (uint32_t row = 0; row < n;) {
    const hr_entry *head = hr_find_entry(library, HR_ENTRY_HEAD, n - row);
    uint32_t rows = n - row < head->rows ? n - row : head->rows;
    hr_status status = run_head(session, head, rows, pos, row);
    if (!status && on_rows)
      status = on_rows(user, done + row, rows, slot_at(session, &library->logits), library->logits.stride);
    if (status)
      return status;
    row += rows;
  }
  return HR_OK;
}

static hr_status append_chunk(hr_session *session, const int32_t *ids, uint32_t n, uint32_t done, bool last, int rows,
                              hr_rows_fn on_rows, void *user) {
  const hr_library *library = session->model->library;
  uint32_t pos = session->length + done;
  hr_put_tokens(session, ids, n);
  ++session->steps;
  hr_status status = hr_run_entry(session, hr_find_entry(library, HR_ENTRY_BODY, n), n, pos, 0);
  if (status)
    return status;
  if (rows == HR_ALL_ROWS)
    return run_heads(session, n, pos, done, on_rows, user);
  if (rows == HR_LAST_ROW && last)
    return run_head(session, hr_find_entry(library, HR_ENTRY_HEAD, 1), 1, pos, n - 1);
  return HR_OK;
}

hr_status hr_append_steps(hr_session *session, const int32_t *ids, uint32_t n, int rows, hr_rows_fn on_rows,
                          void *user) {
  hr_model *model = session->model;
  const hr_library *library = model->library;
  if (library->model_kind != HR_MODEL_DECODER)
    return HR_UNSUPPORTED;
  if (n > library->max_positions - session->length)
    return HR_CONTEXT_FULL;
  if (!hr_valid_ids(library, ids, n))
    return HR_INVALID_ARGUMENT;
  session->logits = 0;
  model->fault_site = 0;
  for (uint32_t done = 0; done < n;) {
    if (atomic_exchange_explicit(&session->cancelled, 0, memory_order_acq_rel))
      return HR_CANCELLED;
    uint32_t rest = n - done, take = rest < model->chunk ? rest : model->chunk;
    hr_status status = append_chunk(session, ids + done, take, done, take == rest, rows, on_rows, user);
    if (status)
      return status;
    done += take;
  }
  remember(session, ids, n);
  return HR_OK;
}

hr_status hr_append(hr_session *session, const int32_t *ids, uint32_t n, int rows, hr_rows_fn on_rows, void *user) {
  if (!session || (n && !ids) || rows < HR_NO_ROWS || rows > HR_ALL_ROWS)
    return HR_INVALID_ARGUMENT;
  atomic_store_explicit(&session->cancelled, 0, memory_order_release);
  return hr_append_steps(session, ids, n, rows, on_rows, user);
}

const float *hr_logits(const hr_session *session) { return session->logits; }

const float *hr_tap_data(const hr_session *session, uint32_t tap) {
  const hr_library *library = session->model->library;
  if (tap >= library->tap_count)
    return 0;
  const hr_tap *t = &library->taps[tap];
  return (const float *)((const uint8_t *)session->base[t->base] + t->offset);
}

HR_SMALL_END
