/* gemv, gemm: out = epilogue(W x + bias), row tiles of 32 outputs. */
#include "hr_ref_layout.h"

/* One output before the epilogue: weight row `row` against one row of x. */
static float hr_ref_dot(const void *w, const float *bias, const void *x, int32_t enc, int32_t group, int32_t x_type,
                        int32_t k, int32_t row) {
  const uint8_t *tile = hr_ref_tile(w, enc, group, k, row);
  float acc = bias ? bias[row] : 0.0f;
  if (x_type == HR_REF_F32) {
    for (int32_t i = 0; i < k; i++)
      acc = __builtin_fmaf(((const float *)x)[i], hr_ref_weight(tile, enc, group, k, row, i), acc);
    return acc;
  }
  const int8_t *codes = (const int8_t *)x;
  const float *scales = (const float *)(codes + hr_ref_pad32(k));
  const int32_t *sums = (const int32_t *)(scales + hr_ref_groups(k, group));
  for (int32_t g = 0; g < hr_ref_groups(k, group); g++) {
    const int32_t zero = enc == HR_REF_W4Z ? (int32_t)hr_ref_offset(tile, enc, group, k, row, g) : 0;
    int32_t dot = 0;
    for (int32_t i = g * group; i < k && i < (g + 1) * group; i++)
      dot += (hr_ref_code(tile, enc, row, i) - zero) * codes[i];
    acc = __builtin_fmaf((float)dot, hr_ref_scale(tile, enc, k, row, g) * scales[g], acc);
    if (enc == HR_REF_W4A)
      acc = __builtin_fmaf(hr_ref_offset(tile, enc, group, k, row, g), scales[g] * (float)sums[g], acc);
  }
  return acc;
}

static float hr_ref_activate(float x, int32_t act) {
  switch (act) {
  case HR_REF_SILU:
    return hr_ref_silu(x);
  case HR_REF_RELU:
    return x > 0.0f ? x : 0.0f;
  case HR_REF_TANH:
    return hr_ref_tanh(x);
  case HR_REF_GELU_TANH:
    return hr_ref_gelu_tanh(x);
  case HR_REF_GELU:
    return hr_ref_gelu(x);
  default:
    return x;
  }
}

static void hr_ref_rows(const void *w, const float *bias, const void *x, const float *route, const float *residual,
                        float *out, int32_t rows, int32_t begin, int32_t end, int32_t enc, int32_t group,
                        int32_t x_type, int32_t n, int32_t k, int32_t act, int32_t gated, int32_t top, int32_t weighted,
                        float softcap) {
  const size_t x_stride = x_type == HR_REF_F32 ? (size_t)hr_ref_pad32(k) * 4 : hr_ref_a8_stride(k, group);
  const int32_t expert_rows = (gated ? 2 : 1) * hr_ref_pad32(n);
  for (int32_t r = 0; r < rows; r++) {
    const void *xr = (const char *)x + (size_t)r * x_stride;
    const float *chosen = route ? route + (size_t)r * (size_t)hr_ref_pad32(2 * top) : NULL;
    const int32_t first_row = chosen ? (int32_t)chosen[top] * expert_rows : 0;
    for (int32_t o = begin * 32; o < end * 32; o++) {
      const size_t at = (size_t)r * (size_t)hr_ref_pad32(n) + (size_t)o;
      /* gated: tile t of the output comes from tiles 2t (gate) and 2t + 1 (up) of the weight */
      const int32_t row = first_row + (gated ? o / 32 * 64 + o % 32 : o);
      float v = hr_ref_activate(hr_ref_dot(w, bias, xr, enc, group, x_type, k, row), act);
      if (gated)
        v = v * hr_ref_dot(w, bias, xr, enc, group, x_type, k, row + 32);
      v = hr_ref_softcap(v, softcap);
      if (weighted)
        v = v * chosen[0];
      if (residual)
        v = v + residual[at];
      out[at] = v;
    }
  }
}

void hr_ref_gemv(const void *w, const float *bias, const void *x, const float *route, const float *residual, float *out,
                 int32_t n_valid, int32_t pos, int32_t begin, int32_t end, int32_t enc, int32_t group, int32_t x_type,
                 int32_t n, int32_t k, int32_t act, int32_t gated, int32_t top, int32_t weighted, float softcap) {
  (void)n_valid, (void)pos;
  hr_ref_rows(w, bias, x, route, residual, out, 1, begin, end, enc, group, x_type, n, k, act, gated, top, weighted,
              softcap);
}

void hr_ref_gemm(const void *w, const float *bias, const void *x, const float *route, const float *residual, float *out,
                 int32_t n_valid, int32_t pos, int32_t begin, int32_t end, int32_t enc, int32_t group, int32_t x_type,
                 int32_t n, int32_t k, int32_t act, int32_t gated, int32_t top, int32_t weighted, float softcap) {
  (void)pos;
  hr_ref_rows(w, bias, x, route, residual, out, n_valid, begin, end, enc, group, x_type, n, k, act, gated, top,
              weighted, softcap);
}
