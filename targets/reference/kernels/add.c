/* add: the sum of two rows. */
#include "hr_ref_layout.h"

void hr_ref_add(const float *a, const float *b, float *out, int32_t n_valid, int32_t pos, int32_t begin, int32_t end,
                int32_t cols) {
  (void)n_valid, (void)pos;
  const size_t stride = (size_t)hr_ref_pad32(cols);
  for (size_t i = (size_t)begin * stride; i < (size_t)end * stride; i++)
    out[i] = a[i] + b[i];
}
