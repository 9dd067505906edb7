/* hr_ref_layout.h - where an element lies: T32 weights and a8 rows (runtime/abi/README.md, "Memory").
 */
#ifndef HR_REF_LAYOUT_H
#define HR_REF_LAYOUT_H
#include "hr_ref.h"
#include "hr_ref_math.h"
#include <stddef.h>

static inline int32_t hr_ref_groups(int32_t k, int32_t group) { return (k + group - 1) / group; }

static inline size_t hr_ref_pad(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/* Bytes of the quants of one tile of 32 rows; the scales follow, then the offsets of w4a and w4z. */
static inline size_t hr_ref_quant_bytes(int32_t enc, int32_t k) {
  switch (enc) {
  case HR_REF_F32:
    return (size_t)k * 32 * 4;
  case HR_REF_F16:
    return (size_t)k * 32 * 2;
  case HR_REF_W8:
    return (size_t)hr_ref_pad32(k) * 32;
  default:
    return (size_t)hr_ref_pad32(k) * 16;
  }
}

static inline size_t hr_ref_tile_bytes(int32_t enc, int32_t group, int32_t k) {
  const size_t quants = hr_ref_quant_bytes(enc, k);
  const size_t planes = enc == HR_REF_W4A || enc == HR_REF_W4Z ? 2 : 1;
  return enc < HR_REF_W8 ? quants : hr_ref_pad(quants + planes * (size_t)hr_ref_groups(k, group) * 64, 128);
}

/* The tile that holds weight row `row`. */
static inline const uint8_t *hr_ref_tile(const void *w, int32_t enc, int32_t group, int32_t k, int32_t row) {
  return (const uint8_t *)w + (size_t)(row / 32) * hr_ref_tile_bytes(enc, group, k);
}

/* Element (row, i) of f32 or f16 weights, widened. */
static inline float hr_ref_element(const uint8_t *tile, int32_t enc, int32_t row, int32_t i) {
  const size_t at = (size_t)i * 32 + (size_t)(row % 32);
  if (enc == HR_REF_F32)
    return ((const float *)tile)[at];
  return hr_ref_half_to_float(((const uint16_t *)tile)[at]);
}

/* Code of element (row, i) of w8, w4, w4a or w4z weights. */
static inline int32_t hr_ref_code(const uint8_t *tile, int32_t enc, int32_t row, int32_t i) {
  const size_t lane = (size_t)(row % 32);
  if (enc == HR_REF_W8)
    return (int32_t)tile[(size_t)(i / 4) * 128 + lane * 4 + (size_t)(i % 4)] - 128;
  const uint8_t byte = tile[(size_t)(i / 8) * 128 + lane * 4 + (size_t)(i % 4)];
  return (i % 8 < 4 ? byte & 15 : byte >> 4) - (enc == HR_REF_W4 ? 8 : 0);
}

static inline float hr_ref_scale(const uint8_t *tile, int32_t enc, int32_t k, int32_t row, int32_t g) {
  const uint16_t *scales = (const uint16_t *)(tile + hr_ref_quant_bytes(enc, k));
  return hr_ref_half_to_float(scales[(size_t)g * 32 + (size_t)(row % 32)]);
}

/* Of w4a the minimum of a group, of w4z its zero point. */
static inline float hr_ref_offset(const uint8_t *tile, int32_t enc, int32_t group, int32_t k, int32_t row, int32_t g) {
  return hr_ref_scale(tile, enc, k, row, hr_ref_groups(k, group) + g);
}

/* The value of element (row, i), however it is stored. */
static inline float hr_ref_weight(const uint8_t *tile, int32_t enc, int32_t group, int32_t k, int32_t row, int32_t i) {
  if (enc < HR_REF_W8)
    return hr_ref_element(tile, enc, row, i);
  const float code = (float)hr_ref_code(tile, enc, row, i), scale = hr_ref_scale(tile, enc, k, row, i / group);
  if (enc == HR_REF_W4A)
    return __builtin_fmaf(code, scale, hr_ref_offset(tile, enc, group, k, row, i / group));
  if (enc == HR_REF_W4Z)
    return (code - hr_ref_offset(tile, enc, group, k, row, i / group)) * scale;
  return code * scale;
}

/* a8 rows: codes, then scales, then sums. */
static inline size_t hr_ref_a8_stride(int32_t k, int32_t group) {
  return hr_ref_pad((size_t)hr_ref_pad32(k) + 8 * (size_t)hr_ref_groups(k, group), 64);
}

/* Quantizes one row of f32 to a8; returns 0, or 1 when a group held a NaN or an infinity. Defined in quantize.c. */
int hr_ref_quantize_row(const float *x, void *out, int32_t cols, int32_t group);
#endif
