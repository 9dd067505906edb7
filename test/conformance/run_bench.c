/* Times the kernels of the table: microseconds, bytes of weights per second, and the ratio to a plain read of as many
 * bytes. */
#include "test/conformance/runner.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads `bytes` with as many independent sums as keep the memory busy. */
static double read_seconds(const char *from, size_t bytes) {
  typedef uint64_t word8 __attribute__((vector_size(64), aligned(8)));
  double best = 1e9;
  for (int repeat = 0; repeat < 5; repeat++) {
    word8 sums[4] = {{0}};
    const double start = seconds();
    for (size_t i = 0; i + 256 <= bytes; i += 256)
      for (size_t j = 0; j < 4; j++)
        sums[j] ^= *(const word8 *)(from + i + 64 * j);
    const double took = seconds() - start;
    __asm__ volatile("" ::"r"(&sums) : "memory");
    best = took < best ? took : best;
  }
  return best;
}

static void bench_matmul(const kernel_case *c) {
  const int32_t padded = hr_ref_pad32(c->n), tiles = padded / 32, rows = c->family == FAMILY_GEMV ? 1 : 128;
  buffer_pair w = make_weights(c, c->gated ? 2 * padded : padded, c->n, false);
  const size_t x_stride = c->x_type == HR_REF_F32 ? (size_t)hr_ref_pad32(c->k) * 4 : hr_ref_a8_stride(c->k, c->group);
  buffer_pair x = buffer_new((size_t)rows * x_stride), out = buffer_new((size_t)rows * (size_t)padded * 4);
  double best = 1e9;
  for (int repeat = 0; repeat < (rows == 1 ? 25 : 3); repeat++) {
    const double start = seconds();
    call_matmul(c, w.kernel, NULL, x.kernel, NULL, out.kernel, rows, 0, tiles);
    const double took = seconds() - start;
    best = took < best ? took : best;
  }
  const double macs = (double)rows * c->k * padded * (c->gated ? 2 : 1);
  printf("%-44s %9.1f us %7.1f GB/s %7.1f GMAC/s  %4.2f of a plain read\n", c->name, best * 1e6,
         (double)w.bytes / best * 1e-9, macs / best * 1e-9, read_seconds(w.kernel, w.bytes) / best);
  buffer_free(&w), buffer_free(&x), buffer_free(&out);
}

static void bench_attend(const kernel_case *c) {
  const size_t stride = (size_t)hr_ref_pad32((c->heads + 2 * c->kv_heads) * c->head_dim),
               cache = (size_t)(c->kv_heads * c->context * c->head_dim);
  buffer_pair qkv = buffer_new(stride * 4), k = buffer_new(cache * 4), v = buffer_new(cache * 4);
  buffer_pair out = buffer_new((size_t)hr_ref_pad32(c->heads * c->head_dim) * 4);
  typedef void (*attend)(const void *, const void *, const void *, void *, int32_t, int32_t, int32_t, int32_t);
  double best = 1e9;
  for (int repeat = 0; repeat < 50; repeat++) {
    const double start = seconds();
    ((attend)c->kernel)(qkv.kernel, k.kernel, v.kernel, out.kernel, 1, c->context - 1, 0, c->heads);
    const double took = seconds() - start;
    best = took < best ? took : best;
  }
  printf("%-44s %9.1f us at %d positions, %.1f ns a head and tile\n", c->name, best * 1e6, c->context,
         best * 1e9 / c->heads / (c->context / 32));
  buffer_free(&qkv), buffer_free(&k), buffer_free(&v), buffer_free(&out);
}

int run_benchmarks(void) {
  printf("%s\n", kernel_variant);
  for (int i = 0; i < kernel_case_count; i++) {
    const kernel_case *c = &kernel_cases[i];
    if ((c->family == FAMILY_GEMV || c->family == FAMILY_GEMM) &&
        (c->family == FAMILY_GEMV || (double)c->n * c->k < 1e8))
      bench_matmul(c);
    else if (c->family == FAMILY_ATTEND)
      bench_attend(c);
  }
  return 0;
}
