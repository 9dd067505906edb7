/* hr_out.h - text, JSON and .npy output through the host's write. */
#ifndef HR_OUT_H
#define HR_OUT_H
#include "hr_host.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_out {
  const hr_host *host;
  int fd;
  int error; /* errno of the first write that failed */
  size_t used;
  char buffer[2048];
} hr_out;

void hr_out_bytes(hr_out *out, const char *text, size_t bytes);
void hr_out_text(hr_out *out, const char *text);
void hr_out_number(hr_out *out, uint64_t value);
void hr_out_hex(hr_out *out, uint64_t value);                  /* 0x and 16 digits */
void hr_out_thousandths(hr_out *out, uint64_t value);          /* 1234 -> 1.234 */
void hr_out_errno(hr_out *out, int error);                     /* "no such file or directory" */
void hr_out_quoted(hr_out *out, const char *text);             /* 'text', fit for one line of a terminal */
void hr_out_json(hr_out *out, const char *text, size_t bytes); /* a JSON string; text is valid UTF-8 */
void hr_out_flush(hr_out *out);

/* A float32 matrix whose number of rows is known only at the end. */
typedef struct hr_npy {
  const hr_host *host;
  const char *path; /* 0: nothing is written */
  int fd;
  int error;
  uint64_t rows, cols;
} hr_npy;

bool hr_npy_open(hr_npy *npy, const hr_host *host, const char *path, uint64_t cols);
void hr_npy_row(hr_npy *npy, const float *row);
bool hr_npy_close(hr_npy *npy); /* writes the header; false: error holds an errno */

#ifdef __cplusplus
}
#endif
#endif
