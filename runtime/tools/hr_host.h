/* hr_host.h - what the run command asks of the program it is part of: `headrace` (libc, a library loaded at run time)
 * or a bundle's own `headrace-run` (system calls, the library linked in). */
#ifndef HR_HOST_H
#define HR_HOST_H
#include "headrace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An opened bundle: its code, its runtime, its weights. */
typedef struct hr_loaded {
  const hr_api *api;
  const hr_library *library;
  const void *weights;
  size_t weight_bytes;
} hr_loaded;

typedef struct hr_host {
  void *context;
  /* Fills `loaded`; on failure (not 0) a NUL-terminated message is in `error`. */
  int (*open_bundle)(void *context, const char *bundle, hr_loaded *loaded, char *error, size_t error_bytes);
  int (*open_port)(void *context, hr_port *port, uint32_t threads); /* 0, or an errno */
  void *(*memory)(void *context, size_t bytes);                     /* zeroed, never given back; 0: none left */
  int (*create)(void *context, const char *path);                   /* a descriptor, or minus an errno */
  /* At a place of the file, or at its end so far when at < 0. 0, or an errno. */
  int (*write)(void *context, int fd, const void *data, size_t bytes, int64_t at);
  /* Closes a created file and gives it the name `to`; `to` 0: removes it. 0, or an errno. */
  int (*publish)(void *context, int fd, const char *from, const char *to);
  /* A whole file to read, until the program ends. 0, or an errno. */
  int (*map)(void *context, const char *path, const void **data, size_t *bytes);
  int (*is_terminal)(void *context, int fd);
  uint32_t (*cores)(void *context); /* that this process may use */
  const char *more_help;            /* lines after the options; 0: none */
} hr_host;

/* The command `run`: arguments follow argv[0], which is what usage lines call the program. Returns the exit code: 0
 * done, 1 refused, 2 usage. */
int hr_run_main(const hr_host *host, int argc, const char *const *argv);

#ifdef __cplusplus
}
#endif
#endif
