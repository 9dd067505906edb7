/* hr_port_posix.c - POSIX threads, a condition variable to sleep on, the monotonic clock. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "headrace_port.h"
#include "hr_cpu.h"
#include "hr_pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

struct worker {
  struct posix_pool *owner;
  uint32_t thread;
  pthread_t handle;
};

struct posix_pool {
  hr_pool pool; /* first: the hooks of hr_pool.h get its address */
  pthread_mutex_t mutex;
  pthread_cond_t moved;
  uint32_t workers;
  struct worker worker[HR_MAX_THREADS];
};

static void hr_pool_yield(void) { sched_yield(); }

static void hr_pool_sleep(hr_pool *pool, _Atomic uint32_t *word, uint32_t seen) {
  struct posix_pool *p = (struct posix_pool *)pool;
  pthread_mutex_lock(&p->mutex);
  while (atomic_load(word) == seen)
    pthread_cond_wait(&p->moved, &p->mutex);
  pthread_mutex_unlock(&p->mutex);
}

static void hr_pool_wake(hr_pool *pool, _Atomic uint32_t *word) {
  (void)word;
  struct posix_pool *p = (struct posix_pool *)pool;
  pthread_mutex_lock(&p->mutex); /* not between a sleeper's look at the word and its wait */
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->mutex);
}

static void *worker_main(void *arg) {
  struct worker *w = arg;
  hr_pool_work(&w->owner->pool, w->thread);
  return 0;
}

static uint64_t posix_now(void *context) {
  (void)context;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int posix_parallel(void *context, uint32_t threads, void (*fn)(void *arg, uint32_t thread), void *arg) {
  struct posix_pool *p = context;
  return hr_pool_run(&p->pool, p->workers, threads, fn, arg);
}

static void posix_yield(void *context) {
  (void)context;
  sched_yield();
}

static uint32_t posix_features(void *context) {
  (void)context;
#if defined(__linux__)
  return hr_cpu_detect(getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#else
  return hr_cpu_detect(0, 0);
#endif
}

void hr_port_posix_close(hr_port *port) {
  struct posix_pool *p = port->context;
  if (!p)
    return;
  atomic_store(&p->pool.closing, 1);
  hr_pool_start_round(&p->pool);
  for (uint32_t i = 0; i < p->workers; ++i)
    pthread_join(p->worker[i].handle, 0);
  pthread_cond_destroy(&p->moved);
  pthread_mutex_destroy(&p->mutex);
  free(p);
  port->context = 0;
}

int hr_port_posix(hr_port *port, uint32_t threads) {
  *port = (hr_port){sizeof(hr_port), 0, posix_now, posix_parallel, posix_yield, posix_features};
  if (threads > HR_MAX_THREADS)
    return EINVAL;
  struct posix_pool *p = calloc(1, sizeof *p);
  if (!p)
    return ENOMEM;
  pthread_mutex_init(&p->mutex, 0);
  pthread_cond_init(&p->moved, 0);
  port->context = p;
  for (uint32_t i = 0; i + 1 < threads; ++i) {
    struct worker *w = &p->worker[i];
    w->owner = p;
    w->thread = i + 1;
    int error = pthread_create(&w->handle, 0, worker_main, w);
    if (error) {
      hr_port_posix_close(port);
      return error;
    }
    ++p->workers;
  }
  return 0;
}
