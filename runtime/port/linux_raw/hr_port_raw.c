/* hr_port_raw.c - the port over raw system calls: clone, futex, clock_gettime. */
#include "headrace_port.h"
#include "hr_cpu.h"
#include "hr_pool.h"
#include "hr_raw.h"

enum {
  clone_flags = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 |
                0x200000, /* VM FS FILES SIGHAND THREAD SYSVSEM CHILD_CLEARTID */
  futex_wait = 0,         /* not private: the kernel's CLEARTID wake is not either */
  futex_wake = 1,
  stack_bytes = 256 * 1024,
  clock_monotonic = 1,
  at_hwcap = 16,
  at_hwcap2 = 26,
  einval = 22,
  enomem = 12
};

typedef struct raw_pool raw_pool;

struct worker {
  raw_pool *owner;
  uint32_t thread;
  _Atomic uint32_t alive; /* cleared and woken by the kernel when the thread is gone */
};

struct raw_pool {
  hr_pool pool; /* first: the hooks of hr_pool.h get its address */
  uint32_t workers;
  uint32_t features;
  uint8_t *stacks;
  size_t bytes; /* of this struct and the stacks together */
  struct worker worker[HR_MAX_THREADS];
};

static void futex(_Atomic uint32_t *word, int operation, uint32_t value) {
  hr_syscall(hr_sys_futex, (long)word, operation, (long)value, 0, 0, 0);
}

static void hr_pool_yield(void) { hr_syscall(hr_sys_sched_yield, 0, 0, 0, 0, 0, 0); }

static void hr_pool_sleep(hr_pool *pool, _Atomic uint32_t *word, uint32_t seen) {
  (void)pool;
  futex(word, futex_wait, seen);
}

static void hr_pool_wake(hr_pool *pool, _Atomic uint32_t *word) {
  (void)pool;
  futex(word, futex_wake, INT32_MAX);
}

static void worker_main(struct worker *w) { hr_pool_work(&w->owner->pool, w->thread); }

/* Starts fn(w) on a new stack; the new thread ends when fn returns. The parent gets the thread's number or minus an
 * errno. The child may not touch the parent's frame: what it needs lies at the top of its own stack. */
static long start_thread(uint8_t *stack_top, void (*fn)(struct worker *), struct worker *w) {
  void **top = (void **)stack_top - 2;
  top[0] = (void *)fn;
  top[1] = w;
#if defined(__x86_64__)
  long result;
  register _Atomic uint32_t *child_tid __asm__("r10") = &w->alive;
  register long tls __asm__("r8") = 0;
  __asm__ volatile("syscall\n\t"
                   "test %%rax, %%rax\n\t"
                   "jnz 1f\n\t"
                   "xor %%ebp, %%ebp\n\t"
                   "pop %%rax\n\t"
                   "pop %%rdi\n\t"
                   "call *%%rax\n\t"
                   "mov %[exit], %%eax\n\t"
                   "xor %%edi, %%edi\n\t"
                   "syscall\n\t"
                   "ud2\n"
                   "1:"
                   : "=a"(result)
                   : "a"(56L), "D"((long)clone_flags), "S"(top), "d"(0L), "r"(child_tid),
                     "r"(tls), [exit] "i"(hr_sys_exit)
                   : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = 220, x0 __asm__("x0") = clone_flags, x2 __asm__("x2") = 0, x3 __asm__("x3") = 0;
  register void *x1 __asm__("x1") = top;
  register _Atomic uint32_t *x4 __asm__("x4") = &w->alive;
  __asm__ volatile("svc 0\n\t"
                   "cbnz x0, 1f\n\t"
                   "mov x29, xzr\n\t"
                   "ldp x1, x0, [sp], #16\n\t"
                   "blr x1\n\t"
                   "mov x8, %[exit]\n\t"
                   "mov x0, xzr\n\t"
                   "svc 0\n\t"
                   "brk 1\n"
                   "1:"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [exit] "i"(hr_sys_exit)
                   : "memory");
  return x0;
#endif
}

static uint64_t raw_now(void *context) {
  (void)context;
  int64_t t[2] = {0, 0};
  hr_syscall(hr_sys_clock_gettime, clock_monotonic, (long)t, 0, 0, 0, 0);
  return (uint64_t)t[0] * 1000000000u + (uint64_t)t[1];
}

static int raw_parallel(void *context, uint32_t threads, void (*fn)(void *arg, uint32_t thread), void *arg) {
  raw_pool *p = context;
  return hr_pool_run(&p->pool, p->workers, threads, fn, arg);
}

static void raw_yield(void *context) {
  (void)context;
  hr_pool_yield();
}

static uint32_t raw_features(void *context) { return ((raw_pool *)context)->features; }

void hr_port_raw_close(hr_port *port) {
  raw_pool *p = port->context;
  if (!p)
    return;
  atomic_store(&p->pool.closing, 1);
  hr_pool_start_round(&p->pool);
  for (uint32_t i = 0; i < p->workers; ++i)
    for (uint32_t alive; (alive = atomic_load(&p->worker[i].alive));)
      futex(&p->worker[i].alive, futex_wait, alive);
  hr_syscall(hr_sys_munmap, (long)p, (long)p->bytes, 0, 0, 0, 0);
  port->context = 0;
}

int hr_port_raw(hr_port *port, uint32_t threads, const void *auxv) {
  *port = (hr_port){sizeof(hr_port), 0, raw_now, raw_parallel, raw_yield, raw_features};
  if (threads > HR_MAX_THREADS)
    return einval;
  size_t head = (sizeof(raw_pool) + 4095) / 4096 * 4096,
         bytes = head + (size_t)(threads ? threads - 1 : 0) * stack_bytes;
  raw_pool *p = hr_raw_memory(bytes);
  if (!p)
    return enomem;
  p->bytes = bytes;
  p->stacks = (uint8_t *)p + head;
  p->features = hr_cpu_detect(hr_raw_aux(auxv, at_hwcap), hr_raw_aux(auxv, at_hwcap2));
  port->context = p;
  for (uint32_t i = 0; i + 1 < threads; ++i) {
    struct worker *w = &p->worker[i];
    w->owner = p;
    w->thread = i + 1;
    atomic_store(&w->alive, 1);
    long id = start_thread(p->stacks + (size_t)(i + 1) * stack_bytes, worker_main, w);
    if (id < 0) {
      hr_port_raw_close(port);
      return (int)-id;
    }
    ++p->workers;
  }
  return 0;
}
