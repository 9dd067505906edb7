/* attend: softmax attention of one row and head, online over tiles of 32 positions. */
#include "hr_ref_layout.h"

static float hr_ref_get(const void *cache, int32_t type, size_t at) {
  return type == HR_REF_F32 ? ((const float *)cache)[at] : hr_ref_half_to_float(((const uint16_t *)cache)[at]);
}

/* A query: the positions first .. last that it sees, and how scores are made. */
typedef struct hr_ref_query {
  const float *q;
  int32_t first, last;
  float scale, softcap;
} hr_ref_query;

/* head_at: elements from the start of either cache to those of this kv head. */
static void hr_ref_attend_one(const hr_ref_query *query, const void *kcache, const void *vcache, size_t head_at,
                              float *out, int32_t head_dim, int32_t k_type, int32_t v_type) {
  const size_t dim = (size_t)head_dim;
  const int32_t start = query->first / 32 * 32;
  float m = -__builtin_inff(), l = 0.0f;
  for (size_t d = 0; d < dim; d++)
    out[d] = 0.0f;
  for (int32_t base = start; base <= query->last; base += 32) {
    const int32_t from = query->first > base ? query->first - base : 0;
    const int32_t to = query->last - base + 1 < 32 ? query->last - base + 1 : 32;
    float s[32], p[32], lane[32], mt = -__builtin_inff();
    for (int32_t j = from; j < to; j++) {
      float t = 0.0f;
      for (size_t d = 0; d < dim; d++)
        t = __builtin_fmaf(query->q[d], hr_ref_get(kcache, k_type, head_at + (size_t)base * dim + d * 32 + (size_t)j),
                           t);
      s[j] = hr_ref_softcap(t * query->scale, query->softcap);
      mt = s[j] > mt ? s[j] : mt;
    }
    const float mn = mt > m ? mt : m, c = base == start ? 0.0f : hr_ref_exp(m - mn);
    m = mn;
    for (int32_t j = 0; j < 32; j++)
      lane[j] = p[j] = j >= from && j < to ? hr_ref_exp(s[j] - m) : 0.0f;
    l = __builtin_fmaf(l, c, hr_ref_tree(lane));
    for (size_t d = 0; d < dim; d++) {
      float acc = out[d] * c;
      for (int32_t j = from; j < to; j++)
        acc = __builtin_fmaf(p[j], hr_ref_get(vcache, v_type, head_at + (size_t)(base + j) * dim + d), acc);
      out[d] = acc;
    }
  }
  const float inv = 1.0f / l;
  for (size_t d = 0; d < dim; d++)
    out[d] = out[d] * inv;
}

void hr_ref_attend(const float *qkv, const void *kcache, const void *vcache, float *out, int32_t n_valid, int32_t pos,
                   int32_t begin, int32_t end, int32_t heads, int32_t kv_heads, int32_t head_dim, int32_t context,
                   int32_t k_type, int32_t v_type, int32_t window, int32_t causal, float scale, float softcap) {
  const size_t q_stride = (size_t)hr_ref_pad32((heads + 2 * kv_heads) * head_dim), width = (size_t)(heads * head_dim);
  const size_t out_stride = (size_t)hr_ref_pad32(heads * head_dim), capacity = (size_t)hr_ref_pad32(context);
  for (int32_t t = begin; t < end; t++) {
    const size_t head = (size_t)(t / n_valid), row = (size_t)(t % n_valid);
    const size_t kv_head = head / (size_t)(heads / kv_heads), at = head * (size_t)head_dim;
    hr_ref_query query = {qkv + row * q_stride + at, 0, causal ? pos + (int32_t)row : n_valid - 1, scale, softcap};
    if (window && query.last >= window)
      query.first = query.last - window + 1;
    hr_ref_attend_one(&query, kcache, vcache, kv_head * capacity * (size_t)head_dim, out + row * out_stride + at,
                      head_dim, k_type, v_type);
    if (head + 1 == (size_t)heads) /* the row's padding belongs to its last head */
      for (size_t i = width; i < out_stride; i++)
        out[row * out_stride + i] = 0.0f;
  }
}
