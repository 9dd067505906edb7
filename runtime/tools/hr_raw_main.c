/* hr_raw_main.c - headrace-run: the run command over raw system calls, with a bundle's generated code linked in. */
#include "headrace_port.h"
#include "hr_host.h"
#include "hr_raw.h"

/* Defined by the generated code. */
const hr_library *hr_library_get(void);

static size_t append(char *to, size_t at, size_t most, const char *text) {
  while (*text && at + 1 < most)
    to[at++] = *text++;
  to[at] = 0;
  return at;
}

static int open_bundle(void *context, const char *bundle, hr_loaded *loaded, char *error, size_t error_bytes) {
  (void)context;
  char path[4096];
  append(path, append(path, 0, sizeof path, bundle), sizeof path, "/weights.bin");
  loaded->api = hr_api_get();
  loaded->library = hr_library_get();
  int code = hr_raw_map(path, &loaded->weights, &loaded->weight_bytes);
  if (!code)
    return 0;
  size_t at = append(error, 0, error_bytes, path);
  append(error, at, error_bytes, code == 2 ? ": no such file or directory" : ": cannot be read");
  return code;
}

static int open_port(void *context, hr_port *port, uint32_t threads) { return hr_port_raw(port, threads, context); }

static void *memory(void *context, size_t bytes) {
  (void)context;
  return hr_raw_memory(bytes);
}

static int create(void *context, const char *path) {
  (void)context;
  return hr_raw_create(path);
}

static int write_all(void *context, int fd, const void *data, size_t bytes, int64_t at) {
  (void)context;
  return hr_raw_write(fd, data, bytes, at);
}

static int publish(void *context, int fd, const char *from, const char *to) {
  (void)context;
  return hr_raw_publish(fd, from, to);
}

static int map(void *context, const char *path, const void **data, size_t *bytes) {
  (void)context;
  return hr_raw_map(path, data, bytes);
}

static int is_terminal(void *context, int fd) {
  (void)context;
  return hr_raw_is_terminal(fd);
}

static uint32_t cores(void *context) {
  (void)context;
  return hr_raw_cores();
}

/* The stack the kernel hands over: argc, argv[argc], 0, environment, 0, auxiliary vector. */
__attribute__((visibility("hidden"), used)) _Noreturn void hr_raw_start(const uintptr_t *stack) {
  int argc = (int)stack[0];
  const char *const *argv = (const char *const *)(stack + 1);
  const uintptr_t *at = stack + 1 + argc + 1;
  while (*at)
    ++at;
  hr_host host = {.context = (void *)(uintptr_t)(at + 1),
                  .open_bundle = open_bundle,
                  .open_port = open_port,
                  .memory = memory,
                  .create = create,
                  .write = write_all,
                  .publish = publish,
                  .map = map,
                  .is_terminal = is_terminal,
                  .cores = cores};
  hr_raw_exit(hr_run_main(&host, argc, argv));
}

#if defined(__x86_64__)
__asm__(".globl _start\n"
        ".type _start, @function\n"
        "_start:\n\t"
        "xor %ebp, %ebp\n\t"
        "mov %rsp, %rdi\n\t"
        "and $-16, %rsp\n\t"
        "call hr_raw_start\n\t"
        "ud2\n"
        ".size _start, . - _start");
#else
__asm__(".globl _start\n"
        ".type _start, %function\n"
        "_start:\n\t"
        "mov x29, xzr\n\t"
        "mov x30, xzr\n\t"
        "mov x0, sp\n\t"
        "bl hr_raw_start\n\t"
        "brk 1\n"
        ".size _start, . - _start");
#endif
