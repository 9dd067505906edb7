/* hr_pool.h - fork-join over threads that exist already; how a thread sleeps is left to the port that includes this.
 *
 * The caller's thread is thread 0. A round: the caller writes fn and arg, raises `round`, runs its own part and waits
 * until `running` is 0. A worker waits for `round` to move: first spinning (a decode step follows the last one within
 * microseconds), then asleep. A sleeper says so in `asleep` before it looks at `round` once more, and the caller looks
 * at `asleep` after it has raised `round`; both in sequentially consistent order, so that one of the two sees the
 * other.
 */
#ifndef HR_POOL_H
#define HR_POOL_H
#include "hr_abi.h"

#include <stdatomic.h>

enum { hr_pool_spins = 4000, hr_pool_spins_before_yield = 200 };

typedef struct hr_pool {
  _Atomic uint32_t round;
  char pad0[60];
  _Atomic uint32_t running;
  char pad1[60];
  _Atomic uint32_t asleep;
  _Atomic uint32_t closing;
  uint32_t threads;
  void (*fn)(void *arg, uint32_t thread);
  void *arg;
} hr_pool;

/* To be defined by the port: give the processor away once; sleep while *word is `seen`; wake all sleepers. */
static void hr_pool_yield(void);
static void hr_pool_sleep(hr_pool *pool, _Atomic uint32_t *word, uint32_t seen);
static void hr_pool_wake(hr_pool *pool, _Atomic uint32_t *word);

static inline void hr_pool_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

/* Returns the new round. */
static uint32_t hr_pool_await(hr_pool *pool, uint32_t seen) {
  for (uint32_t spins = 0; spins < hr_pool_spins; ++spins) {
    uint32_t now = atomic_load_explicit(&pool->round, memory_order_acquire);
    if (now != seen)
      return now;
    hr_pool_relax();
    if (spins > hr_pool_spins_before_yield && spins % 16 == 0)
      hr_pool_yield();
  }
  atomic_fetch_add(&pool->asleep, 1);
  while (atomic_load(&pool->round) == seen)
    hr_pool_sleep(pool, &pool->round, seen);
  atomic_fetch_sub(&pool->asleep, 1);
  return atomic_load(&pool->round);
}

/* Life of worker `thread`. */
static void hr_pool_work(hr_pool *pool, uint32_t thread) {
  for (uint32_t seen = 0;;) {
    seen = hr_pool_await(pool, seen);
    if (atomic_load_explicit(&pool->closing, memory_order_acquire))
      return;
    if (thread < pool->threads)
      pool->fn(pool->arg, thread);
    atomic_fetch_sub_explicit(&pool->running, 1, memory_order_acq_rel);
  }
}

static void hr_pool_start_round(hr_pool *pool) {
  atomic_fetch_add(&pool->round, 1);
  if (atomic_load(&pool->asleep))
    hr_pool_wake(pool, &pool->round);
}

/* workers: how many there are; threads <= workers + 1 of them take part. */
static int hr_pool_run(hr_pool *pool, uint32_t workers, uint32_t threads, void (*fn)(void *arg, uint32_t thread),
                       void *arg) {
  if (threads > workers + 1)
    return -1;
  pool->fn = fn;
  pool->arg = arg;
  pool->threads = threads;
  atomic_store_explicit(&pool->running, workers, memory_order_relaxed);
  hr_pool_start_round(pool);
  fn(arg, 0);
  for (uint32_t spins = 0; atomic_load_explicit(&pool->running, memory_order_acquire); ++spins) {
    hr_pool_relax();
    if (spins > hr_pool_spins_before_yield)
      hr_pool_yield();
  }
  return 0;
}

#endif
