/* hr_out.c - see hr_out.h. */
#include "hr_out.h"

void hr_out_flush(hr_out *out) {
  if (out->used && !out->error)
    out->error = out->host->write(out->host->context, out->fd, out->buffer, out->used, -1);
  out->used = 0;
}

void hr_out_bytes(hr_out *out, const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (out->used == sizeof out->buffer)
      hr_out_flush(out);
    out->buffer[out->used++] = text[i];
  }
}

void hr_out_text(hr_out *out, const char *text) {
  size_t n = 0;
  while (text[n])
    ++n;
  hr_out_bytes(out, text, n);
}

void hr_out_number(hr_out *out, uint64_t value) {
  char digits[20];
  size_t n = sizeof digits;
  do
    digits[--n] = (char)('0' + value % 10);
  while (value /= 10);
  hr_out_bytes(out, digits + n, sizeof digits - n);
}

void hr_out_hex(hr_out *out, uint64_t value) {
  hr_out_text(out, "0x");
  for (int shift = 60; shift >= 0; shift -= 4)
    hr_out_bytes(out, &"0123456789abcdef"[value >> shift & 15], 1);
}

void hr_out_thousandths(hr_out *out, uint64_t value) {
  hr_out_number(out, value / 1000);
  char part[4] = {'.', (char)('0' + value / 100 % 10), (char)('0' + value / 10 % 10), (char)('0' + value % 10)};
  hr_out_bytes(out, part, sizeof part);
}

void hr_out_errno(hr_out *out, int error) {
  static const struct {
    int error;
    const char *text;
  } known[] = {{1, "operation not permitted"},
               {2, "no such file or directory"},
               {5, "input/output error"},
               {12, "cannot allocate memory"},
               {13, "permission denied"},
               {17, "file exists"},
               {20, "not a directory"},
               {21, "is a directory"},
               {22, "invalid argument"},
               {23, "too many open files in system"},
               {24, "too many open files"},
               {27, "file too large"},
               {28, "no space left on device"},
               {30, "read-only file system"},
               {32, "broken pipe"},
               {36, "file name too long"},
               {40, "too many levels of symbolic links"},
               {122, "disk quota exceeded"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (known[i].error == error) {
      hr_out_text(out, known[i].text);
      return;
    }
  hr_out_text(out, "error ");
  hr_out_number(out, (uint64_t)error);
  hr_out_text(out, " of the system");
}

static void escape(hr_out *out, const char *start, uint8_t byte) {
  hr_out_text(out, start);
  hr_out_bytes(out, &"0123456789abcdef"[byte >> 4], 1);
  hr_out_bytes(out, &"0123456789abcdef"[byte & 15], 1);
}

void hr_out_quoted(hr_out *out, const char *text) {
  hr_out_text(out, "'");
  for (size_t i = 0; text[i] && i < 80; ++i)
    if ((uint8_t)text[i] < 0x20 || text[i] == 0x7f)
      escape(out, "\\x", (uint8_t)text[i]);
    else
      hr_out_bytes(out, text + i, 1);
  hr_out_text(out, "'");
}

void hr_out_json(hr_out *out, const char *text, size_t bytes) {
  hr_out_text(out, "\"");
  for (size_t i = 0; i < bytes; ++i) {
    char c = text[i];
    if (c == '"' || c == '\\') {
      hr_out_bytes(out, "\\", 1);
      hr_out_bytes(out, &c, 1);
    } else if (c == '\n') {
      hr_out_text(out, "\\n");
    } else if ((uint8_t)c < 0x20) {
      escape(out, "\\u00", (uint8_t)c);
    } else {
      hr_out_bytes(out, &c, 1);
    }
  }
  hr_out_text(out, "\"");
}

/* NumPy's format 1.0: magic, version, length of the header's text, the text padded with blanks and ended by a newline,
 * so that the whole is 128 bytes whatever the number of rows. */
enum { npy_header = 128 };

static size_t put(char *to, size_t at, const char *text) {
  while (*text)
    to[at++] = *text++;
  return at;
}

static size_t put_number(char *to, size_t at, uint64_t value) {
  char digits[21];
  size_t n = sizeof digits - 1;
  digits[n] = 0;
  do
    digits[--n] = (char)('0' + value % 10);
  while (value /= 10);
  return put(to, at, digits + n);
}

bool hr_npy_open(hr_npy *npy, const hr_host *host, const char *path, uint64_t cols) {
  *npy = (hr_npy){.host = host, .path = path, .cols = cols};
  if (!path)
    return true;
  npy->fd = host->create(host->context, path);
  if (npy->fd < 0)
    npy->error = -npy->fd;
  return npy->fd >= 0;
}

void hr_npy_row(hr_npy *npy, const float *row) {
  if (!npy->path || npy->error)
    return;
  uint64_t bytes = npy->cols * sizeof(float);
  npy->error =
      npy->host->write(npy->host->context, npy->fd, row, (size_t)bytes, (int64_t)(npy_header + npy->rows * bytes));
  ++npy->rows;
}

bool hr_npy_close(hr_npy *npy) {
  if (!npy->path || npy->error)
    return !npy->error;
  char header[npy_header];
  for (size_t i = 0; i < sizeof header; ++i)
    header[i] = ' ';
  size_t at = put(header, 0, "\x93NUMPY\x01");
  header[at++] = 0;
  header[at++] = npy_header - 10;
  header[at++] = 0;
  at = put(header, at, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
  at = put_number(header, at, npy->rows);
  at = put(header, at, ", ");
  at = put_number(header, at, npy->cols);
  put(header, at, "), }");
  header[npy_header - 1] = '\n';
  npy->error = npy->host->write(npy->host->context, npy->fd, header, sizeof header, 0);
  return !npy->error;
}
