/* hr_tokenizer_internal.h - what the tokenizer's files share. Not installed.
 *
 * Trust: hr_tokenizer_open has checked that every part lies inside the section and has the size the header implies,
 * that programs are well formed, and that strings of normalizers and added tokens lie inside STRINGS. Numbers read from
 * the large parts (token offsets, bucket bounds, ids, decompositions) are checked here, where they are used.
 */
#ifndef HR_TOKENIZER_INTERNAL_H
#define HR_TOKENIZER_INTERNAL_H
#include "headrace.h"
#include "hr_tokenizer_format.h"

/* Provided by runtime/core for freestanding builds, by libc elsewhere. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

typedef struct hr_tok_view {
  const uint8_t *data;
  const hr_tok_header *header;
} hr_tok_view;

static inline hr_tok_view hr_tok_open_view(const hr_tokenizer *tokenizer) {
  hr_tok_view view = {tokenizer->data, (const hr_tok_header *)(const void *)tokenizer->data};
  return view;
}
static inline const void *hr_tok_data(const hr_tok_view *view, enum hr_tok_part part) {
  return view->data + view->header->parts[part].offset;
}
static inline uint32_t hr_tok_count(const hr_tok_view *view, enum hr_tok_part part) {
  return view->header->parts[part].count;
}

/* ---- UTF-8 ----
 * Reads one code point at p < end; *n receives its bytes, 1 .. end - p. Well-formed text is read exactly; anything else
 * gives some value without leaving [p, end): blobs may hold ill-formed strings. */
static inline uint32_t hr_utf8_read(const uint8_t *p, const uint8_t *end, uint32_t *n) {
  uint32_t lead = p[0], need = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0x80 || need == 1 || (size_t)(end - p) < need) {
    *n = 1;
    return lead < 0x80 ? lead : 0xfffd;
  }
  uint32_t code = lead & (0x7fu >> need);
  for (uint32_t i = 1; i < need; i++)
    code = code << 6 | (p[i] & 0x3fu);
  *n = need;
  return code;
}

/* Writes a code point below 0x110000; returns its bytes (at most 4). */
uint32_t hr_utf8_write(uint8_t *to, uint32_t code);
/* Bytes of the longest well-formed prefix. */
size_t hr_utf8_valid(const uint8_t *text, size_t n);

/* ---- properties ---- */
/* Value of the entry of a RANGES-like part that holds `code`. */
uint32_t hr_tok_range_value(const hr_tok_view *view, enum hr_tok_part part, uint32_t code);
int hr_tok_in_class(const hr_tok_view *view, uint32_t cls, uint32_t code);

/* ---- encoding ---- */
typedef struct hr_tok_symbol {
  uint32_t id;         /* HR_TOK_NONE: merged into the one on its left */
  uint32_t prev, next; /* index, HR_TOK_NONE at the ends */
} hr_tok_symbol;

typedef struct hr_tok_heap_entry {
  uint32_t rank, pos;
} hr_tok_heap_entry;

/* One call of hr_encode. The work area is used in turn by NFC (code points) and by merging (symbols and heap). */
typedef struct hr_tok_encoder {
  hr_tok_view view;
  int32_t *ids;
  size_t capacity, n; /* n counts on when capacity is used up */
  uint8_t *buffer[2]; /* normalized text, `room` bytes each, one writable byte before each */
  size_t room;
  void *work;       /* HR_TOK_WORK_BYTES * room bytes, aligned to 8 */
  hr_status status; /* first error */
} hr_tok_encoder;

#define HR_TOK_WORK_BYTES (sizeof(hr_tok_symbol) + 2 * sizeof(hr_tok_heap_entry)) /* per byte of text */

void hr_tok_emit(hr_tok_encoder *encoder, uint32_t id);

/* Calls `plain` for the text between added tokens of the list and emits those. */
typedef void (*hr_tok_text_fn)(hr_tok_encoder *encoder, const uint8_t *text, size_t n);
void hr_tok_scan_added(hr_tok_encoder *encoder, enum hr_tok_part list, const uint8_t *text, size_t n,
                       hr_tok_text_fn plain);

/* Runs the normalizers over the text; the result, in one of the encoder's buffers, is *n bytes. 0 on an error. */
uint8_t *hr_tok_normalize(hr_tok_encoder *encoder, const uint8_t *text, size_t *n);
/* Bytes that text below HR_TOKENIZER_MAX_TEXT may become, at most 2^31. */
uint32_t hr_tok_normalized_bound(const hr_tok_view *view, uint32_t text_bytes);
/* NFC of text into to (room bytes); returns the bytes written, or SIZE_MAX when it does not fit. */
size_t hr_tok_nfc(const hr_tok_view *view, const uint8_t *text, size_t n, uint8_t *to, size_t room, uint32_t *work,
                  size_t work_words);

/* Splits text by stage `stage` and the ones after it, and encodes the pieces. The byte before text is writable. */
void hr_tok_split_text(hr_tok_encoder *encoder, uint32_t stage, uint8_t *text, size_t n);
/* Whether the program is well formed (see hr_tok_op). */
int hr_tok_check_program(const uint32_t *code, uint32_t words, uint32_t classes);

/* Byte pair encoding of one pre-token. */
void hr_tok_encode_word(hr_tok_encoder *encoder, const uint8_t *text, size_t n);

/* ---- vocabulary ---- */
/* Decoded text of a token; 0 when the blob's offsets are damaged. */
const uint8_t *hr_tok_token_text(const hr_tok_view *view, uint32_t id, uint32_t *n);

#endif
