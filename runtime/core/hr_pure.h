/* hr_pure.h - the core's pure functions: no model, no session. Apart from hr_internal.h so that C++ tests can include
 * them. */
#ifndef HR_PURE_H
#define HR_PURE_H
#include "headrace.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

/* hr_hash64 of `head` (a multiple of 32 bytes) followed by `data`. */
uint64_t hr_hash64_pair(const void *head, size_t head_bytes, const void *data, size_t bytes, uint64_t seed);

typedef struct hr_random {
  uint64_t state;
} hr_random;
float hr_random_unit(hr_random *random); /* [0, 1), 24 bits */
/* Whether fewer than 2^32 draws lead from a seed to a state; chance alone makes it true once in 2^32. */
bool hr_random_reaches(uint64_t seed, uint64_t state);

float hr_exp(float x); /* x <= 0 */

/* Chooses an id from logits[vocab]. seen: ids that are penalised, in any order, repetitions allowed. scratch:
 * hr_sample_scratch bytes. HR_NOT_FINITE when a logit is not. */
hr_status hr_sample(const hr_sampling *sampling, hr_random *random, const float *logits, uint32_t vocab,
                    const int32_t *seen, uint32_t n_seen, void *scratch, int32_t *id);
size_t hr_sample_scratch(uint32_t vocab);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
