/* embed, norm, quantize, add and route against the reference. */
#include "test/conformance/runner.h"
#include <math.h>
#include <string.h>

enum { ROWS = 5, SITE = 41 };

static void call_embed(const kernel_case *c, const void *table, const void *positions, const void *tokens, void *out,
                       int32_t pos, int32_t begin, int32_t end) {
  typedef void (*embed3)(const void *, const void *, void *, int32_t, int32_t, int32_t, int32_t);
  typedef void (*embed4)(const void *, const void *, const void *, void *, int32_t, int32_t, int32_t, int32_t);
  if (c->positions)
    ((embed4)c->kernel)(table, positions, tokens, out, ROWS, pos, begin, end);
  else
    ((embed3)c->kernel)(table, tokens, out, ROWS, pos, begin, end);
}

/* The last row stands at the last of the positions, so that a read beyond them is a read beyond the buffer. */
static void check_embed(const kernel_case *c) {
  enum { POS = 3 };
  const size_t stride = (size_t)hr_ref_pad32(c->k);
  buffer_pair table = make_weights(c, hr_ref_pad32(c->n), c->n, false), tokens = buffer_new(ROWS * 4);
  buffer_pair positions = buffer_new((size_t)(POS + ROWS) * (size_t)c->k * 4), out = buffer_new(ROWS * stride * 4);
  for (int i = 0; i < ROWS; i++)
    ((int32_t *)tokens.kernel)[i] = i == 0 ? c->n - 1 : i == 1 ? 0 : (int32_t)(random_bits() % (uint32_t)c->n);
  memset(out.kernel, 0x11, out.bytes);
  buffer_sync(tokens);
  fill_floats(positions, POS + ROWS, (size_t)c->k, (size_t)c->k, VALUES_UNIT);
  call_embed(c, table.kernel, positions.kernel, tokens.kernel, out.kernel, POS, 0, 2);
  call_embed(c, table.kernel, positions.kernel, tokens.kernel, out.kernel, POS, 2, ROWS);
  hr_ref_embed(table.reference, c->positions ? (float *)positions.reference : NULL, (int32_t *)tokens.reference,
               (float *)out.reference, ROWS, POS, 0, ROWS, c->enc, c->group, c->n, c->k, c->scale);
  expect_equal(c, "output", out, 4);
  buffer_free(&table), buffer_free(&tokens), buffer_free(&positions), buffer_free(&out);
}

static void check_add(const kernel_case *c) {
  const size_t stride = (size_t)hr_ref_pad32(c->cols);
  buffer_pair a = buffer_new(ROWS * stride * 4), b = buffer_new(ROWS * stride * 4), out = buffer_new(ROWS * stride * 4);
  fill_floats(a, ROWS, (size_t)c->cols, stride, VALUES_WIDE);
  fill_floats(b, ROWS, (size_t)c->cols, stride, VALUES_UNIT);
  typedef void (*add)(const void *, const void *, void *, int32_t, int32_t, int32_t, int32_t);
  ((add)c->kernel)(a.kernel, b.kernel, out.kernel, ROWS, 0, 0, 3);
  ((add)c->kernel)(a.kernel, b.kernel, out.kernel, ROWS, 0, 3, ROWS);
  hr_ref_add((float *)a.reference, (float *)b.reference, (float *)out.reference, ROWS, 0, 0, ROWS, c->cols);
  expect_equal(c, "output", out, 4);
  buffer_free(&a), buffer_free(&b), buffer_free(&out);
}

static void call_norm(const kernel_case *c, const void *x, const void *residual, const void *weight, const void *bias,
                      void *sum, void *out, int32_t *fault) {
  typedef void (*norm4)(const void *, const void *, void *, int32_t *, int32_t, int32_t, int32_t, int32_t, int32_t);
  typedef void (*norm5)(const void *, const void *, const void *, void *, int32_t *, int32_t, int32_t, int32_t, int32_t,
                        int32_t);
  typedef void (*norm6)(const void *, const void *, const void *, void *, void *, int32_t *, int32_t, int32_t, int32_t,
                        int32_t, int32_t);
  typedef void (*norm7)(const void *, const void *, const void *, const void *, void *, void *, int32_t *, int32_t,
                        int32_t, int32_t, int32_t, int32_t);
  if (c->residual && c->bias)
    ((norm7)c->kernel)(x, residual, weight, bias, sum, out, fault, SITE, ROWS, 0, 0, ROWS);
  else if (c->residual)
    ((norm6)c->kernel)(x, residual, weight, sum, out, fault, SITE, ROWS, 0, 0, ROWS);
  else if (c->bias)
    ((norm5)c->kernel)(x, weight, bias, out, fault, SITE, ROWS, 0, 0, ROWS);
  else
    ((norm4)c->kernel)(x, weight, out, fault, SITE, ROWS, 0, 0, ROWS);
}

/* bad: a value put into row 2; 0 for none. */
static void check_norm(const kernel_case *c, enum value_kind kind, float bad, bool in_place) {
  const size_t stride = (size_t)hr_ref_pad32(c->cols), floats = ROWS * stride * 4;
  buffer_pair x = buffer_new(floats), residual = buffer_new(floats), weight = buffer_new(stride * 4),
              bias = buffer_new(stride * 4), sum = buffer_new(floats);
  buffer_pair out = buffer_new(c->a8 ? ROWS * hr_ref_a8_stride(c->cols, c->group) : floats), fault = buffer_new(4);
  fill_floats(x, ROWS, (size_t)c->cols, stride, kind);
  if (bad != 0.0f)
    ((float *)x.kernel)[2 * stride + (size_t)c->cols - 1] = bad;
  buffer_sync(x);
  fill_floats(residual, ROWS, (size_t)c->cols, stride, VALUES_UNIT);
  fill_floats(weight, 1, (size_t)c->cols, stride, VALUES_UNIT);
  fill_floats(bias, 1, (size_t)c->cols, stride, VALUES_UNIT);
  call_norm(c, x.kernel, residual.kernel, weight.kernel, bias.kernel, in_place ? x.kernel : sum.kernel, out.kernel,
            (int32_t *)fault.kernel);
  hr_ref_norm((float *)x.reference, c->residual ? (float *)residual.reference : NULL, (float *)weight.reference,
              c->bias ? (float *)bias.reference : NULL,
              c->residual ? (float *)(in_place ? x.reference : sum.reference) : NULL, out.reference,
              (int32_t *)fault.reference, SITE, ROWS, 0, 0, ROWS, c->cols, c->a8 ? c->group : 0, c->kind, c->eps);
  expect_equal(c, "fault", fault, 4);
  if (bad == 0.0f) {
    expect_equal(c, "sum", in_place ? x : sum, 4);
    expect_equal(c, "output", out, c->a8 ? 1 : 4);
  } else {
    expect(c, "a fault is reported", *(int32_t *)fault.kernel == SITE + 1);
  }
  buffer_free(&x), buffer_free(&residual), buffer_free(&weight), buffer_free(&bias), buffer_free(&sum),
      buffer_free(&out), buffer_free(&fault);
}

static void check_quantize(const kernel_case *c, enum value_kind kind, float bad) {
  const size_t stride = (size_t)hr_ref_pad32(c->cols), row_bytes = hr_ref_a8_stride(c->cols, c->group);
  buffer_pair x = buffer_new(ROWS * stride * 4), out = buffer_new(ROWS * row_bytes), fault = buffer_new(4);
  fill_floats(x, ROWS, (size_t)c->cols, stride, kind);
  float *rows = (float *)x.kernel;
  for (int32_t i = 0; i < c->group && i < c->cols; i++)
    rows[i] = 0.0f;             /* a group of zeros */
  rows[stride + 3] = 0x1p-140f; /* lies among ordinary values, or decides an amax among denormals */
  if (bad != 0.0f)
    rows[3 * stride + 1] = bad;
  buffer_sync(x);
  typedef void (*quantize)(const void *, void *, int32_t *, int32_t, int32_t, int32_t, int32_t, int32_t);
  ((quantize)c->kernel)(x.kernel, out.kernel, (int32_t *)fault.kernel, SITE, ROWS, 0, 0, 2);
  ((quantize)c->kernel)(x.kernel, out.kernel, (int32_t *)fault.kernel, SITE, ROWS, 0, 2, ROWS);
  hr_ref_quantize((float *)x.reference, out.reference, (int32_t *)fault.reference, SITE, ROWS, 0, 0, ROWS, c->cols,
                  c->group);
  expect_equal(c, "fault", fault, 4);
  expect_equal(c, "output", out, 1);
  expect(c, "a fault exactly when a value is not finite", (*(int32_t *)fault.kernel == SITE + 1) == (bad != 0.0f));
  buffer_free(&x), buffer_free(&out), buffer_free(&fault);
}

/* Row 1 has equal scores everywhere, row 2 two greatest ones, row 3 one that is far above all others. */
static void check_route(const kernel_case *c, enum value_kind kind) {
  const size_t stride = (size_t)hr_ref_pad32(c->experts), out_stride = (size_t)hr_ref_pad32(2 * c->top);
  buffer_pair scores = buffer_new(ROWS * stride * 4), out = buffer_new(ROWS * out_stride * 4);
  fill_floats(scores, ROWS, (size_t)c->experts, stride, kind);
  float *rows = (float *)scores.kernel;
  for (size_t e = 0; e < (size_t)c->experts; e++)
    rows[stride + e] = 1.5f;
  rows[2 * stride] = rows[3 * stride - stride + (size_t)c->experts - 1] = 1e5f;
  rows[3 * stride + (size_t)c->experts / 2] = 300.0f;
  memset(out.kernel, 0x11, out.bytes);
  buffer_sync(scores);
  typedef void (*route)(const void *, void *, int32_t, int32_t, int32_t, int32_t);
  ((route)c->kernel)(scores.kernel, out.kernel, ROWS, 0, 0, 2);
  ((route)c->kernel)(scores.kernel, out.kernel, ROWS, 0, 2, ROWS);
  hr_ref_route((float *)scores.reference, (float *)out.reference, ROWS, 0, 0, ROWS, c->experts, c->top, c->normalise);
  expect_equal(c, "output", out, 4);
  buffer_free(&scores), buffer_free(&out);
}

/* Scores that are not finite still choose experts that there are. */
static void check_route_of(const kernel_case *c, float score) {
  const size_t stride = (size_t)hr_ref_pad32(c->experts), out_stride = (size_t)hr_ref_pad32(2 * c->top);
  buffer_pair scores = buffer_new(ROWS * stride * 4), out = buffer_new(ROWS * out_stride * 4);
  for (size_t i = 0; i < ROWS * stride; i++)
    ((float *)scores.kernel)[i] = i % 3 ? score : 1.0f;
  typedef void (*route)(const void *, void *, int32_t, int32_t, int32_t, int32_t);
  ((route)c->kernel)(scores.kernel, out.kernel, ROWS, 0, 0, ROWS);
  for (size_t i = 0; i < ROWS * (size_t)c->top; i++) {
    const float chosen = ((float *)out.kernel)[i / (size_t)c->top * out_stride + (size_t)c->top + i % (size_t)c->top];
    expect(c, "numbers of experts", chosen >= 0 && chosen < (float)c->experts && chosen == (float)(int)chosen);
  }
  buffer_free(&scores), buffer_free(&out);
}

void check_rows(const kernel_case *c) {
  if (c->family == FAMILY_EMBED) {
    check_embed(c);
  } else if (c->family == FAMILY_ADD) {
    check_add(c);
  } else if (c->family == FAMILY_ROUTE) {
    for (int kind = 0; kind < VALUE_KINDS; kind++)
      check_route(c, (enum value_kind)kind);
    check_route_of(c, NAN);
    check_route_of(c, INFINITY);
    check_route_of(c, -INFINITY);
  } else if (c->family == FAMILY_NORM) {
    for (int kind = 0; kind < VALUE_KINDS; kind++)
      check_norm(c, (enum value_kind)kind, 0.0f, kind == VALUES_WIDE);
    check_norm(c, VALUES_UNIT, INFINITY, false);
    check_norm(c, VALUES_UNIT, NAN, false);
    check_norm(c, VALUES_UNIT, 1e30f, false); /* its square overflows */
  } else {
    for (int kind = 0; kind < VALUE_KINDS; kind++)
      check_quantize(c, (enum value_kind)kind, 0.0f);
    check_quantize(c, VALUES_UNIT, -INFINITY);
    check_quantize(c, VALUES_UNIT, NAN);
  }
}
