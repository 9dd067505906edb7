/* hr_tokenizer_internal.h - what the tokenizer's files share. Not installed.
 *
 * Trust: hr_tokenizer_open has checked that every part lies inside the section and has the size the header implies,
 * that programs are well formed, and that strings of normalizers and added tokens lie inside STRINGS. Numbers read from
 * the large parts (token offsets, bucket bounds, ids, decompositions) are checked here, where they are used.
 */
#ifndef HR_TOKENIZER_INTERNAL_H
#define HR_TOKENIZER_INTERNAL_H
#include "headrace.h"
#include "hr_small.h"
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

/* A place that the best path of a unigram model reaches: the token that ends there and where it begins. Once the path is
 * known, `next` of the places on it says where the token that begins there ends. */
typedef struct hr_tok_path {
  union {
    double score;
    uint32_t next;
  } u;
  uint32_t id, start; /* start: HR_TOK_NONE where no path has come yet */
} hr_tok_path;

/* One call of hr_encode. The work area is used in turn by normal forms (code points), by merging (symbols and heap) and
 * by paths. */
typedef struct hr_tok_encoder {
  hr_tok_view view;
  int32_t *ids;
  size_t capacity, n; /* n counts on when capacity is used up */
  uint8_t *buffer[2]; /* normalized text, `room` bytes each, HR_TOK_FRONT writable bytes before each */
  size_t room;
  const uint8_t *text; /* as given */
  const uint8_t *origin; /* characters of normalized text that begin before this come from the first of `text` */
  void *work;       /* HR_TOK_WORK_BYTES * room bytes, aligned to 8 */
  hr_status status; /* first error */
} hr_tok_encoder;

#define HR_TOK_WORK_BYTES (sizeof(hr_tok_symbol) + 2 * sizeof(hr_tok_heap_entry)) /* per byte of text */
#define HR_TOK_FRONT (4 * HR_TOK_MAX_SPLITS) /* each stage may put one character before a piece */

void hr_tok_emit(hr_tok_encoder *encoder, uint32_t id);

/* Calls `plain` for the text between added tokens of the list and emits those. */
typedef void (*hr_tok_text_fn)(hr_tok_encoder *encoder, const uint8_t *text, size_t n);
void hr_tok_scan_added(hr_tok_encoder *encoder, enum hr_tok_part list, const uint8_t *text, size_t n,
                       hr_tok_text_fn plain);

/* First byte of the white space that ends at `at`, not before `least`; end of that which begins at `at`. */
size_t hr_tok_space_before(const hr_tok_view *view, const uint8_t *text, size_t at, size_t least);
size_t hr_tok_space_after(const hr_tok_view *view, const uint8_t *text, size_t at, size_t n);

/* Runs the normalizers over the text; the result, in one of the encoder's buffers, is *n bytes. 0 on an error. */
uint8_t *hr_tok_normalize(hr_tok_encoder *encoder, const uint8_t *text, size_t *n);
/* Bytes that text below HR_TOKENIZER_MAX_TEXT may become, at most 2^31. */
uint32_t hr_tok_normalized_bound(const hr_tok_view *view, uint32_t text_bytes);

/* ---- one normalizer: from text to a buffer ----
 * `first` is how many bytes of the text come from the first character of the whole; hr_tok_put and hr_tok_mark carry it
 * over to `to_first`. A step that does not fit in the room sets `full`. */
typedef struct hr_tok_writer {
  uint8_t *to;
  size_t n, room;
  size_t first, to_first;
  int marked, full;
} hr_tok_writer;
/* What is written from now on comes from byte `from` of the text or later ones. */
static inline void hr_tok_mark(hr_tok_writer *writer, size_t from) {
  if (from >= writer->first && !writer->marked) {
    writer->to_first = writer->n;
    writer->marked = 1;
  }
}
void hr_tok_put(hr_tok_writer *writer, const uint8_t *bytes, size_t n);
void hr_tok_put_code(hr_tok_writer *writer, uint32_t code);
/* NFC, NFD, NFKC or NFKD, as `kind` says. */
void hr_tok_normal_form(const hr_tok_view *view, uint32_t kind, const uint8_t *text, size_t n, hr_tok_writer *writer,
                        uint32_t *work, size_t work_words);
/* A precompiled character map of SentencePiece. */
void hr_tok_charsmap(const hr_tok_view *view, const uint8_t *text, size_t n, hr_tok_writer *writer);

/* ---- programs ---- */
typedef struct hr_tok_matcher {
  const hr_tok_view *view;
  const uint32_t *code;
  uint32_t words;
  int spelled; /* HR_TOK_SPLIT_SPELLED */
  const uint8_t *text;
  size_t n;       /* of text: nothing beyond is looked at */
  uint64_t steps; /* left; a damaged program could otherwise try combinations without end */
} hr_tok_matcher;
/* The next match that begins at `at` or later: 1 and its place (not empty), or 0. A damaged program sets *status. */
int hr_tok_find(hr_tok_matcher *matcher, size_t at, size_t *begin, size_t *end, hr_status *status);
/* Whether the program is well formed (see hr_tok_op). */
int hr_tok_check_program(const uint32_t *code, uint32_t words, uint32_t classes);

/* Splits text by stage `stage` and the ones after it, and encodes the pieces. HR_TOK_FRONT bytes before the buffer that
 * text lies in, and what of it was given before, are writable. */
void hr_tok_split_text(hr_tok_encoder *encoder, uint32_t stage, uint8_t *text, size_t n);

/* ---- models: ids of one pre-token ---- */
void hr_tok_encode_word(hr_tok_encoder *encoder, const uint8_t *text, size_t n);
void hr_tok_encode_bpe(hr_tok_encoder *encoder, const uint8_t *text, size_t n);
/* Bytes of the character of the vocabulary that text begins with. */
static inline uint32_t hr_tok_char_bytes(const hr_tok_view *view, const uint8_t *text, const uint8_t *end) {
  uint32_t n = 1;
  if (!(view->header->flags & HR_TOK_BYTE_LEVEL))
    hr_utf8_read(text, end, &n);
  return n;
}
/* Whether every byte has a token of its own. */
int hr_tok_bytes_known(const hr_tok_view *view, const uint8_t *text, size_t n);

/* The code point that stands for a byte in a byte-level vocabulary. */
uint32_t hr_tok_spelled(uint8_t byte);

/* ---- vocabulary ---- */
/* Text of token `id` in a part of offsets and the part of text after it; 0 when the offsets are damaged. */
const uint8_t *hr_tok_token_text(const hr_tok_view *view, enum hr_tok_part offsets, uint32_t id, uint32_t *n);
/* Keys of a sorted list (ADDED, ADDED_NORMALIZED or SORTED) that share their first `depth` bytes. */
typedef struct hr_tok_keys {
  uint32_t low, high, depth;
} hr_tok_keys;
/* Keeps those whose next byte is this one. */
void hr_tok_narrow(const hr_tok_view *view, enum hr_tok_part list, hr_tok_keys *keys, uint8_t byte);
/* Whether one of them, then the first, has no further byte. */
int hr_tok_key_ends(const hr_tok_view *view, enum hr_tok_part list, const hr_tok_keys *keys);
/* Token of the model whose vocabulary text is this, or HR_TOK_NONE. */
uint32_t hr_tok_find_token(const hr_tok_view *view, const uint8_t *text, size_t n);

#endif
