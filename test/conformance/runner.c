/* Runs all cases of the linked table: `runner` checks, `runner --bench` times. */
#include "test/conformance/runner.h"
#include "runtime/abi/hr_abi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 192 };
static uint64_t random_state = 0x9e3779b97f4a7c15u;
static int failures, checks;
static const char *current;
static int reported;

uint32_t random_bits(void) { /* xorshift64*: the same numbers on every machine */
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (uint32_t)(random_state * 0x2545f4914f6cdd1du >> 32);
}

float random_float(enum value_kind kind) {
  const float unit = (float)(int32_t)random_bits() * 0x1p-31f;
  switch (kind) {
  case VALUES_WIDE: /* 2^-16 .. 2^15 times it */
    return unit * hr_ref_exp2i((int32_t)(random_bits() % 32) - 16);
  case VALUES_TINY: /* around the denormals */
    return unit * hr_ref_exp2i(-120) * 0x1p-8f;
  case VALUES_SPARSE: /* zeros of both signs, small integers and one large value now and then */
    switch (random_bits() % 4) {
    case 0:
      return 0.0f;
    case 1:
      return -0.0f;
    case 2:
      return (float)((int32_t)(random_bits() % 7) - 3);
    default:
      return random_bits() % 16 ? unit : unit * 0x1p60f;
    }
  default:
    return unit;
  }
}

static char *guarded(size_t bytes) {
  const size_t room = (bytes + 63) / 64 * 64 + 2 * GUARD;
  char *base = aligned_alloc(64, room);
  if (!base)
    abort();
  memset(base, 0xa5, room);
  memset(base + GUARD, 0, bytes);
  return base + GUARD;
}

buffer_pair buffer_new(size_t bytes) {
  buffer_pair b = {guarded(bytes), guarded(bytes), bytes};
  return b;
}

void buffer_sync(buffer_pair b) { memcpy(b.reference, b.kernel, b.bytes); }

void buffer_free(buffer_pair *b) {
  free(b->kernel - GUARD);
  free(b->reference - GUARD);
}

void fill_floats(buffer_pair b, size_t rows, size_t cols, size_t stride, enum value_kind kind) {
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < cols; i++)
      ((float *)b.kernel)[r * stride + i] = random_float(kind);
  buffer_sync(b);
}

static void report(const kernel_case *c, const char *what) {
  failures++;
  if (current != c->name) {
    current = c->name;
    reported = 0;
  }
  if (reported++ < 3)
    printf("FAIL %s: %s: %s\n", kernel_variant, c->name, what);
}

void expect(const kernel_case *c, const char *what, bool ok) {
  checks++;
  if (!ok)
    report(c, what);
}

/* Two NaNs are equal (their bits are unspecified) when elements are floats or halves. */
static bool same(const char *a, const char *b, size_t element_bytes) {
  if (memcmp(a, b, element_bytes) == 0)
    return true;
  if (element_bytes == 4) {
    float x, y;
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    return x != x && y != y;
  }
  if (element_bytes == 2) {
    uint16_t x, y;
    memcpy(&x, a, 2);
    memcpy(&y, b, 2);
    return (x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00;
  }
  return false;
}

void expect_equal(const kernel_case *c, const char *what, buffer_pair b, size_t element_bytes) {
  char text[160];
  checks++;
  for (size_t i = 0; i + element_bytes <= b.bytes; i += element_bytes)
    if (!same(b.kernel + i, b.reference + i, element_bytes)) {
      uint32_t x = 0, y = 0;
      memcpy(&x, b.kernel + i, element_bytes);
      memcpy(&y, b.reference + i, element_bytes);
      snprintf(text, sizeof text, "%s: element %zu: expected %08x (%g), found %08x (%g)", what, i / element_bytes, y,
               (double)hr_ref_float(y), x, (double)hr_ref_float(x));
      report(c, text);
      return;
    }
  for (size_t i = 0; i < GUARD; i++)
    if (b.kernel[-1 - (ptrdiff_t)i] != (char)0xa5 || b.kernel[b.bytes + i] != (char)0xa5) {
      snprintf(text, sizeof text, "%s: wrote outside of its buffer, %zu bytes off", what, i);
      report(c, text);
      return;
    }
}

#if defined(__x86_64__)
static bool machine_can(void) {
  __builtin_cpu_init();
  if ((kernel_cpu_features & HR_CPU_X86_AVX_VNNI) && !__builtin_cpu_supports("avxvnni"))
    return false;
  if ((kernel_cpu_features & HR_CPU_X86_AVX512_VNNI) && !__builtin_cpu_supports("avx512vnni"))
    return false;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
static bool machine_can(void) { return true; } /* qemu is told what to be */
#endif

int main(int argc, char **argv) {
  if (!machine_can()) {
    printf("skipped: this machine lacks the instructions of %s\n", kernel_variant);
    return 77;
  }
  if (argc > 1 && strcmp(argv[1], "--bench") == 0)
    return run_benchmarks();
  for (int i = 0; i < kernel_case_count; i++) {
    const kernel_case *c = &kernel_cases[i];
    if (argc > 1 && !strstr(c->name, argv[1]))
      continue;
    if (c->family == FAMILY_GEMV || c->family == FAMILY_GEMM)
      check_matmul(c);
    else if (c->family == FAMILY_ROPE_APPEND || c->family == FAMILY_ATTEND)
      check_attention(c);
    else
      check_rows(c);
  }
  printf("%s: %d kernels, %d checks, %d failures\n", kernel_variant, kernel_case_count, checks, failures);
  return failures != 0;
}
