/* The taps of a body hold the same after a step without a head and after one with: the head writes over none of them.
 * Usage: taps weights.bin; linked with a bundle that was compiled with --taps. */
#include "headrace.h"
#include "headrace_port.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

const hr_library *hr_library_get(void);

enum { tokens = 3 };

static void *aligned(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

/* The tap's rows of a step of `tokens` ids from an empty cache, as bytes in `out`. */
static int rows_after(hr_session *session, uint32_t tap, const hr_tap *t, int rows, float *out) {
  static const int32_t ids[tokens] = {5, 9, 13};
  if (hr_session_rewind(session, 0) || hr_append(session, ids, tokens, rows, 0, 0))
    return 1;
  memcpy(out, hr_tap_data(session, tap), sizeof(float) * t->stride * tokens);
  return 0;
}

int main(int argc, char **argv) {
  const hr_library *l = hr_library_get();
  struct stat info;
  int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0 || fstat(file, &info))
    return 2;
  const void *weights = mmap(0, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  hr_port port;
  hr_model *model;
  hr_session *session;
  if (hr_port_posix(&port, 1) ||
      hr_open(&model, l, weights, (size_t)info.st_size, &port, 0, aligned(hr_arena_bytes(l)), hr_arena_bytes(l)) ||
      hr_session_open(&session, model, aligned(hr_session_bytes(l)), hr_session_bytes(l)))
    return 3;
  uint32_t compared = 0;
  for (uint32_t i = 0; i < l->tap_count; ++i) {
    const hr_tap *t = &l->taps[i];
    const hr_entry *entry = &l->entries[t->entry];
    if (entry->kind != HR_ENTRY_BODY || entry->rows < tokens || (t->entry && l->entries[t->entry - 1].rows >= tokens))
      continue; /* not the entry that a step of `tokens` runs */
    size_t bytes = sizeof(float) * t->stride * tokens;
    float *before = malloc(bytes), *after = malloc(bytes);
    if (rows_after(session, i, t, HR_NO_ROWS, before) || rows_after(session, i, t, HR_LAST_ROW, after))
      return 4;
    if (memcmp(before, after, bytes)) {
      printf("%s: the head has overwritten it\n", t->name);
      return 5;
    }
    ++compared;
    free(before);
    free(after);
  }
  printf("%u taps, %u caches, most text of an id: %u bytes\n", compared, l->kv_count, l->token_bytes);
  return compared ? 0 : 6;
}
