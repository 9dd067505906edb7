/* embed: rows of the (T32) table, widened or dequantized, scaled, with learned positions. */
#include "hr_ref_layout.h"

void hr_ref_embed(const void *table, const float *positions, const int32_t *tokens, float *out, int32_t n_valid,
                  int32_t pos, int32_t begin, int32_t end, int32_t enc, int32_t group, int32_t n, int32_t k,
                  float scale) {
  (void)n_valid, (void)n;
  const int32_t stride = hr_ref_pad32(k);
  for (int32_t r = begin; r < end; r++) {
    const int32_t token = tokens[r];
    const uint8_t *tile = hr_ref_tile(table, enc, group, k, token);
    float *row = out + (size_t)r * (size_t)stride;
    for (int32_t i = 0; i < stride; i++) {
      float v = i < k ? hr_ref_weight(tile, enc, group, k, token, i) : 0.0f;
      if (i < k && scale != 1.0f)
        v = v * scale;
      if (i < k && positions)
        v = v + positions[(size_t)(pos + r) * (size_t)k + (size_t)i];
      row[i] = v;
    }
  }
}
