/* norm: RMSNorm or LayerNorm with an optional residual sum before it and an optional quantization after it. */
#include "hr_ref_layout.h"

/* One row and how it is normalised. */
typedef struct hr_ref_norm_row {
  const float *x, *weight, *bias;
  hr_ref_moments moments;
  int32_t cols, kind;
} hr_ref_norm_row;

static float hr_ref_norm_at(const hr_ref_norm_row *row, int32_t i) {
  return hr_ref_normalised(row->x, row->weight, row->bias, row->moments, row->kind, i);
}

/* Quantizes as quantize does, from values that are computed on demand: y is written over a block of one group at a
 * time. */
static int hr_ref_norm_a8(const hr_ref_norm_row *row, char *out, int32_t group) {
  const int32_t cols = row->cols, padded = hr_ref_pad32(cols), groups = hr_ref_groups(cols, group);
  int faulted = 0;
  for (int32_t g = 0; g < groups; g++) {
    const int32_t first = g * group, count = cols - first < group ? cols - first : group;
    float y[128];
    char block[128 + 64]; /* one group as an a8 row of its own: codes, scale, sum */
    for (int32_t i = 0; i < count; i++)
      y[i] = hr_ref_norm_at(row, first + i);
    faulted |= hr_ref_quantize_row(y, block, count, group);
    __builtin_memcpy(out + first, block, (size_t)hr_ref_pad32(count));
    __builtin_memcpy(out + padded + 4 * g, block + hr_ref_pad32(count), 4);
    __builtin_memcpy(out + padded + 4 * groups + 4 * g, block + hr_ref_pad32(count) + 4, 4);
  }
  return faulted;
}

void hr_ref_norm(const float *x, const float *residual, const float *weight, const float *bias, float *sum, void *out,
                 int32_t *fault, int32_t site, int32_t n_valid, int32_t pos, int32_t begin, int32_t end, int32_t cols,
                 int32_t group, int32_t kind, float eps) {
  (void)n_valid, (void)pos;
  const int32_t stride = hr_ref_pad32(cols);
  for (int32_t r = begin; r < end; r++) {
    const size_t at = (size_t)r * (size_t)stride;
    if (residual)
      for (int32_t i = 0; i < stride; i++)
        sum[at + (size_t)i] = x[at + (size_t)i] + residual[at + (size_t)i];
    hr_ref_norm_row row = {residual ? sum + at : x + at, weight, bias, {0.0f, 0.0f, 0.0f}, cols, kind};
    row.moments = hr_ref_moments_of(row.x, cols, kind, eps);
    int faulted = (hr_ref_bits(row.moments.total) & 0x7fffffffu) >= 0x7f800000u;
    if (group) {
      faulted |= hr_ref_norm_a8(&row, (char *)out + (size_t)r * hr_ref_a8_stride(cols, group), group);
    } else {
      float *y = (float *)out + at;
      for (int32_t i = 0; i < stride; i++)
        y[i] = i < cols ? hr_ref_norm_at(&row, i) : 0.0f;
    }
    if (faulted && *fault == 0)
      *fault = site + 1;
  }
}
