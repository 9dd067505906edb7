/* hr_embed.c - encoders: a text in one step, and one vector for all of it. */
#include "hr_internal.h"

HR_SMALL_BEGIN

/* Newton's steps for a square root from a guess that halves the exponent: within 1 ulp, and the same bits everywhere,
 * which a compiler's own is not bound to be. x is finite and at least 0; below the normal numbers it gives 0. */
static float square_root(float x) {
  if (x < __FLT_MIN__)
    return 0;
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  bits = (bits >> 1) + 0x1fbd1df5u;
  float s;
  __builtin_memcpy(&s, &bits, sizeof s);
  for (int i = 0; i < 4; ++i)
    s = 0.5f * (s + x / s);
  return s;
}

static hr_status make_unit_length(float *v, uint32_t n) {
  float sum = 0;
  for (uint32_t i = 0; i < n; ++i) {
    float square = v[i] * v[i];
    sum = sum + square;
  }
  if (!(sum <= __FLT_MAX__))
    return HR_NOT_FINITE;
  float length = square_root(sum);
  for (uint32_t i = 0; i < n; ++i)
    v[i] = v[i] / (length > 1e-12f ? length : 1e-12f);
  return HR_OK;
}

static hr_status pool_rows(const hr_session *session, uint32_t rows, float *embedding) {
  const hr_library *l = session->model->library;
  const float *first = hr_hidden(session, 0);
  for (uint32_t i = 0; i < l->hidden_size; ++i) {
    float sum = first[i];
    for (uint32_t row = 1; row < rows && l->pooling != HR_POOLING_CLS; ++row)
      sum = sum + first[(size_t)row * l->hidden.stride + i];
    embedding[i] = l->pooling == HR_POOLING_CLS ? sum : sum / (float)rows;
  }
  return l->normalize ? make_unit_length(embedding, l->hidden_size) : HR_OK;
}

const float *hr_hidden(const hr_session *session, uint32_t row) {
  if (row >= session->hidden_rows)
    return 0;
  const hr_slot *slot = &session->model->library->hidden;
  return (const float *)((const uint8_t *)session->base[slot->base] + slot->offset) + (size_t)row * slot->stride;
}

hr_status hr_embed(hr_session *session, const int32_t *ids, uint32_t n, float *embedding) {
  if (!session || !ids || !n)
    return HR_INVALID_ARGUMENT;
  const hr_library *l = session->model->library;
  if (l->model_kind != HR_MODEL_ENCODER)
    return HR_UNSUPPORTED;
  const hr_entry *body = hr_find_entry(l, HR_ENTRY_BODY, n);
  session->hidden_rows = 0;
  if (n > l->max_positions || n > body->rows)
    return HR_CONTEXT_FULL;
  if (!hr_valid_ids(l, ids, n))
    return HR_INVALID_ARGUMENT;
  hr_put_tokens(session, ids, n);
  session->model->fault_site = 0;
  hr_status status = hr_run_entry(session, body, n, 0, 0);
  if (status)
    return status;
  session->hidden_rows = n;
  if (!embedding)
    return HR_OK;
  hr_float_mode mode = hr_float_enter();
  status = pool_rows(session, n, embedding);
  hr_float_leave(mode);
  if (status == HR_NOT_FINITE)
    session->model->fault_site = INT32_MAX;
  return status;
}

HR_SMALL_END
