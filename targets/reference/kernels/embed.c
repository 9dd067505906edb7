/* embed: rows of the (T32) table, widened or dequantized. */
#include "hr_ref_layout.h"

void hr_ref_embed(const void *table, const int32_t *tokens, float *out, int32_t n_valid, int32_t pos, int32_t begin,
                  int32_t end, int32_t enc, int32_t group, int32_t n, int32_t k) {
  (void)n_valid, (void)pos, (void)n;
  const int32_t stride = hr_ref_pad32(k);
  for (int32_t r = begin; r < end; r++) {
    const int32_t token = tokens[r];
    const uint8_t *tile = hr_ref_tile(table, enc, group, k, token);
    float *row = out + (size_t)r * (size_t)stride;
    for (int32_t i = 0; i < stride; i++) {
      if (i >= k)
        row[i] = 0.0f;
      else if (enc < HR_REF_W8)
        row[i] = hr_ref_weight(tile, enc, token, i);
      else
        row[i] = (float)hr_ref_code(tile, enc, token, i) * hr_ref_scale(tile, enc, k, token, i / group);
    }
  }
}
