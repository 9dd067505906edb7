/* fake_tokenizer.c - ids below 256 are bytes; the rest is special. Stands in for the real one, so that these tests are
 * about the core. */
#include "headrace.h"

hr_status hr_tokenizer_open(hr_tokenizer *t, const void *section, size_t bytes) {
  t->data = section;
  t->bytes = bytes;
  return bytes && t->data[0] == 'F' ? HR_OK : HR_BAD_BUNDLE;
}

size_t hr_tokenizer_scratch(const hr_tokenizer *t, size_t bytes) { return 0; }

static int32_t id_of(char c) {
#ifdef FAKE_TEMPLATE
  if (c == '\x01' || c == '\x02') /* what ends a message (the end id), what begins one */
    return c == '\x01' ? 256 : 262;
#endif
  return (uint8_t)c;
}

hr_status hr_encode(const hr_tokenizer *t, const char *text, size_t bytes, uint32_t flags, int32_t *ids,
                    size_t capacity, size_t *n, void *scratch, size_t scratch_bytes) {
#ifdef FAKE_ENCODER
  const size_t around = flags & HR_WITH_SPECIAL ? 1 : 0; /* [260] text [261] */
#else
  const size_t around = 0;
#endif
  *n = bytes + 2 * around;
  if (capacity < *n)
    return HR_OUT_OF_MEMORY;
  for (size_t i = 0; i < bytes; ++i)
    ids[around + i] = id_of(text[i]);
  if (around) {
    ids[0] = 260;
    ids[*n - 1] = 261;
  }
  return HR_OK;
}

size_t fake_decode_max = 8;

size_t hr_decode_max(const hr_tokenizer *t) { return fake_decode_max; }

static unsigned length_of(uint8_t first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

hr_status hr_decode(const hr_tokenizer *t, hr_decoder *d, int32_t id, char *text, size_t capacity, size_t *bytes) {
  *bytes = 0;
  if (capacity < 8)
    return HR_OUT_OF_MEMORY;
  if (id < 0 && d->pending_bytes) {
    text[0] = '?'; /* what was cut off */
    *bytes = 1;
    d->pending_bytes = 0;
  }
  if (id < 0 || id > 255)
    return HR_OK;
  d->pending[d->pending_bytes++] = (uint8_t)id;
  if (d->pending_bytes < length_of(d->pending[0]))
    return HR_OK;
  for (; *bytes < d->pending_bytes; ++*bytes)
    text[*bytes] = (char)d->pending[*bytes];
  d->pending_bytes = 0;
  return HR_OK;
}

uint32_t hr_tokenizer_count(const hr_tokenizer *t) { return 256; }

hr_status hr_detokenize(const hr_tokenizer *t, const int32_t *ids, size_t n, uint32_t flags, char *text,
                        size_t capacity, size_t *bytes) {
  *bytes = 0;
  for (size_t i = 0; i < n; ++i)
    if ((ids[i] < 256 || flags & HR_KEEP_SPECIAL) && (*bytes)++ < capacity)
      text[*bytes - 1] = (char)(ids[i] < 256 ? ids[i] : '?');
  return *bytes > capacity ? HR_OUT_OF_MEMORY : HR_OK;
}
