/* hr_internal.h - what the files of runtime/core share and nobody else sees. */
#ifndef HR_INTERNAL_H
#define HR_INTERNAL_H
#include "headrace.h"
#include "hr_device.h"
#include "hr_pure.h"
#include "hr_small.h"

#include <stdatomic.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

#define HR_CACHE_LINE 64u
#define HR_MAX_SECTIONS 1024u

/* Counter barrier: the last of `threads` to arrive resets the count and moves the generation on; the others wait for
 * that. The two words lie on lines of their own, because waiting threads read one while late ones still write the
 * other. */
struct hr_barrier {
  _Atomic uint32_t arrived;
  char pad0[HR_CACHE_LINE - sizeof(uint32_t)];
  _Atomic uint32_t generation;
  char pad1[HR_CACHE_LINE - sizeof(uint32_t)];
  void (*yield)(void *context); /* may be 0 */
  void *context;
};

struct hr_model {
  const hr_library *library;
  const uint8_t *weights;
  hr_port port;
  uint32_t threads;
  uint32_t chunk;                /* most rows of a body step, 1 .. rows of the largest body */
  int32_t fault[HR_MAX_THREADS]; /* hr_step.fault of the last step */
  int32_t fault_site;            /* fault of the last failed call: 0, or 1 + site */
  void **base;                   /* [base_count]; KV entries are 0: a session fills its own copy */
  void *scratch;                 /* sampler's candidates, then the text of one token */
  size_t scratch_bytes;
  hr_tokenizer tokenizer; /* data is 0: the bundle has none */
  uint32_t share[HR_MAX_THREADS + 1];
  uint32_t share_one[2]; /* of a step on one thread */
  struct hr_barrier barrier;
};

struct hr_session {
  hr_model *model;
  void **base;          /* [base_count] */
  int32_t *ids;         /* [max_positions + 1]: of the positions, then the pending one */
  const float *logits;  /* of the last row computed, or 0 */
  uint32_t length;      /* positions filled */
  uint32_t steps;       /* body entries run so far, modulo 2^32 */
  uint32_t hidden_rows; /* of the last hr_embed */
  bool pending;         /* ids[length] was generated, and has no position yet */
  uint64_t draws;       /* where the draws of the last generation stand */
  _Atomic uint32_t cancelled;
};

/* A bump allocator over the caller's memory. With memory = 0 it only adds up what would be needed, which may be more
 * than this machine can address: UINT64_MAX when even 64 bits do not hold it. */
typedef struct hr_bump {
  uint8_t *memory;
  uint64_t used;
} hr_bump;
void *hr_bump_take(hr_bump *bump, uint64_t bytes, uint64_t align);

/* Bytes that hr_open and hr_session_open need. */
uint64_t hr_arena_need(const hr_library *library);
uint64_t hr_session_need(const hr_library *library);

/* Runs one step of an entry on all threads. row0: see hr_step. */
hr_status hr_run_entry(hr_session *session, const hr_entry *entry, uint32_t n_valid, uint32_t pos, uint32_t row0);

/* Smallest entry of a kind that takes `rows` rows, or the largest there is; 0 when the library has none of that kind.
 */
const hr_entry *hr_find_entry(const hr_library *library, uint32_t kind, uint32_t rows);

/* hr_append without its checks of arguments and without forgetting an earlier cancel. */
hr_status hr_append_steps(hr_session *session, const int32_t *ids, uint32_t n, int rows, hr_rows_fn on_rows,
                          void *user);

/* Are all ids in the vocabulary? And: they become the input of the next body step. */
bool hr_valid_ids(const hr_library *library, const int32_t *ids, uint32_t n);
void hr_put_tokens(const hr_session *session, const int32_t *ids, uint32_t n);

hr_status hr_blob_check(const void *weights, size_t weight_bytes, hr_problem *problem);
const hr_blob_section *hr_blob_sections(const void *weights);

static inline void hr_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

/* The float contract (runtime/abi/README.md) asks for rounding to nearest and denormals; what mode the caller's thread
 * is in is the caller's business. Enter gives the mode to restore. The clobbers keep loads and stores of floats inside.
 */
typedef uint64_t hr_float_mode;
static inline hr_float_mode hr_float_enter(void) {
#if defined(__x86_64__)
  uint32_t saved, plain = 0x1f80; /* all exceptions masked */
  __asm__ volatile("stmxcsr %0\n\tldmxcsr %1" : "=m"(saved) : "m"(plain) : "memory");
  return saved;
#elif defined(__aarch64__)
  uint64_t saved;
  __asm__ volatile("mrs %0, fpcr\n\tmsr fpcr, xzr" : "=&r"(saved) : : "memory");
  return saved;
#else
  return 0;
#endif
}
static inline void hr_float_leave(hr_float_mode mode) {
#if defined(__x86_64__)
  uint32_t saved = (uint32_t)mode;
  __asm__ volatile("ldmxcsr %0" : : "m"(saved) : "memory");
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory");
#else
  (void)mode;
#endif
}

static inline uint64_t hr_now(const hr_model *model) {
  return model->port.now_ns ? model->port.now_ns(model->port.context) : 0;
}

#pragma GCC visibility pop
#endif
