/* rope_append and attend against the reference: positions on both sides of tile borders, and garbage where the cache is
 * unused. */
#include "test/conformance/runner.h"
#include <math.h>
#include <string.h>

static size_t element_bytes(int type) { return type == HR_REF_F32 ? 4 : 2; }

static void put(char *cache, int type, size_t at, float x) {
  if (type == HR_REF_F32)
    ((float *)cache)[at] = x;
  else
    ((uint16_t *)cache)[at] = hr_ref_float_to_half(x);
}

/* A cache with values at positions below `used` and NaN elsewhere; K interleaves 32 positions, V does not. */
static buffer_pair make_cache(const kernel_case *c, int type, bool keys, int32_t used, enum value_kind kind) {
  const size_t dim = (size_t)c->head_dim, capacity = (size_t)c->context;
  buffer_pair cache = buffer_new((size_t)c->kv_heads * capacity * dim * element_bytes(type));
  for (size_t h = 0; h < (size_t)c->kv_heads; h++)
    for (size_t p = 0; p < capacity; p++)
      for (size_t d = 0; d < dim; d++) {
        const size_t at = keys ? (h * capacity + p / 32 * 32) * dim + d * 32 + p % 32 : (h * capacity + p) * dim + d;
        put(cache.kernel, type, at, p < (size_t)used ? random_float(kind) : NAN);
      }
  buffer_sync(cache);
  return cache;
}

static size_t qkv_stride(const kernel_case *c) {
  return (size_t)hr_ref_pad32((c->heads + 2 * c->kv_heads) * c->head_dim);
}

static void check_rope(const kernel_case *c, int32_t pos, int32_t rows, enum value_kind kind) {
  const size_t stride = qkv_stride(c), cols = (size_t)((c->heads + 2 * c->kv_heads) * c->head_dim);
  buffer_pair qkv = buffer_new((size_t)rows * stride * 4), table = buffer_new((size_t)(c->context * c->rotary) * 4);
  fill_floats(qkv, (size_t)rows, cols, stride, kind);
  fill_floats(table, 1, (size_t)(c->context * c->rotary), 0, VALUES_UNIT);
  buffer_pair k = make_cache(c, c->k_type, true, pos, VALUES_UNIT),
              v = make_cache(c, c->v_type, false, pos, VALUES_UNIT);
  typedef void (*rope)(void *, const void *, void *, void *, int32_t, int32_t, int32_t, int32_t);
  ((rope)c->kernel)(qkv.kernel, table.kernel, k.kernel, v.kernel, rows, pos, 0, rows / 2);
  ((rope)c->kernel)(qkv.kernel, table.kernel, k.kernel, v.kernel, rows, pos, rows / 2, rows);
  hr_ref_rope_append((float *)qkv.reference, (float *)table.reference, k.reference, v.reference, rows, pos, 0, rows,
                     c->heads, c->kv_heads, c->head_dim, c->rotary, c->context, c->k_type, c->v_type);
  expect_equal(c, "qkv", qkv, 4);
  expect_equal(c, "k", k, element_bytes(c->k_type));
  expect_equal(c, "v", v, element_bytes(c->v_type));
  buffer_free(&qkv), buffer_free(&table), buffer_free(&k), buffer_free(&v);
}

static void check_attend(const kernel_case *c, int32_t pos, int32_t rows, enum value_kind kind) {
  const size_t stride = qkv_stride(c), cols = (size_t)((c->heads + 2 * c->kv_heads) * c->head_dim);
  const size_t out_stride = (size_t)hr_ref_pad32(c->heads * c->head_dim);
  buffer_pair qkv = buffer_new((size_t)rows * stride * 4), out = buffer_new((size_t)rows * out_stride * 4);
  fill_floats(qkv, (size_t)rows, cols, stride, kind);
  memset(out.kernel, 0x22, out.bytes);
  buffer_pair k = make_cache(c, c->k_type, true, pos + rows, kind),
              v = make_cache(c, c->v_type, false, pos + rows, VALUES_UNIT);
  const int32_t tiles = c->heads * rows, middle = tiles / 3;
  typedef void (*attend)(const void *, const void *, const void *, void *, int32_t, int32_t, int32_t, int32_t);
  ((attend)c->kernel)(qkv.kernel, k.kernel, v.kernel, out.kernel, rows, pos, 0, middle);
  ((attend)c->kernel)(qkv.kernel, k.kernel, v.kernel, out.kernel, rows, pos, middle, tiles);
  hr_ref_attend((float *)qkv.reference, k.reference, v.reference, (float *)out.reference, rows, pos, 0, tiles, c->heads,
                c->kv_heads, c->head_dim, c->context, c->k_type, c->v_type, c->scale);
  expect_equal(c, "output", out, 4);
  buffer_free(&qkv), buffer_free(&out), buffer_free(&k), buffer_free(&v);
}

void check_attention(const kernel_case *c) {
  static const int32_t positions[] = {0, 1, 30, 31, 32, 63, 95, 127, 128, 200, 311};
  for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
    const int32_t rows = i % 3 == 0 ? 3 : i % 3 == 1 ? 1 : 9;
    void (*const check)(const kernel_case *, int32_t, int32_t, enum value_kind) =
        c->family == FAMILY_ATTEND ? check_attend : check_rope;
    check(c, positions[i], rows, i % 4 == 3 ? VALUES_WIDE : VALUES_UNIT);
  }
  if (c->family == FAMILY_ROPE_APPEND) { /* halves that overflow, and denormal ones */
    check_rope(c, 40, 2, VALUES_SPARSE);
    check_rope(c, 40, 2, VALUES_TINY);
  }
}
