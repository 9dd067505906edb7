// Fused multiply-adds of numpy arrays for the exact oracle (fma.py): numpy has none, and one made of float64 operations
// rounds twice.
#include <math.h>
#include <stdint.h>

#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("arch=haswell", "default")))
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

// out = a * b + c over n[0] x n[1] x n[2] elements; out is contiguous, the others have steps in elements (0:
// broadcast).
void hr_oracle_fma(const int64_t *n, const float *a, const int64_t *sa, const float *b, const int64_t *sb,
                   const float *c, const int64_t *sc, float *out) {
  for (int64_t i = 0; i < n[0]; ++i)
    for (int64_t j = 0; j < n[1]; ++j, out += n[2])
      row(n[2], a + i * sa[0] + j * sa[1], sa[2], b + i * sb[0] + j * sb[1], sb[2], c + i * sc[0] + j * sc[1], sc[2],
          out);
}
