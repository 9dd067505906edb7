/* fake_library.h - a library as generated code would make it, written by hand: a "model" whose every number can be
 * worked out on paper.
 *
 * With tokens t[0], t[1] ... the state after position p is  S(p) = (sum over j <= p of (j + 1) * (t[j] + 1)) mod 251,
 * and the logits are highest (0) at the id  fake_target(S(p)), then fall by 1/8 from id to id, around the vocabulary.
 */
#ifndef FAKE_LIBRARY_H
#define FAKE_LIBRARY_H
#include "headrace.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  fake_vocab = 264, /* 0..255 are bytes for the fake tokenizer */
  fake_end = 256,
  fake_fault_id = 257,      /* faults at site 1, "layers.0.mlp.norm" */
  fake_late_fault_id = 259, /* faults at site 2, "norm" */
  fake_nan_id = 258,        /* no launch notices, but a logit is not a number */
  fake_context = 64,
  fake_positions = 60,
  fake_body_rows = 8,
  fake_head_rows = 4,
  fake_section_bytes = 100,
#ifdef FAKE_TEMPLATE
  fake_sections = 4,
#else
  fake_sections = 3, /* weights, weights of device 1, tokenizer; with FAKE_TEMPLATE a chat template, of one page too */
#endif
  fake_blob_bytes = (1 + fake_sections) * HR_SECTION_ALIGN /* the first is the header */
};

int32_t fake_target(int32_t state);

/* Not 0: position p predicts fake_script[p] instead. */
extern const int32_t *fake_script;

/* Fills `blob`, of fake_blob_bytes and 64-byte aligned. */
void fake_blob(uint8_t *blob);
/* Writes the hashes of the payloads and of the header again. */
void fake_blob_rehash(uint8_t *blob);

/* two_devices: the body's state takes a trip through the reference device's memory. */
hr_library fake_library(const uint8_t *blob, int two_devices);

/* What generated code exports. Its weights.bin is fake_blob. */
const hr_library *hr_library_get(void);

#ifdef __cplusplus
}
#endif
#endif
