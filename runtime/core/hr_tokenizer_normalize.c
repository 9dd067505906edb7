/* hr_tokenizer_normalize.c - normalizers, run over the text between added tokens from one buffer of the encoder into
 * the other. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

#define BOUND_LIMIT (1u << 31) /* beyond any room */

/* Bytes that n bytes may become by one step. */
static uint64_t bound_of_step(const hr_tok_normalizer *step, uint64_t n) {
  switch (step->kind) {
  case HR_TOK_PREPEND:
    return n + step->with_bytes;
  case HR_TOK_TO_NFC:
  case HR_TOK_TO_NFD:
    return n * 3; /* the largest expansion there is: U+1D160, four bytes, becomes twelve */
  case HR_TOK_TO_NFKC:
  case HR_TOK_TO_NFKD:
    return n * 11; /* U+FDFA, three bytes, becomes thirty-three */
  case HR_TOK_MAP:
  case HR_TOK_CHARSMAP:
    return n * step->with_bytes;
  case HR_TOK_REPLACE_MATCHES:
    return step->with_bytes > 1 ? n * step->with_bytes : n;
  case HR_TOK_REPLACE:
    return step->with_bytes > step->find_bytes ? n + n / step->find_bytes * (step->with_bytes - step->find_bytes) : n;
  default:
    return n * 2; /* HR_TOK_SPELL_BYTES */
  }
}

uint32_t hr_tok_normalized_bound(const hr_tok_view *view, uint32_t text_bytes) {
  const hr_tok_normalizer *steps = hr_tok_data(view, HR_TOK_NORMALIZERS);
  const hr_tok_split *splits = hr_tok_data(view, HR_TOK_SPLITS);
  uint64_t n = text_bytes;
  for (uint32_t i = 0; i < hr_tok_count(view, HR_TOK_NORMALIZERS) && n < BOUND_LIMIT; i++)
    if (steps[i].kind != HR_TOK_STRIP)
      n = bound_of_step(&steps[i], n);
  for (uint32_t i = 0; i < hr_tok_count(view, HR_TOK_SPLITS) && n < BOUND_LIMIT; i++)
    if (splits[i].kind == HR_TOK_SPLIT_METASPACE)
      n *= splits[i].words;
  return n < BOUND_LIMIT ? (uint32_t)n : BOUND_LIMIT;
}

void hr_tok_put(hr_tok_writer *writer, const uint8_t *bytes, size_t n) {
  if (n > writer->room - writer->n) {
    writer->full = 1;
    return;
  }
  if (n)
    memcpy(writer->to + writer->n, bytes, n);
  writer->n += n;
}

void hr_tok_put_code(hr_tok_writer *writer, uint32_t code) {
  uint8_t bytes[4];
  hr_tok_put(writer, bytes, hr_utf8_write(bytes, code < 0x110000 ? code : 0xfffd));
}

/* ---- steps ---- */
static void replace(const hr_tok_normalizer *step, const uint8_t *strings, const uint8_t *text, size_t n,
                    hr_tok_writer *writer) {
  const uint8_t *find = strings + step->find;
  size_t from = 0, i = 0;
  while (n - i >= step->find_bytes) {
    hr_tok_mark(writer, i);
    if (text[i] != find[0] || memcmp(text + i, find, step->find_bytes)) {
      hr_tok_put(writer, text + i++, 1);
      continue;
    }
    from = i += step->find_bytes;
    /* What replaces a match counts as its last character. */
    size_t last = i - 1;
    while (last > from - step->find_bytes && (text[last] & 0xc0) == 0x80)
      last--;
    hr_tok_mark(writer, last);
    hr_tok_put(writer, strings + step->with, step->with_bytes);
  }
  for (; i < n; i++) {
    hr_tok_mark(writer, i);
    hr_tok_put(writer, text + i, 1);
  }
}

static void replace_matches(hr_tok_encoder *encoder, const hr_tok_normalizer *step, const uint8_t *text, size_t n,
                            hr_tok_writer *writer) {
  hr_tok_matcher m = {.view = &encoder->view,
                      .code = (const uint32_t *)hr_tok_data(&encoder->view, HR_TOK_CODE) + step->find,
                      .words = step->find_bytes,
                      .text = text,
                      .n = n};
  size_t done = 0, begin, end, first;
  for (;;) {
    int found = hr_tok_find(&m, done, &begin, &end, &encoder->status);
    first = writer->first;
    if (first > done && first <= (found ? begin : n)) {
      hr_tok_put(writer, text + done, first - done);
      done = first;
    }
    hr_tok_mark(writer, done);
    hr_tok_put(writer, text + done, (found ? begin : n) - done);
    if (!found)
      return;
    size_t last = end - 1;
    while (last > begin && (text[last] & 0xc0) == 0x80)
      last--;
    hr_tok_mark(writer, last);
    hr_tok_put(writer, (const uint8_t *)hr_tok_data(&encoder->view, HR_TOK_STRINGS) + step->with, step->with_bytes);
    done = end;
  }
}

/* The row that holds a code point, or 0. */
static const hr_tok_map *map_row(const hr_tok_map *rows, uint32_t count, uint32_t code) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (rows[middle].last < code)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == count || code < rows[low].first || !rows[low].step || (code - rows[low].first) % rows[low].step)
    return 0;
  return &rows[low];
}

static void map(const hr_tok_view *view, const hr_tok_normalizer *step, const uint8_t *text, size_t n,
                hr_tok_writer *writer) {
  const hr_tok_map *rows = (const hr_tok_map *)hr_tok_data(view, HR_TOK_MAPS) + step->find;
  uint32_t bytes;
  for (size_t i = 0; i < n; i += bytes) {
    uint32_t code = hr_utf8_read(text + i, text + n, &bytes);
    const hr_tok_map *row = map_row(rows, step->find_bytes, code);
    hr_tok_mark(writer, i);
    if (!row) {
      hr_tok_put(writer, text + i, bytes);
      continue;
    }
    if (row->delta == HR_TOK_MAP_DROP)
      continue;
    if (row->before)
      hr_tok_put_code(writer, row->before);
    hr_tok_put_code(writer, code + (uint32_t)row->delta);
    if (row->after)
      hr_tok_put_code(writer, row->after);
  }
}

static void strip(const hr_tok_view *view, uint32_t sides, const uint8_t *text, size_t n, hr_tok_writer *writer) {
  size_t begin = sides & 1 ? hr_tok_space_after(view, text, 0, n) : 0;
  size_t end = sides & 2 ? hr_tok_space_before(view, text, n, begin) : n;
  hr_tok_mark(writer, begin);
  size_t first = begin < writer->first && writer->first < end ? writer->first : end;
  hr_tok_put(writer, text + begin, first - begin);
  hr_tok_mark(writer, first);
  hr_tok_put(writer, text + first, end - first);
}

static void run_step(hr_tok_encoder *encoder, const hr_tok_normalizer *step, const uint8_t *text, size_t n,
                     hr_tok_writer *writer) {
  const uint8_t *strings = hr_tok_data(&encoder->view, HR_TOK_STRINGS);
  switch (step->kind) {
  case HR_TOK_PREPEND:
    hr_tok_put(writer, strings + step->with, n ? step->with_bytes : 0);
    hr_tok_put(writer, text, n);
    writer->to_first = writer->first && n ? writer->first + step->with_bytes : 0;
    writer->marked = 1;
    return;
  case HR_TOK_REPLACE:
    replace(step, strings, text, n, writer);
    return;
  case HR_TOK_REPLACE_MATCHES:
    replace_matches(encoder, step, text, n, writer);
    return;
  case HR_TOK_MAP:
    map(&encoder->view, step, text, n, writer);
    return;
  case HR_TOK_STRIP:
    strip(&encoder->view, step->find, text, n, writer);
    return;
  case HR_TOK_CHARSMAP:
    hr_tok_charsmap(&encoder->view, text, n, writer);
    return;
  case HR_TOK_SPELL_BYTES:
    for (size_t i = 0; i < n; i++) {
      hr_tok_mark(writer, i);
      hr_tok_put_code(writer, hr_tok_spelled(text[i]));
    }
    return;
  default:
    hr_tok_normal_form(&encoder->view, step->kind, text, n, writer, encoder->work,
                       encoder->room * (HR_TOK_WORK_BYTES / sizeof(uint32_t)));
  }
}

static size_t first_character(const hr_tok_encoder *encoder, const uint8_t *text, size_t n) {
  uint32_t bytes = 0;
  if (n && text == encoder->text)
    hr_utf8_read(text, text + n, &bytes);
  return bytes;
}

uint8_t *hr_tok_normalize(hr_tok_encoder *encoder, const uint8_t *text, size_t *n) {
  static const hr_tok_normalizer copy = {HR_TOK_PREPEND, 0, 0, 0, 0};
  const hr_tok_normalizer *steps = hr_tok_data(&encoder->view, HR_TOK_NORMALIZERS);
  uint32_t count = hr_tok_count(&encoder->view, HR_TOK_NORMALIZERS);
  size_t first = first_character(encoder, text, *n);
  hr_tok_writer writer = {0};
  for (uint32_t i = 0; i < count || !i; i++) {
    writer = (hr_tok_writer){.to = encoder->buffer[i & 1], .room = encoder->room, .first = first};
    run_step(encoder, count ? &steps[i] : &copy, text, *n, &writer);
    if (writer.full) { /* only a damaged section breaks hr_tok_normalized_bound */
      encoder->status = HR_BAD_BUNDLE;
      return 0;
    }
    *n = writer.n;
    first = writer.marked ? writer.to_first : first ? writer.n : 0;
    text = writer.to;
  }
  encoder->origin = writer.to + first;
  return writer.to;
}

HR_SMALL_END
