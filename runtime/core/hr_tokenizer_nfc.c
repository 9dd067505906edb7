/* hr_tokenizer_nfc.c - the normal forms C, D, KC and KD (Unicode standard annex 15), with the tables of the section.
 *
 * Text is cut into runs that normalize on their own: a code point of value 0 in the NFC part and those of other values
 * after it. A run of one code point is copied; others are decomposed, put in canonical order and, for C and KC,
 * composed. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

enum {
  HANGUL_S = 0xac00,
  HANGUL_L = 0x1100,
  HANGUL_V = 0x1161,
  HANGUL_T = 0x11a7,
  L_COUNT = 19,
  V_COUNT = 21,
  T_COUNT = 28
};

typedef struct code_list {
  uint32_t *codes; /* code point | combining class << 24 */
  size_t n, room;
  int compatible; /* KC and KD */
} code_list;

static void add_code(const hr_tok_view *view, code_list *list, uint32_t code) {
  uint32_t value = hr_tok_range_value(view, HR_TOK_NFC, code);
  if (list->n < list->room)
    list->codes[list->n++] = (code & 0x1fffff) | (value == HR_TOK_NFC_CHANGES ? 0 : value) << 24;
}

static const hr_tok_decompose *row_of(const hr_tok_view *view, enum hr_tok_part part, uint32_t code) {
  const hr_tok_decompose *table = hr_tok_data(view, part);
  uint32_t low = 0, count = hr_tok_count(view, part), high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (table[middle].code < code)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && table[low].code == code ? &table[low] : 0;
}

static void decompose(const hr_tok_view *view, code_list *list, uint32_t code) {
  uint32_t s = code - HANGUL_S;
  if (s < L_COUNT * V_COUNT * T_COUNT) {
    add_code(view, list, HANGUL_L + s / (V_COUNT * T_COUNT));
    add_code(view, list, HANGUL_V + s % (V_COUNT * T_COUNT) / T_COUNT);
    if (s % T_COUNT)
      add_code(view, list, HANGUL_T + s % T_COUNT);
    return;
  }
  const hr_tok_decompose *row = list->compatible ? row_of(view, HR_TOK_DECOMPOSE_K, code) : 0;
  if (!row)
    row = row_of(view, HR_TOK_DECOMPOSE, code);
  if (!row) {
    add_code(view, list, code);
    return;
  }
  const uint32_t *codes = hr_tok_data(view, HR_TOK_DECOMPOSED);
  uint32_t first = row->first_and_count & 0xffffff, n = row->first_and_count >> 24;
  for (uint32_t i = 0; i < n && first + i < hr_tok_count(view, HR_TOK_DECOMPOSED); i++)
    add_code(view, list, codes[first + i]);
}

/* Stable sort by combining class of each stretch without starters: insertion for the short ones that text has, counting
 * for the long ones that only an attack has. spare: as long as codes. */
static void sort_stretch(uint32_t *codes, size_t n, uint32_t *spare) {
  if (n <= 32) {
    for (size_t i = 1; i < n; i++) {
      uint32_t code = codes[i];
      size_t at = i;
      for (; at > 0 && codes[at - 1] >> 24 > code >> 24; at--)
        codes[at] = codes[at - 1];
      codes[at] = code;
    }
    return;
  }
  size_t done = 0;
  for (uint32_t value = 1; value < 256; value++)
    for (size_t i = 0; i < n; i++)
      if (codes[i] >> 24 == value)
        spare[done++] = codes[i];
  memcpy(codes, spare, done * sizeof *codes);
}

static void put_in_order(uint32_t *codes, size_t n, uint32_t *spare) {
  for (size_t i = 0; i < n; i++) {
    size_t begin = i;
    while (i < n && codes[i] >> 24)
      i++;
    sort_stretch(codes + begin, i - begin, spare);
  }
}

/* The composite of two code points, 0 if there is none. */
static uint32_t composite(const hr_tok_view *view, uint32_t first, uint32_t second) {
  if (first - HANGUL_L < L_COUNT && second - HANGUL_V < V_COUNT)
    return HANGUL_S + ((first - HANGUL_L) * V_COUNT + (second - HANGUL_V)) * T_COUNT;
  if (first - HANGUL_S < L_COUNT * V_COUNT * T_COUNT && (first - HANGUL_S) % T_COUNT == 0 &&
      second - HANGUL_T - 1 < T_COUNT - 1)
    return first + (second - HANGUL_T);
  const hr_tok_compose *table = hr_tok_data(view, HR_TOK_COMPOSE);
  uint32_t low = 0, high = hr_tok_count(view, HR_TOK_COMPOSE);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const hr_tok_compose *row = &table[middle];
    if (row->first == first && row->second == second)
      return row->code & 0x1fffff;
    if (row->first < first || (row->first == first && row->second < second))
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

/* Composes in place; returns the new length. *place, in codes, moves with what stands there. A code point is blocked from the starter when one with the same or a
 * higher class, or another starter, stands between. */
static size_t compose(const hr_tok_view *view, uint32_t *codes, size_t n, size_t *place) {
  size_t kept = 0, starter = SIZE_MAX, wanted = *place;
  uint32_t last_class = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t code = codes[i] & 0x1fffff, value = codes[i] >> 24;
    if (i == wanted)
      *place = kept;
    int adjacent = starter != SIZE_MAX && starter + 1 == kept;
    if (starter != SIZE_MAX && (adjacent || (last_class < value && last_class))) {
      uint32_t joined = composite(view, codes[starter], code);
      if (joined) {
        codes[starter] = joined;
        continue;
      }
    }
    if (!value)
      starter = kept;
    last_class = value;
    codes[kept++] = code;
  }
  if (wanted >= n)
    *place = kept;
  return kept;
}

/* `begin`: of the run in the text. */
static void write_run(const hr_tok_view *view, uint32_t kind, const uint8_t *text, size_t begin, size_t end,
                      hr_tok_writer *writer, uint32_t *work, size_t words) {
  code_list list = {work, 0, words / 2, kind == HR_TOK_TO_NFKC || kind == HR_TOK_TO_NFKD};
  size_t place = 0; /* of what does not come from the first character of all */
  uint32_t bytes;
  for (size_t i = begin; i < end; i += bytes) {
    decompose(view, &list, hr_utf8_read(text + i, text + end, &bytes));
    if (i < writer->first)
      place = list.n;
  }
  put_in_order(list.codes, list.n, work + words / 2);
  if (kind == HR_TOK_TO_NFC || kind == HR_TOK_TO_NFKC)
    list.n = compose(view, list.codes, list.n, &place);
  for (size_t i = 0; i < list.n; i++) {
    if (i == place)
      hr_tok_mark(writer, end);
    hr_tok_put_code(writer, list.codes[i] & 0x1fffff);
  }
}

void hr_tok_normal_form(const hr_tok_view *view, uint32_t kind, const uint8_t *text, size_t n, hr_tok_writer *writer,
                        uint32_t *work, size_t work_words) {
  size_t i = 0;
  while (i < n) {
    size_t begin = i;
    uint32_t bytes, first = hr_utf8_read(text + i, text + n, &bytes), codes = 1;
    int plain = first < 0x80 || !hr_tok_range_value(view, HR_TOK_NFC, first);
    for (i += bytes; i < n; i += bytes, codes++) {
      uint32_t code = hr_utf8_read(text + i, text + n, &bytes);
      if (code < 0x80 || !hr_tok_range_value(view, HR_TOK_NFC, code))
        break;
    }
    hr_tok_mark(writer, begin);
    if (codes == 1 && plain)
      hr_tok_put(writer, text + begin, i - begin);
    else
      write_run(view, kind, text, begin, i, writer, work, work_words);
  }
}

HR_SMALL_END
