/* gemv and gemm against the reference: all row counts around the register blocks, operands from ordinary to extreme. */
#include "test/conformance/runner.h"
#include <string.h>

/* A half that is finite; about one in eight is a denormal or a zero. */
static uint16_t random_half(void) {
  const uint32_t bits = random_bits(), sign = bits >> 31 << 15;
  const uint32_t exponent = bits % 8 == 0 ? 0 : 8 + (bits >> 8) % 10;
  return (uint16_t)(sign | exponent << 10 | (bits >> 16 & 1023u));
}

static void fill_quants(const kernel_case *c, uint8_t *tile, int32_t first_row, int32_t valid_rows, bool extreme) {
  const size_t bytes = hr_ref_quant_bytes(c->enc, c->k), atom = c->enc == HR_REF_W8 ? 4 : 8;
  const uint8_t zero = c->enc == HR_REF_W4 ? 8 : 0;
  for (size_t i = 0; i < bytes; i++) {
    const int32_t k = (int32_t)(i / 128 * atom + i % 4), row = first_row + (int32_t)(i % 128 / 4);
    const uint32_t bits = random_bits();
    if (c->enc == HR_REF_W8) {
      const uint8_t code = extreme ? (bits & 1 ? 255 : 0) : (uint8_t)bits; /* 0: -128 */
      tile[i] = k < c->k && row < valid_rows ? code : 128;
    } else {
      const uint8_t low = extreme ? (bits & 1 ? 15 : 0) : bits & 15,
                    high = extreme ? (bits & 2 ? 15 : 0) : bits >> 4 & 15;
      tile[i] = (uint8_t)((k < c->k && row < valid_rows ? low : zero) | (k + 4 < c->k && row < valid_rows ? high : zero)
                                                                            << 4);
    }
  }
  uint16_t *scales = (uint16_t *)(tile + hr_ref_quant_bytes(c->enc, c->k));
  const int32_t count = hr_ref_groups(c->k, c->group) * 32;
  for (int32_t i = 0; i < count; i++)
    scales[i] = first_row + i % 32 < valid_rows ? random_half() & 0x7fff : 0;
  const bool minima = c->enc == HR_REF_W4A, zeros = c->enc == HR_REF_W4Z;
  for (int32_t i = count; (minima || zeros) && i < 2 * count; i++) {
    const uint16_t offset =
        minima ? random_half() : hr_ref_float_to_half(extreme ? random_bits() % 2 * 15 : random_bits() % 16);
    scales[i] = first_row + i % 32 < valid_rows ? offset : 0;
  }
}

static void fill_elements(const kernel_case *c, uint8_t *tile, int32_t first_row, int32_t valid_rows) {
  for (int32_t i = 0; i < c->k * 32; i++) {
    const bool valid = first_row + i % 32 < valid_rows;
    if (c->enc == HR_REF_F32)
      ((float *)tile)[i] = valid ? random_float(i % 7 ? VALUES_UNIT : VALUES_WIDE) : 0.0f;
    else
      ((uint16_t *)tile)[i] = valid ? random_half() : 0;
  }
}

/* Valid rows: for a gated weight of each of the two matrices. */
buffer_pair make_weights(const kernel_case *c, int32_t rows, int32_t valid_rows, bool extreme) {
  const size_t tile_bytes = hr_ref_tile_bytes(c->enc, c->group, c->k);
  buffer_pair w = buffer_new((size_t)(rows / 32) * tile_bytes);
  for (int32_t t = 0; t < rows / 32; t++) {
    uint8_t *tile = (uint8_t *)w.kernel + (size_t)t * tile_bytes;
    const int32_t tiles = hr_ref_pad32(c->n) / 32;
    const int32_t first_row = (c->gated ? t / 2 : t) % (c->experts ? tiles : rows) * 32;
    if (c->enc < HR_REF_W8)
      fill_elements(c, tile, first_row, valid_rows);
    else
      fill_quants(c, tile, first_row, valid_rows, extreme);
  }
  buffer_sync(w);
  return w;
}

static buffer_pair make_x(const kernel_case *c, int32_t rows, enum value_kind kind, bool extreme) {
  const size_t floats = (size_t)hr_ref_pad32(c->k);
  buffer_pair x = buffer_new((size_t)rows * floats * 4);
  fill_floats(x, (size_t)rows, (size_t)c->k, floats, kind);
  if (extreme)
    for (size_t i = 0; i < (size_t)rows * floats; i++)
      if (i % floats < (size_t)c->k)
        ((float *)x.kernel)[i] = random_bits() & 1 ? 3.0f : -3.0f; /* codes 127 and -127 */
  if (c->x_type == HR_REF_F32) {
    buffer_sync(x);
    return x;
  }
  const size_t stride = hr_ref_a8_stride(c->k, c->group);
  buffer_pair q = buffer_new((size_t)rows * stride);
  for (size_t r = 0; r < (size_t)rows; r++)
    hr_ref_quantize_row((float *)x.kernel + r * floats, q.kernel + r * stride, c->k, c->group);
  buffer_free(&x);
  buffer_sync(q);
  return q;
}

typedef void (*matmul3)(const void *, const void *, void *, int32_t, int32_t, int32_t, int32_t);
typedef void (*matmul4)(const void *, const void *, const void *, void *, int32_t, int32_t, int32_t, int32_t);
typedef void (*matmul5)(const void *, const void *, const void *, const void *, void *, int32_t, int32_t, int32_t,
                        int32_t);

void call_matmul(const kernel_case *c, const char *w, const char *bias, const char *x, const char *residual, char *out,
                 int32_t rows, int32_t begin, int32_t end) {
  if (c->bias && c->residual)
    ((matmul5)c->kernel)(w, bias, x, residual, out, rows, 0, begin, end);
  else if (c->bias)
    ((matmul4)c->kernel)(w, bias, x, out, rows, 0, begin, end);
  else if (c->residual)
    ((matmul4)c->kernel)(w, x, residual, out, rows, 0, begin, end);
  else
    ((matmul3)c->kernel)(w, x, out, rows, 0, begin, end);
}

void call_experts(const kernel_case *c, const char *w, const char *x, const char *route, const char *residual,
                  char *out, int32_t rows, int32_t begin, int32_t end) {
  if (c->residual)
    ((matmul5)c->kernel)(w, x, route, residual, out, rows, 0, begin, end);
  else
    ((matmul4)c->kernel)(w, x, route, out, rows, 0, begin, end);
}

/* A share and an expert for each row, as choice 1 of c->top. */
enum { SLOT = 1 };
static buffer_pair make_route(const kernel_case *c, int32_t rows) {
  const size_t stride = (size_t)hr_ref_pad32(2 * c->top);
  buffer_pair route = buffer_new((size_t)rows * stride * 4);
  for (size_t r = 0; r < (size_t)rows; r++) {
    ((float *)route.kernel)[r * stride + SLOT] = random_float(VALUES_UNIT);
    ((float *)route.kernel)[r * stride + (size_t)c->top + SLOT] = (float)(random_bits() % (uint32_t)c->experts);
  }
  buffer_sync(route);
  return route;
}

static void check_one(const kernel_case *c, int32_t rows, enum value_kind kind, bool extreme) {
  const int32_t padded = hr_ref_pad32(c->n), tiles = padded / 32;
  const int32_t weight_rows = (c->gated ? 2 : 1) * padded * (c->experts ? c->experts : 1);
  const size_t row_floats = (size_t)padded;
  buffer_pair w = make_weights(c, weight_rows, c->n, extreme), x = make_x(c, rows, kind, extreme);
  buffer_pair bias = buffer_new((size_t)weight_rows * 4), residual = buffer_new((size_t)rows * row_floats * 4);
  buffer_pair out = buffer_new((size_t)rows * row_floats * 4), route = {0};
  if (c->experts)
    route = make_route(c, rows);
  for (int32_t i = 0; i < weight_rows; i++) /* a gated bias follows the interleaving of the weight */
    if ((c->gated ? i / 64 * 32 + i % 32 : i) < c->n)
      ((float *)bias.kernel)[i] = random_float(VALUES_UNIT);
  buffer_sync(bias);
  fill_floats(residual, (size_t)rows, (size_t)c->n, row_floats, VALUES_UNIT);
  const int32_t middle = tiles / 3;
  for (int part = 0; part < 2; part++) {
    const int32_t begin = part ? middle : 0, end = part ? tiles : middle;
    if (c->experts)
      call_experts(c, w.kernel, x.kernel, route.kernel + 4 * SLOT, residual.kernel, out.kernel, rows, begin, end);
    else
      call_matmul(c, w.kernel, bias.kernel, x.kernel, residual.kernel, out.kernel, rows, begin, end);
  }
  void (*const reference)(const void *, const float *, const void *, const float *, const float *, float *, int32_t,
                          int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t,
                          int32_t, int32_t, float) = c->family == FAMILY_GEMV ? hr_ref_gemv : hr_ref_gemm;
  reference(w.reference, c->bias ? (float *)bias.reference : NULL, x.reference,
            c->experts ? (float *)route.reference + SLOT : NULL, c->residual ? (float *)residual.reference : NULL,
            (float *)out.reference, rows, 0, 0, tiles, c->enc, c->group, c->x_type, c->n, c->k, c->act, c->gated,
            c->top, c->weighted, c->softcap);
  expect_equal(c, extreme ? "output, extreme codes" : "output", out, 4);
  buffer_free(&w), buffer_free(&x), buffer_free(&bias), buffer_free(&residual), buffer_free(&out);
  if (c->experts)
    buffer_free(&route);
}

void check_matmul(const kernel_case *c) {
  static const int32_t row_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 33};
  const size_t counts = c->family == FAMILY_GEMV ? 1 : sizeof row_counts / sizeof *row_counts;
  for (size_t i = 0; i < counts; i++)
    check_one(c, row_counts[i], (enum value_kind)(i % VALUE_KINDS), false);
  for (int kind = 0; kind < VALUE_KINDS; kind++)
    check_one(c, 1, (enum value_kind)kind, false);
  check_one(c, c->family == FAMILY_GEMV ? 1 : 9, VALUES_UNIT, true);
}
