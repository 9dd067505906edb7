/* hr_raw.h - Linux system calls, without a libc. Each returns what the kernel does: a result, or minus an errno. */
#ifndef HR_RAW_H
#define HR_RAW_H
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#if defined(__x86_64__)
enum {
  hr_sys_write = 1,
  hr_sys_close = 3,
  hr_sys_fstat = 5,
  hr_sys_mmap = 9,
  hr_sys_munmap = 11,
  hr_sys_ioctl = 16,
  hr_sys_pwrite = 18,
  hr_sys_sched_yield = 24,
  hr_sys_exit = 60,
  hr_sys_futex = 202,
  hr_sys_sched_getaffinity = 204,
  hr_sys_clock_gettime = 228,
  hr_sys_exit_group = 231,
  hr_sys_openat = 257,
  hr_sys_unlinkat = 263,
  hr_sys_renameat = 264
};

static inline long hr_syscall(long n, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
enum {
  hr_sys_ioctl = 29,
  hr_sys_unlinkat = 35,
  hr_sys_renameat = 38,
  hr_sys_openat = 56,
  hr_sys_close = 57,
  hr_sys_write = 64,
  hr_sys_pwrite = 68,
  hr_sys_fstat = 80,
  hr_sys_exit = 93,
  hr_sys_exit_group = 94,
  hr_sys_futex = 98,
  hr_sys_clock_gettime = 113,
  hr_sys_sched_getaffinity = 123,
  hr_sys_sched_yield = 124,
  hr_sys_munmap = 215,
  hr_sys_mmap = 222
};

static inline long hr_syscall(long n, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#else
#error "the raw Linux port knows x86-64 and AArch64"
#endif

/* Anonymous zeroed memory; 0 when there is none. */
void *hr_raw_memory(size_t bytes);
/* Maps a whole file for reading. 0, or an errno. An empty file gives data = "" and bytes = 0. */
int hr_raw_map(const char *path, const void **data, size_t *bytes);
/* A file to write, emptied. A descriptor, or minus an errno. */
int hr_raw_create(const char *path);
/* Writes all at a place of the file, or at its end so far when at < 0. 0, or an errno. */
int hr_raw_write(int fd, const void *data, size_t bytes, int64_t at);
/* Closes a created file and gives it the name `to`; `to` 0: removes it. 0, or an errno. */
int hr_raw_publish(int fd, const char *from, const char *to);
int hr_raw_is_terminal(int fd);
/* Cores this process may run on, at least 1. */
uint32_t hr_raw_cores(void);
/* A value of the auxiliary vector, 0 if absent. */
uint64_t hr_raw_aux(const void *auxv, uint64_t key);
_Noreturn void hr_raw_exit(int code);

#pragma GCC visibility pop
#endif
