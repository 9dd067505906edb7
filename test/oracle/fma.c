// Fused multiply-adds of numpy arrays for the exact oracle (fma.py): numpy has none, and one made of float64 operations
// rounds twice.
#include <math.h>
#include <stdint.h>

#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("fma", "default")))
#else
#define CLONES
#endif

// The common cases of an inner loop, in which the compiler sees steps of 0 or 1.
#define ROW(SA, SB, SC)                                                                                                \
  for (int64_t i = 0; i < n; ++i)                                                                                      \
  out[i] = fmaf(a[i * (SA)], b[i * (SB)], c[i * (SC)])

CLONES static void row(int64_t n, const float *a, int64_t sa, const float *b, int64_t sb, const float *c, int64_t sc,
                       float *out) {
  if (sa == 0 && sb == 1 && sc == 1)
    ROW(0, 1, 1);
  else if (sa == 1 && sb == 1 && sc == 1)
    ROW(1, 1, 1);
  else
    ROW(sa, sb, sc);
}

// out = a * b + c over n[0] x n[1] x n[2] elements; out is contiguous and may be c, the others have steps in elements
// (0: broadcast).
void hr_oracle_fma(const int64_t *n, const float *a, const int64_t *sa, const float *b, const int64_t *sb,
                   const float *c, const int64_t *sc, float *out) {
  for (int64_t i = 0; i < n[0]; ++i)
    for (int64_t j = 0; j < n[1]; ++j, out += n[2])
      row(n[2], a + i * sa[0] + j * sa[1], sa[2], b + i * sb[0] + j * sb[1], sb[2], c + i * sc[0] + j * sc[1], sc[2],
          out);
}

// sums[i] = a[k] * b[k][i] + sums[i] for k ascending; BLOCK columns, whose sums stay in registers.
enum { BLOCK = 32 };
CLONES static void chain(int64_t count, const float *a, const float *b, int64_t sb, float *sums) {
  float held[BLOCK];
  for (int i = 0; i < BLOCK; ++i)
    held[i] = sums[i];
  for (int64_t k = 0; k < count; ++k)
    for (int i = 0; i < BLOCK; ++i)
      held[i] = fmaf(a[k], b[k * sb + i], held[i]);
  for (int i = 0; i < BLOCK; ++i)
    sums[i] = held[i];
}

// The columns beyond whole blocks.
static void chain_one(int64_t count, const float *a, const float *b, int64_t sb, float *sum) {
  for (int64_t k = 0; k < count; ++k)
    *sum = fmaf(a[k], b[k * sb], *sum);
}

// Adds the products of the first counts[r] elements of a[r] and rows of b to sums[r]: n[0] rows of n[1] columns; steps
// in elements.
void hr_oracle_chain(const int64_t *n, const int64_t *counts, const float *a, int64_t sa, const float *b, int64_t sb,
                     float *sums, int64_t ss) {
  for (int64_t r = 0; r < n[0]; ++r) {
    int64_t i = 0;
    for (; i + BLOCK <= n[1]; i += BLOCK)
      chain(counts[r], a + r * sa, b + i, sb, sums + r * ss + i);
    for (; i < n[1]; ++i)
      chain_one(counts[r], a + r * sa, b + i, sb, sums + r * ss + i);
  }
}
