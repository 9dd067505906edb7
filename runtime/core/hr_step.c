/* hr_step.c - one step of an entry: every thread walks the segments in order, inside one fork. */
#include "hr_internal.h"

enum { spins_before_yield = 256 };

/* Each library has its own: a shared object does not export it. */
void hr_barrier_wait(const hr_step *step, uint32_t thread) {
  (void)thread;
  uint32_t threads = (uint32_t)step->threads;
  if (threads <= 1)
    return;
  hr_barrier *b = step->barrier;
  uint32_t generation = atomic_load_explicit(&b->generation, memory_order_relaxed);
  if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == threads) {
    atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&b->generation, generation + 1, memory_order_release);
    return;
  }
  for (uint32_t spins = 0; atomic_load_explicit(&b->generation, memory_order_acquire) == generation; ++spins) {
    hr_relax();
    if (spins >= spins_before_yield && b->yield)
      b->yield(b->context);
  }
}

/* What the threads of a fork share. */
typedef struct hr_fork {
  const hr_library *library;
  const hr_entry *entry;
  hr_step all; /* on all threads */
  hr_step one; /* on thread 0 alone */
} hr_fork;

static void run_segments(void *arg, uint32_t thread) {
  const hr_fork *fork = arg;
  hr_float_mode mode = hr_float_enter();
  const hr_entry *entry = fork->entry;
  for (uint32_t i = 0; i < entry->segment_count; ++i) {
    const hr_segment *s = &entry->segments[i];
    if (hr_device_find(fork->library->devices[s->device].kind)->all_threads)
      s->run(&fork->all, thread);
    else if (thread == 0)
      s->run(&fork->one, 0);
    if (i + 1 < entry->segment_count)
      hr_barrier_wait(&fork->all, thread);
  }
  hr_float_leave(mode);
}

/* The smallest site that any thread met, plus 1, or 0. */
static int32_t first_fault(const hr_model *model) {
  int32_t first = 0;
  for (uint32_t t = 0; t < model->threads; ++t)
    if (model->fault[t] && (!first || model->fault[t] < first))
      first = model->fault[t];
  return first;
}

hr_status hr_run_entry(hr_session *session, const hr_entry *entry, uint32_t n_valid, uint32_t pos, uint32_t row0) {
  hr_model *model = session->model;
  for (uint32_t t = 0; t < model->threads; ++t)
    model->fault[t] = 0;
  hr_step step = {.base = session->base,
                  .share = model->share,
                  .barrier = &model->barrier,
                  .fault = model->fault,
                  .n_valid = (int32_t)n_valid,
                  .pos = (int32_t)pos,
                  .row0 = (int32_t)row0,
                  .threads = (int32_t)model->threads};
  hr_fork fork = {.library = model->library, .entry = entry, .all = step, .one = step};
  fork.one.share = model->share_one;
  fork.one.threads = 1;
  atomic_store_explicit(&model->barrier.arrived, 0, memory_order_relaxed);
  if (model->threads == 1)
    run_segments(&fork, 0);
  else if (model->port.parallel(model->port.context, model->threads, run_segments, &fork))
    return HR_PORT_FAILED;
  int32_t fault = first_fault(model);
  if (!fault)
    return HR_OK;
  model->fault_site = fault;
  return HR_NOT_FINITE;
}
