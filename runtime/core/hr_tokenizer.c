/* hr_tokenizer.c - opening a tokenizer section, encoding, and what the other files share. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

/* ---- properties ---- */
uint32_t hr_tok_range_value(const hr_tok_view *view, enum hr_tok_part part, uint32_t code) {
  const uint32_t *ranges = hr_tok_data(view, part);
  uint32_t low = 0, high = hr_tok_count(view, part), key = code << 8 | 0xff;
  if (!high)
    return 0;
  while (high - low > 1) { /* ranges[low] <= key < ranges[high] */
    uint32_t middle = low + (high - low) / 2;
    if (ranges[middle] <= key)
      low = middle;
    else
      high = middle;
  }
  return ranges[low] & 0xff;
}

int hr_tok_in_class(const hr_tok_view *view, uint32_t cls, uint32_t code) {
  const uint32_t *classes = hr_tok_data(view, HR_TOK_CLASSES);
  uint32_t category = code < 128 ? ((const uint8_t *)hr_tok_data(view, HR_TOK_ASCII))[code]
                                 : hr_tok_range_value(view, HR_TOK_RANGES, code);
  return classes[cls] >> (category & 31) & 1;
}

/* ---- open ---- */
static const uint8_t part_bytes[HR_TOK_PART_COUNT] = {[HR_TOK_OFFSETS] = 4,
                                                      [HR_TOK_KINDS] = 1,
                                                      [HR_TOK_TEXT] = 1,
                                                      [HR_TOK_BUCKETS] = 4,
                                                      [HR_TOK_MERGES] = sizeof(hr_tok_merge),
                                                      [HR_TOK_BYTE_IDS] = 4,
                                                      [HR_TOK_CHARS] = sizeof(hr_tok_char),
                                                      [HR_TOK_ADDED] = sizeof(hr_tok_added),
                                                      [HR_TOK_ADDED_NORMALIZED] = sizeof(hr_tok_added),
                                                      [HR_TOK_STRINGS] = 1,
                                                      [HR_TOK_NORMALIZERS] = sizeof(hr_tok_normalizer),
                                                      [HR_TOK_SPLITS] = sizeof(hr_tok_split),
                                                      [HR_TOK_CODE] = 4,
                                                      [HR_TOK_CLASSES] = 4,
                                                      [HR_TOK_ASCII] = 1,
                                                      [HR_TOK_RANGES] = 4,
                                                      [HR_TOK_PREFIX] = 4,
                                                      [HR_TOK_SUFFIX] = 4,
                                                      [HR_TOK_NFC] = 4,
                                                      [HR_TOK_DECOMPOSE] = sizeof(hr_tok_decompose),
                                                      [HR_TOK_DECOMPOSED] = 4,
                                                      [HR_TOK_COMPOSE] = sizeof(hr_tok_compose),
                                                      [HR_TOK_DECOMPOSE_K] = sizeof(hr_tok_decompose),
                                                      [HR_TOK_SORTED] = 4,
                                                      [HR_TOK_VOCAB_OFFSETS] = 4,
                                                      [HR_TOK_VOCAB_TEXT] = 1,
                                                      [HR_TOK_FIRST_OFFSETS] = 4,
                                                      [HR_TOK_FIRST_TEXT] = 1,
                                                      [HR_TOK_SCORES] = sizeof(hr_tok_score),
                                                      [HR_TOK_MAPS] = sizeof(hr_tok_map),
                                                      [HR_TOK_TRIE] = 4,
                                                      [HR_TOK_TRIE_TEXT] = 1,
                                                      [HR_TOK_GRAPHEMES] = 4};

static int power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

static int check_parts(const hr_tok_header *header) {
  for (uint32_t i = 0; i < HR_TOK_PART_COUNT; i++) {
    hr_tok_span span = header->parts[i];
    if (span.offset & 3 || span.offset < sizeof *header || span.offset > header->bytes ||
        span.count > (header->bytes - span.offset) / part_bytes[i])
      return 0;
  }
  return 1;
}

static int in_part(const hr_tok_view *view, enum hr_tok_part part, uint32_t begin, uint32_t n) {
  uint32_t count = hr_tok_count(view, part);
  return begin <= count && n <= count - begin;
}

/* What the model needs: its vocabulary, and an unknown token to fall back to. */
static int check_model(const hr_tok_view *view) {
  const hr_tok_header *header = view->header;
  uint32_t tokens = header->token_count, bytes = hr_tok_count(view, HR_TOK_BYTE_IDS);
  if (header->unk_id >= tokens && (header->unk_id != HR_TOK_NONE || header->model != HR_TOK_BPE))
    return 0;
  if (hr_tok_count(view, HR_TOK_SORTED) && hr_tok_count(view, HR_TOK_VOCAB_OFFSETS) != tokens + 1)
    return 0;
  if (header->model == HR_TOK_UNIGRAM && hr_tok_count(view, HR_TOK_SCORES) != tokens)
    return 0;
  if (!bytes && header->flags & (HR_TOK_BYTE_LEVEL | HR_TOK_BYTE_FALLBACK))
    return 0;
  return in_part(view, HR_TOK_STRINGS, header->prefix, header->prefix_bytes) && (!bytes || bytes == 256) &&
         power_of_two(hr_tok_count(view, HR_TOK_BUCKETS) - 1);
}

/* The sizes that the reader relies on without looking again. */
static int check_counts(const hr_tok_view *view) {
  uint32_t tokens = view->header->token_count, classes = hr_tok_count(view, HR_TOK_CLASSES);
  if (!tokens || tokens > HR_TOK_MAX_TOKENS || hr_tok_count(view, HR_TOK_OFFSETS) != tokens + 1 ||
      hr_tok_count(view, HR_TOK_FIRST_OFFSETS) != tokens + 1 || hr_tok_count(view, HR_TOK_KINDS) != tokens)
    return 0;
  return hr_tok_count(view, HR_TOK_ASCII) == (classes ? 128u : 0u) && (!classes || hr_tok_count(view, HR_TOK_RANGES)) &&
         check_model(view);
}

static int check_added(const hr_tok_view *view, enum hr_tok_part list) {
  const hr_tok_added *added = hr_tok_data(view, list);
  uint32_t classes = hr_tok_count(view, HR_TOK_CLASSES);
  for (uint32_t i = 0; i < hr_tok_count(view, list); i++) {
    if (!added[i].key_bytes || !in_part(view, HR_TOK_STRINGS, added[i].key, added[i].key_bytes))
      return 0;
    if (added[i].flags && (view->header->space_class >= classes || view->header->word_class >= classes))
      return 0;
  }
  return 1;
}

static int check_program(const hr_tok_view *view, uint32_t begin, uint32_t words) {
  return in_part(view, HR_TOK_CODE, begin, words) &&
         hr_tok_check_program((const uint32_t *)hr_tok_data(view, HR_TOK_CODE) + begin, words,
                              hr_tok_count(view, HR_TOK_CLASSES));
}

static int check_normalizer(const hr_tok_view *view, const hr_tok_normalizer *step) {
  switch (step->kind) {
  case HR_TOK_MAP:
    return in_part(view, HR_TOK_MAPS, step->find, step->find_bytes);
  case HR_TOK_STRIP:
    return view->header->space_class < hr_tok_count(view, HR_TOK_CLASSES);
  case HR_TOK_CHARSMAP:
    return 1;
  case HR_TOK_REPLACE_MATCHES:
    return check_program(view, step->find, step->find_bytes) &&
           in_part(view, HR_TOK_STRINGS, step->with, step->with_bytes);
  default:
    return in_part(view, HR_TOK_STRINGS, step->find, step->find_bytes) &&
           in_part(view, HR_TOK_STRINGS, step->with, step->with_bytes) &&
           (step->kind != HR_TOK_REPLACE || step->find_bytes);
  }
}

static int check_split(const hr_tok_view *view, const hr_tok_split *split) {
  if (split->kind == HR_TOK_SPLIT_SPACE)
    return 1;
  if (split->kind == HR_TOK_SPLIT_METASPACE)
    return split->words && split->words <= 4 && in_part(view, HR_TOK_STRINGS, split->code, split->words);
  return check_program(view, split->code, split->words);
}

static int check_steps(const hr_tok_view *view) {
  const hr_tok_normalizer *normalizers = hr_tok_data(view, HR_TOK_NORMALIZERS);
  const hr_tok_split *splits = hr_tok_data(view, HR_TOK_SPLITS);
  uint32_t copies = 0; /* stages that move text to the other buffer; see hr_tokenizer_split.c */
  if (hr_tok_count(view, HR_TOK_NORMALIZERS) > HR_TOK_MAX_NORMALIZERS ||
      hr_tok_count(view, HR_TOK_SPLITS) > HR_TOK_MAX_SPLITS)
    return 0;
  for (uint32_t i = 0; i < hr_tok_count(view, HR_TOK_NORMALIZERS); i++)
    if (!check_normalizer(view, &normalizers[i]))
      return 0;
  for (uint32_t i = 0; i < hr_tok_count(view, HR_TOK_SPLITS); i++) {
    copies += splits[i].kind == HR_TOK_SPLIT_METASPACE;
    if (!check_split(view, &splits[i]) || copies > 1)
      return 0;
  }
  return 1;
}

hr_status hr_tokenizer_open(hr_tokenizer *tokenizer, const void *section, size_t bytes) {
  const hr_tok_header *header = section;
  if (!tokenizer || !section || (uintptr_t)section & 3)
    return HR_INVALID_ARGUMENT;
  if (bytes < sizeof *header || header->magic != HR_TOK_MAGIC || header->version != HR_TOK_VERSION ||
      header->bytes > bytes)
    return HR_BAD_BUNDLE;
  hr_tokenizer opened = {section, header->bytes};
  hr_tok_view view = hr_tok_open_view(&opened);
  if (!check_parts(header) || !check_counts(&view) || !check_added(&view, HR_TOK_ADDED) ||
      !check_added(&view, HR_TOK_ADDED_NORMALIZED) || !check_steps(&view))
    return HR_BAD_BUNDLE;
  *tokenizer = opened;
  return HR_OK;
}

uint32_t hr_tokenizer_count(const hr_tokenizer *tokenizer) { return hr_tok_open_view(tokenizer).header->token_count; }

/* ---- encode ---- */
void hr_tok_emit(hr_tok_encoder *encoder, uint32_t id) {
  if (id >= encoder->view.header->token_count) {
    encoder->status = HR_BAD_BUNDLE;
    return;
  }
  if (encoder->n < encoder->capacity)
    encoder->ids[encoder->n] = (int32_t)id;
  encoder->n++;
}

static void emit_all(hr_tok_encoder *encoder, enum hr_tok_part part) {
  const uint32_t *ids = hr_tok_data(&encoder->view, part);
  for (uint32_t i = 0; i < hr_tok_count(&encoder->view, part); i++)
    hr_tok_emit(encoder, ids[i]);
}

/* Normalized text between added tokens; lies in one of the encoder's buffers. */
static void encode_piece(hr_tok_encoder *encoder, const uint8_t *text, size_t n) {
  hr_tok_split_text(encoder, 0, (uint8_t *)(uintptr_t)text, n);
}

static void encode_segment(hr_tok_encoder *encoder, const uint8_t *text, size_t n) {
  uint8_t *normalized = hr_tok_normalize(encoder, text, &n);
  if (normalized && n)
    hr_tok_scan_added(encoder, HR_TOK_ADDED_NORMALIZED, normalized, n, encode_piece);
}

/* Scratch: padding to a multiple of 8, the work area, then the two buffers, each after its front. A piece is the
 * normalized text at most, and what the stages put before it. */
#define MAX_ROOM (1u << 30)
static uint32_t room_for(const hr_tok_view *view, size_t text_bytes) {
  return hr_tok_normalized_bound(view, (uint32_t)text_bytes) + HR_TOK_FRONT + 1;
}

size_t hr_tokenizer_scratch(const hr_tokenizer *tokenizer, size_t text_bytes) {
  hr_tok_view view = hr_tok_open_view(tokenizer);
  if (text_bytes >= HR_TOKENIZER_MAX_TEXT)
    return SIZE_MAX;
  uint64_t room = room_for(&view, text_bytes), bytes = 8 + room * HR_TOK_WORK_BYTES + 2 * (room + HR_TOK_FRONT);
  return room > MAX_ROOM || bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

hr_status hr_encode(const hr_tokenizer *tokenizer, const char *text, size_t bytes, uint32_t flags, int32_t *ids,
                    size_t capacity, size_t *n, void *scratch, size_t scratch_bytes) {
  if (!tokenizer || !tokenizer->data || (bytes && !text) || (capacity && !ids) || !n || !scratch)
    return HR_INVALID_ARGUMENT;
  hr_tok_encoder encoder = {.view = hr_tok_open_view(tokenizer), .ids = ids, .capacity = capacity, .status = HR_OK};
  size_t needed = hr_tokenizer_scratch(tokenizer, bytes);
  if (scratch_bytes < needed || needed == SIZE_MAX)
    return HR_OUT_OF_MEMORY;
  if (hr_utf8_valid((const uint8_t *)text, bytes) != bytes)
    return HR_BAD_TEXT;
  uint8_t *base = (uint8_t *)(((uintptr_t)scratch + 7) & ~(uintptr_t)7);
  encoder.room = room_for(&encoder.view, bytes);
  encoder.work = base;
  encoder.buffer[0] = base + encoder.room * HR_TOK_WORK_BYTES + HR_TOK_FRONT;
  encoder.buffer[1] = encoder.buffer[0] + encoder.room + HR_TOK_FRONT;
  encoder.text = (const uint8_t *)text;
  if (flags & HR_WITH_SPECIAL)
    emit_all(&encoder, HR_TOK_PREFIX);
  hr_tok_scan_added(&encoder, HR_TOK_ADDED, (const uint8_t *)text, bytes, encode_segment);
  if (flags & HR_WITH_SPECIAL)
    emit_all(&encoder, HR_TOK_SUFFIX);
  *n = encoder.n;
  if (encoder.status != HR_OK)
    return encoder.status;
  return encoder.n > capacity ? HR_OUT_OF_MEMORY : HR_OK;
}

HR_SMALL_END
