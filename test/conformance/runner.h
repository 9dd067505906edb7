/* runner.h - what the checks of the families share: random values, guarded buffers, verdicts. */
#ifndef HR_CONFORMANCE_RUNNER_H
#define HR_CONFORMANCE_RUNNER_H
#include "targets/reference/kernels/hr_ref_layout.h"
#include "test/conformance/kernel_case.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of float values: mixed exercise of the arithmetic, never NaN or infinity. */
enum value_kind { VALUES_UNIT, VALUES_WIDE, VALUES_TINY, VALUES_SPARSE, VALUE_KINDS };

uint32_t random_bits(void);
float random_float(enum value_kind kind);

/* Two equal zeroed buffers with guard bytes around each: one for the kernel, one for the reference. */
typedef struct buffer_pair {
  char *kernel, *reference;
  size_t bytes;
} buffer_pair;

buffer_pair buffer_new(size_t bytes);
void buffer_sync(buffer_pair b); /* reference := kernel */
void buffer_free(buffer_pair *b);
void fill_floats(buffer_pair b, size_t rows, size_t cols, size_t stride, enum value_kind kind);

/* Equal bits everywhere, guards untouched? Counts and reports the first difference. NaN equals NaN. */
void expect_equal(const kernel_case *c, const char *what, buffer_pair b, size_t element_bytes);
void expect(const kernel_case *c, const char *what, bool ok);

/* A T32 weight of the case's encoding; `rows` is padded to 32 and already doubled when gated. */
buffer_pair make_weights(const kernel_case *c, int32_t rows, int32_t valid_rows, bool extreme);

void check_rows(const kernel_case *c);      /* embed, norm, quantize, add, route */
void check_matmul(const kernel_case *c);    /* gemv, gemm */
void check_attention(const kernel_case *c); /* rope_append, attend */
void call_matmul(const kernel_case *c, const char *w, const char *bias, const char *x, const char *residual, char *out,
                 int32_t rows, int32_t begin, int32_t end);
/* The same for a weight of experts; `route` points to the shares of the launch's choices. */
void call_experts(const kernel_case *c, const char *w, const char *x, const char *route, const char *residual,
                  char *out, int32_t rows, int32_t begin, int32_t end);
int run_benchmarks(void);
#endif
