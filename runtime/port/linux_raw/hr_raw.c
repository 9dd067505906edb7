/* hr_raw.c - memory and files by system calls. */
#include "hr_raw.h"

enum {
  at_fdcwd = -100,
  open_create_flags = 01 | 0100 | 01000, /* O_WRONLY | O_CREAT | O_TRUNC */
  prot_read = 1,
  prot_write = 2,
  map_private = 2,
  map_anonymous = 0x20,
  ioctl_tcgets = 0x5401,
  eintr = 4,
  eio = 5,
  eisdir = 21
};

static int failed(long result) { return result < 0 && result >= -4095; }

void *hr_raw_memory(size_t bytes) {
  long at = hr_syscall(hr_sys_mmap, 0, (long)bytes, prot_read | prot_write, map_private | map_anonymous, -1, 0);
  return failed(at) ? 0 : (void *)at;
}

/* The two fields of the kernel's struct stat that are read, at their offsets. */
enum { stat_bytes = 144, stat_size_at = 48 };
#if defined(__x86_64__)
enum { stat_mode_at = 24 };
#else
enum { stat_mode_at = 16 };
#endif

int hr_raw_map(const char *path, const void **data, size_t *bytes) {
  long fd = hr_syscall(hr_sys_openat, at_fdcwd, (long)path, 0, 0, 0, 0);
  if (failed(fd))
    return (int)-fd;
  uint64_t stat[stat_bytes / 8];
  long result = hr_syscall(hr_sys_fstat, fd, (long)stat, 0, 0, 0, 0);
  uint32_t mode;
  __builtin_memcpy(&mode, (const char *)stat + stat_mode_at, sizeof mode);
  if (!failed(result) && (mode & 0170000) == 0040000)
    result = -eisdir;
  *bytes = (size_t)stat[stat_size_at / 8];
  *data = "";
  if (!failed(result) && *bytes) {
    result = hr_syscall(hr_sys_mmap, 0, (long)*bytes, prot_read, map_private, fd, 0);
    *data = (const void *)result;
  }
  hr_syscall(hr_sys_close, fd, 0, 0, 0, 0, 0);
  return failed(result) ? (int)-result : 0;
}

int hr_raw_create(const char *path) {
  return (int)hr_syscall(hr_sys_openat, at_fdcwd, (long)path, open_create_flags, 0666, 0, 0);
}

int hr_raw_write(int fd, const void *data, size_t bytes, int64_t at) {
  const char *p = data;
  while (bytes) {
    long n = at < 0 ? hr_syscall(hr_sys_write, fd, (long)p, (long)bytes, 0, 0, 0)
                    : hr_syscall(hr_sys_pwrite, fd, (long)p, (long)bytes, (long)at, 0, 0);
    if (n == -eintr)
      continue;
    if (n <= 0)
      return n ? (int)-n : eio;
    p += n, bytes -= (size_t)n;
    at = at < 0 ? at : at + n;
  }
  return 0;
}

int hr_raw_publish(int fd, const char *from, const char *to) {
  long result = hr_syscall(hr_sys_close, fd, 0, 0, 0, 0, 0);
  if (to && !failed(result))
    result = hr_syscall(hr_sys_renameat, at_fdcwd, (long)from, at_fdcwd, (long)to, 0, 0);
  if (!to || failed(result))
    hr_syscall(hr_sys_unlinkat, at_fdcwd, (long)from, 0, 0, 0, 0);
  return failed(result) ? (int)-result : 0;
}

int hr_raw_is_terminal(int fd) {
  uint64_t termios[16];
  return !failed(hr_syscall(hr_sys_ioctl, fd, ioctl_tcgets, (long)termios, 0, 0, 0));
}

uint32_t hr_raw_cores(void) {
  uint64_t mask[16] = {0};
  uint32_t cores = 0;
  hr_syscall(hr_sys_sched_getaffinity, 0, sizeof mask, (long)mask, 0, 0, 0);
  for (int i = 0; i < 16; ++i)
    for (uint64_t rest = mask[i]; rest; rest &= rest - 1)
      ++cores;
  return cores ? cores : 1;
}

uint64_t hr_raw_aux(const void *auxv, uint64_t key) {
  for (const uint64_t *pair = auxv; pair && pair[0]; pair += 2)
    if (pair[0] == key)
      return pair[1];
  return 0;
}

_Noreturn void hr_raw_exit(int code) {
  for (;;)
    hr_syscall(hr_sys_exit_group, code, 0, 0, 0, 0, 0);
}
