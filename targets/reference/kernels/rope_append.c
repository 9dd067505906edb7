/* rope_append: normalises q and k in place, rotates q in place, rotates k and appends k and v to the cache. */
#include "hr_ref_layout.h"

static void hr_ref_put(void *cache, int32_t type, size_t at, float x) {
  if (type == HR_REF_F32)
    ((float *)cache)[at] = x;
  else
    ((uint16_t *)cache)[at] = hr_ref_float_to_half(x);
}

static void hr_ref_rotate(float *x, const float *cosines, const float *sines, int32_t rotary, float *to) {
  const int32_t half = rotary / 2;
  for (int32_t i = 0; i < half; i++) {
    const float a = x[i], b = x[i + half], c = cosines[i], s = sines[i];
    to[i] = __builtin_fmaf(-b, s, a * c);
    to[i + half] = __builtin_fmaf(a, s, b * c);
  }
}

static void hr_ref_norm_spans(float *x, const float *weight, const float *bias, int32_t cols, int32_t span,
                              int32_t kind, float eps) {
  for (int32_t first = 0; first < cols; first += span) {
    float *run = x + first;
    const hr_ref_moments m = hr_ref_moments_of(run, span, kind, eps);
    for (int32_t i = 0; i < span; i++)
      run[i] = hr_ref_normalised(run, weight + first, bias ? bias + first : bias, m, kind, i);
  }
}

void hr_ref_rope_append(float *qkv, const float *table, const float *q_norm, const float *q_bias, const float *k_norm,
                        const float *k_bias, void *kcache, void *vcache, int32_t n_valid, int32_t pos, int32_t begin,
                        int32_t end, int32_t heads, int32_t kv_heads, int32_t head_dim, int32_t rotary, int32_t context,
                        int32_t k_type, int32_t v_type, int32_t qk_norm, int32_t q_span, int32_t k_span, float eps) {
  (void)n_valid;
  const int32_t stride = hr_ref_pad32((heads + 2 * kv_heads) * head_dim);
  const size_t capacity = (size_t)hr_ref_pad32(context), dim = (size_t)head_dim;
  for (int32_t r = begin; r < end; r++) {
    float *q = qkv + (size_t)r * (size_t)stride, *k = q + heads * head_dim, *v = k + kv_heads * head_dim;
    const size_t p = (size_t)(pos + r);
    const float *cosines = table ? table + p * (size_t)rotary : table, *sines = table ? cosines + rotary / 2 : table;
    if (qk_norm != HR_REF_NO_NORM) {
      hr_ref_norm_spans(q, q_norm, q_bias, heads * head_dim, q_span, qk_norm, eps);
      hr_ref_norm_spans(k, k_norm, k_bias, kv_heads * head_dim, k_span, qk_norm, eps);
    }
    for (int32_t h = 0; h < heads; h++)
      hr_ref_rotate(q + h * head_dim, cosines, sines, rotary, q + h * head_dim);
    for (size_t h = 0; h < (size_t)kv_heads; h++) {
      float *kh = k + h * dim;
      const float *vh = v + h * dim;
      for (int32_t i = 0; i < rotary / 2; i++) { /* one pair at a time: the row's own k stays as it is */
        float pair[2] = {kh[i], kh[i + rotary / 2]};
        hr_ref_rotate(pair, cosines + i, sines + i, 2, pair);
        hr_ref_put(kcache, k_type, ((h * capacity + p / 32 * 32) * dim) + (size_t)i * 32 + p % 32, pair[0]);
        hr_ref_put(kcache, k_type, ((h * capacity + p / 32 * 32) * dim) + (size_t)(i + rotary / 2) * 32 + p % 32,
                   pair[1]);
      }
      for (int32_t i = rotary; i < head_dim; i++)
        hr_ref_put(kcache, k_type, ((h * capacity + p / 32 * 32) * dim) + (size_t)i * 32 + p % 32, kh[i]);
      for (size_t i = 0; i < dim; i++)
        hr_ref_put(vcache, v_type, (h * capacity + p) * dim + i, vh[i]);
    }
  }
}
