/* hr_tokenizer_normalize.c - normalizers, run over the text between added tokens from one buffer of the encoder into
 * the other. */
#include "hr_tokenizer_internal.h"

#define BOUND_LIMIT (1u << 31) /* beyond any room */

uint32_t hr_tok_normalized_bound(const hr_tok_view *view, uint32_t text_bytes) {
  const hr_tok_normalizer *steps = hr_tok_data(view, HR_TOK_NORMALIZERS);
  uint64_t n = text_bytes;
  for (uint32_t i = 0; i < hr_tok_count(view, HR_TOK_NORMALIZERS) && n < BOUND_LIMIT; i++) {
    const hr_tok_normalizer *step = &steps[i];
    if (step->kind == HR_TOK_PREPEND)
      n += step->with_bytes;
    else if (step->kind == HR_TOK_TO_NFC)
      n *= 3; /* the largest expansion there is: U+1D160, four bytes, becomes twelve */
    else if (step->kind == HR_TOK_REPLACE && step->with_bytes > step->find_bytes)
      n += (uint64_t)((uint32_t)n / step->find_bytes) * (step->with_bytes - step->find_bytes);
  }
  return n < BOUND_LIMIT ? (uint32_t)n : BOUND_LIMIT;
}

static size_t append(uint8_t *to, size_t at, size_t room, const uint8_t *from, size_t n) {
  if (at == SIZE_MAX || n > room - at)
    return SIZE_MAX;
  if (n)
    memcpy(to + at, from, n);
  return at + n;
}

/* All functions below return the bytes written, SIZE_MAX when they do not fit. */
static size_t replace(const hr_tok_normalizer *step, const uint8_t *strings, const uint8_t *text, size_t n, uint8_t *to,
                      size_t room) {
  const uint8_t *find = strings + step->find;
  size_t from = 0, at = 0, i = 0;
  while (n - i >= step->find_bytes) {
    if (text[i] != find[0] || memcmp(text + i, find, step->find_bytes)) {
      i++;
      continue;
    }
    at = append(to, at, room, text + from, i - from);
    at = append(to, at, room, strings + step->with, step->with_bytes);
    from = i += step->find_bytes;
  }
  return append(to, at, room, text + from, n - from);
}

static size_t run_step(hr_tok_encoder *encoder, const hr_tok_normalizer *step, const uint8_t *text, size_t n,
                       uint8_t *to) {
  const uint8_t *strings = hr_tok_data(&encoder->view, HR_TOK_STRINGS);
  size_t room = encoder->room;
  if (step->kind == HR_TOK_PREPEND)
    return append(to, append(to, 0, room, strings + step->with, n ? step->with_bytes : 0), room, text, n);
  if (step->kind == HR_TOK_REPLACE)
    return replace(step, strings, text, n, to, room);
  if (step->kind == HR_TOK_TO_NFC)
    return hr_tok_nfc(&encoder->view, text, n, to, room, encoder->work, room * (HR_TOK_WORK_BYTES / sizeof(uint32_t)));
  return SIZE_MAX;
}

uint8_t *hr_tok_normalize(hr_tok_encoder *encoder, const uint8_t *text, size_t *n) {
  const hr_tok_normalizer *steps = hr_tok_data(&encoder->view, HR_TOK_NORMALIZERS);
  uint32_t count = hr_tok_count(&encoder->view, HR_TOK_NORMALIZERS);
  size_t bytes = *n;
  if (!count)
    bytes = append(encoder->buffer[0], 0, encoder->room, text, bytes);
  for (uint32_t i = 0; i < count && bytes != SIZE_MAX; i++) {
    bytes = run_step(encoder, &steps[i], text, bytes, encoder->buffer[i & 1]);
    text = encoder->buffer[i & 1];
  }
  if (bytes == SIZE_MAX) { /* only a damaged section breaks hr_tok_normalized_bound */
    encoder->status = HR_BAD_BUNDLE;
    return 0;
  }
  *n = bytes;
  return encoder->buffer[count ? (count - 1) & 1 : 0];
}
