/* hr_session_io.c - see hr_session_io.h. */
#include "hr_session_io.h"
#include "hr_out.h"

enum { path_bytes = 4096 };

static hr_status write_bytes(void *user, const void *data, size_t bytes) {
  hr_out *out = user;
  if (bytes >= sizeof out->buffer) { /* whole tiles go out without a copy */
    hr_out_flush(out);
    if (!out->error)
      out->error = out->host->write(out->host->context, out->fd, data, bytes, -1);
  } else {
    hr_out_bytes(out, data, bytes);
  }
  return out->error ? HR_STOPPED : HR_OK;
}

/* "<path>.part" */
static bool part_path(const char *path, char part[path_bytes]) {
  static const char end[] = ".part";
  size_t n = 0;
  for (; path[n]; ++n) {
    if (n + sizeof end >= path_bytes)
      return false;
    part[n] = path[n];
  }
  __builtin_memcpy(part + n, end, sizeof end);
  return true;
}

int hr_session_write(const hr_host *host, const hr_api *api, const hr_session *session, const char *path,
                     hr_session_fault *fault) {
  char part[path_bytes];
  *fault = (hr_session_fault){.status = HR_INVALID_ARGUMENT};
  if (!part_path(path, part))
    return 1;
  hr_out out = {.host = host, .fd = host->create(host->context, part)};
  if (out.fd < 0) {
    fault->error = -out.fd;
    return 1;
  }
  fault->status = api->session_save(session, write_bytes, &out);
  hr_out_flush(&out);
  fault->error = out.error;
  bool whole = !fault->status && !fault->error;
  int error = host->publish(host->context, out.fd, part, whole ? path : 0);
  if (whole)
    fault->error = error;
  return !whole || error;
}

typedef struct reader {
  const char *at;
  size_t left;
} reader;

static hr_status read_bytes(void *user, void *data, size_t bytes) {
  reader *r = user;
  if (bytes > r->left)
    return HR_BAD_SESSION;
  char *to = data;
  for (size_t i = 0; i < bytes; ++i)
    to[i] = r->at[i];
  r->at += bytes;
  r->left -= bytes;
  return HR_OK;
}

int hr_session_read(const hr_host *host, const hr_api *api, hr_session *session, const char *path,
                    hr_session_fault *fault) {
  const void *data = 0;
  size_t bytes = 0;
  *fault = (hr_session_fault){.error = host->map(host->context, path, &data, &bytes)};
  if (fault->error)
    return 1;
  reader r = {data, bytes};
  fault->status = api->session_load(session, read_bytes, &r, &fault->problem);
  if (!fault->status && r.left) {
    api->session_rewind(session, 0);
    fault->status = HR_BAD_SESSION;
    fault->problem = (hr_problem){"bytes of the file", bytes - r.left, bytes, -1, 0};
  }
  return fault->status != HR_OK;
}
