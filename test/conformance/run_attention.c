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

typedef struct rope_operands {
  void *qkv;
  const void *table, *norms[4];
  void *k, *v;
} rope_operands;

/* The operands that the case has, in the order of the family; four integers follow. */
static void call_rope(const kernel_case *c, const rope_operands *o, int32_t rows, int32_t pos, int32_t begin,
                      int32_t end) {
  typedef void *p;
  p a[8];
  int n = 0;
  a[n++] = o->qkv;
  if (c->rotary)
    a[n++] = (p)o->table;
  for (int i = 0; i < 4; i++)
    if (c->qk_norm != HR_REF_NO_NORM && (i % 2 == 0 || c->qk_bias))
      a[n++] = (p)o->norms[i];
  a[n++] = o->k;
  a[n++] = o->v;
  typedef void (*rope3)(p, p, p, int32_t, int32_t, int32_t, int32_t);
  typedef void (*rope4)(p, p, p, p, int32_t, int32_t, int32_t, int32_t);
  typedef void (*rope5)(p, p, p, p, p, int32_t, int32_t, int32_t, int32_t);
  typedef void (*rope6)(p, p, p, p, p, p, int32_t, int32_t, int32_t, int32_t);
  typedef void (*rope7)(p, p, p, p, p, p, p, int32_t, int32_t, int32_t, int32_t);
  typedef void (*rope8)(p, p, p, p, p, p, p, p, int32_t, int32_t, int32_t, int32_t);
  switch (n) {
  case 3:
    ((rope3)c->kernel)(a[0], a[1], a[2], rows, pos, begin, end);
    break;
  case 4:
    ((rope4)c->kernel)(a[0], a[1], a[2], a[3], rows, pos, begin, end);
    break;
  case 5:
    ((rope5)c->kernel)(a[0], a[1], a[2], a[3], a[4], rows, pos, begin, end);
    break;
  case 6:
    ((rope6)c->kernel)(a[0], a[1], a[2], a[3], a[4], a[5], rows, pos, begin, end);
    break;
  case 7:
    ((rope7)c->kernel)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], rows, pos, begin, end);
    break;
  default:
    ((rope8)c->kernel)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], rows, pos, begin, end);
  }
}

static void check_rope(const kernel_case *c, int32_t pos, int32_t rows, enum value_kind kind) {
  const size_t stride = qkv_stride(c), cols = (size_t)((c->heads + 2 * c->kv_heads) * c->head_dim);
  buffer_pair qkv = buffer_new((size_t)rows * stride * 4), table = buffer_new((size_t)(c->context * c->rotary) * 4);
  fill_floats(qkv, (size_t)rows, cols, stride, kind);
  fill_floats(table, 1, (size_t)(c->context * c->rotary), 0, VALUES_UNIT);
  buffer_pair k = make_cache(c, c->k_type, true, pos, VALUES_UNIT),
              v = make_cache(c, c->v_type, false, pos, VALUES_UNIT), norms[4];
  for (int i = 0; i < 4; i++) { /* weight and bias of q, then of k */
    const size_t columns = (size_t)((i < 2 ? c->heads : c->kv_heads) * c->head_dim);
    norms[i] = buffer_new((size_t)hr_ref_pad32((int32_t)columns) * 4);
    fill_floats(norms[i], 1, columns, 0, VALUES_UNIT);
  }
  rope_operands operands = {qkv.kernel,
                            table.kernel,
                            {norms[0].kernel, norms[1].kernel, norms[2].kernel, norms[3].kernel},
                            k.kernel,
                            v.kernel};
  call_rope(c, &operands, rows, pos, 0, rows / 2);
  call_rope(c, &operands, rows, pos, rows / 2, rows);
  const bool norm = c->qk_norm != HR_REF_NO_NORM, bias = c->qk_bias != 0;
  hr_ref_rope_append((float *)qkv.reference, c->rotary ? (float *)table.reference : NULL,
                     norm ? (float *)norms[0].reference : NULL, bias ? (float *)norms[1].reference : NULL,
                     norm ? (float *)norms[2].reference : NULL, bias ? (float *)norms[3].reference : NULL, k.reference,
                     v.reference, rows, pos, 0, rows, c->heads, c->kv_heads, c->head_dim, c->rotary, c->context,
                     c->k_type, c->v_type, c->qk_norm, c->q_span, c->k_span, c->eps);
  expect_equal(c, "qkv", qkv, 4);
  expect_equal(c, "k", k, element_bytes(c->k_type));
  expect_equal(c, "v", v, element_bytes(c->v_type));
  buffer_free(&qkv), buffer_free(&table), buffer_free(&k), buffer_free(&v);
  for (int i = 0; i < 4; i++)
    buffer_free(&norms[i]);
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
                c->kv_heads, c->head_dim, c->context, c->k_type, c->v_type, c->window, c->causal, c->scale, c->softcap);
  expect_equal(c, "output", out, 4);
  buffer_free(&qkv), buffer_free(&out), buffer_free(&k), buffer_free(&v);
}

void check_attention(const kernel_case *c) {
  void (*const check)(const kernel_case *, int32_t, int32_t, enum value_kind) =
      c->family == FAMILY_ATTEND ? check_attend : check_rope;
  static const int32_t positions[] = {0, 1, 30, 31, 32, 63, 95, 127, 128, 200, 311};
  for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
    const int32_t rows = i % 3 == 0 ? 3 : i % 3 == 1 ? 1 : 9;
    if (c->causal)
      check(c, positions[i], rows, i % 4 == 3 ? VALUES_WIDE : VALUES_UNIT);
    else /* the rows of a step are all there is */
      check(c, 0, positions[i] + 1, i % 4 == 3 ? VALUES_WIDE : VALUES_UNIT);
  }
  if (c->causal && c->family == FAMILY_ATTEND) /* windows that begin in the tiles of one block of queries */
    check(c, 61, 70, VALUES_UNIT);
  if (c->family == FAMILY_ROPE_APPEND) { /* halves that overflow, and denormal ones */
    check_rope(c, 40, 2, VALUES_SPARSE);
    check_rope(c, 40, 2, VALUES_TINY);
  }
}
