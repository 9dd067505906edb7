/* route: the experts that a row goes through, and their shares. */
#include "hr_ref_layout.h"

/* The expert that comes after `last`, of the score `*score`, in descending order of scores, of equal ones in ascending
 * order of numbers; *score becomes its score. */
static int32_t hr_ref_next(const float *scores, int32_t experts, float *score, int32_t last) {
  float best = -__builtin_inff();
  int32_t chosen = 0;
  for (int32_t e = 0; e < experts; e++) {
    const int32_t left = scores[e] < *score || (scores[e] == *score && e > last);
    if (left && best < scores[e]) {
      best = scores[e];
      chosen = e;
    }
  }
  *score = best;
  return chosen;
}

static void hr_ref_route_row(const float *scores, float *out, int32_t experts, int32_t top, int32_t normalise) {
  float score = __builtin_inff(), sum = 0.0f;
  int32_t chosen = -1;
  for (int32_t i = 0; i < hr_ref_pad32(2 * top); i++)
    out[i] = 0.0f;
  for (int32_t i = 0; i < top; i++) {
    chosen = hr_ref_next(scores, experts, &score, chosen);
    out[i] = score;
    out[top + i] = (float)chosen;
  }
  const float most = out[0];
  for (int32_t i = 0; i < (normalise ? top : experts); i++)
    sum = sum + hr_ref_exp((normalise ? out : scores)[i] - most);
  for (int32_t i = 0; i < top; i++)
    out[i] = hr_ref_exp(out[i] - most) / sum;
}

void hr_ref_route(const float *scores, float *out, int32_t n_valid, int32_t pos, int32_t begin, int32_t end,
                  int32_t experts, int32_t top, int32_t normalise) {
  (void)n_valid, (void)pos;
  for (int32_t r = begin; r < end; r++)
    hr_ref_route_row(scores + (size_t)r * (size_t)hr_ref_pad32(experts),
                     out + (size_t)r * (size_t)hr_ref_pad32(2 * top), experts, top, normalise);
}
