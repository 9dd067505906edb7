/* quantize: f32 rows to a8 rows (int8 codes in groups, a scale and a code sum each). */
#include "hr_ref_layout.h"

int hr_ref_quantize_row(const float *x, void *out, int32_t cols, int32_t group) {
  const int32_t padded = hr_ref_pad32(cols), groups = hr_ref_groups(cols, group);
  int8_t *codes = (int8_t *)out;
  float *scales = (float *)((char *)out + padded);
  int32_t *sums = (int32_t *)(scales + groups);
  int faulted = 0;
  for (int32_t i = cols; i < padded; i++)
    codes[i] = 0;
  for (int32_t g = 0; g < groups; g++) {
    const int32_t first = g * group, last = first + group < cols ? first + group : cols;
    uint32_t amax_bits = 0;
    for (int32_t i = first; i < last; i++) {
      const uint32_t magnitude = hr_ref_bits(x[i]) & 0x7fffffffu;
      amax_bits = magnitude > amax_bits ? magnitude : amax_bits;
    }
    const int finite = amax_bits < 0x7f800000u;
    const float amax = hr_ref_float(amax_bits), r = 127.0f / amax;
    const int zero = !finite || amax_bits == 0 || hr_ref_bits(r) == 0x7f800000u;
    int32_t sum = 0;
    for (int32_t i = first; i < last; i++) {
      const float q = zero ? 0.0f : __builtin_roundevenf(x[i] * r);
      codes[i] = (int8_t)(q > 127.0f ? 127.0f : q < -127.0f ? -127.0f : q);
      sum += codes[i];
    }
    scales[g] = zero ? 0.0f : amax / 127.0f;
    sums[g] = sum;
    faulted |= !finite;
  }
  return faulted;
}

void hr_ref_quantize(const float *x, void *out, int32_t *fault, int32_t site, int32_t n_valid, int32_t pos,
                     int32_t begin, int32_t end, int32_t cols, int32_t group) {
  (void)n_valid, (void)pos;
  for (int32_t r = begin; r < end; r++)
    if (hr_ref_quantize_row(x + (size_t)r * (size_t)hr_ref_pad32(cols),
                            (char *)out + (size_t)r * hr_ref_a8_stride(cols, group), cols, group) &&
        *fault == 0)
      *fault = site + 1;
}
