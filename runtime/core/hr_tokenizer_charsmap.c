/* hr_tokenizer_charsmap.c - the precompiled character map of SentencePiece, applied as the tokenizers library does: to
 * extended grapheme clusters of less than 6 bytes as a whole, where the shortest prefix that the map knows stands for
 * all of the cluster, and else to each character. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

/* ---- the double array ----
 * A unit: bits 0-7 and 31 its label, bit 8 whether it has a leaf, bits 10-30 the offset to its children, times 256 when
 * bit 9 is set; of a leaf, bits 0-30 are the value. */
static uint32_t children_of(uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); }

/* What the shortest known prefix of text maps to, ended by a zero or the end of the part; 0: none is known. */
static const uint8_t *mapped(const hr_tok_view *view, const uint8_t *text, size_t n, size_t *bytes) {
  const uint32_t *units = hr_tok_data(view, HR_TOK_TRIE);
  const uint8_t *texts = hr_tok_data(view, HR_TOK_TRIE_TEXT);
  uint32_t count = hr_tok_count(view, HR_TOK_TRIE), limit = hr_tok_count(view, HR_TOK_TRIE_TEXT);
  uint32_t at = count ? children_of(units[0]) : 0;
  for (size_t i = 0; i < n && text[i]; i++) {
    at ^= text[i];
    if (at >= count || (units[at] & 0x800000ffu) != text[i])
      return 0;
    uint32_t unit = units[at];
    at ^= children_of(unit);
    if (!(unit >> 8 & 1))
      continue;
    uint32_t value = at < count ? units[at] & 0x7fffffffu : limit, end = value;
    while (end < limit && texts[end])
      end++;
    *bytes = value < limit ? end - value : 0;
    return value < limit ? texts + value : 0;
  }
  return 0;
}

/* ---- extended grapheme clusters ---- */
typedef struct cluster_state {
  uint32_t kind, code; /* of the last character */
  int picture;         /* 1: it ends Extended_Pictographic Extend*; 2: the same and a ZWJ */
  int regional;        /* it is the second of a pair of regional indicators */
} cluster_state;

static int is_hangul_pair(uint32_t a, uint32_t b) {
  if (a == HR_TOK_GRAPHEME_L)
    return b == HR_TOK_GRAPHEME_L || b == HR_TOK_GRAPHEME_V || b == HR_TOK_GRAPHEME_LV || b == HR_TOK_GRAPHEME_LVT;
  if (a == HR_TOK_GRAPHEME_LV || a == HR_TOK_GRAPHEME_V)
    return b == HR_TOK_GRAPHEME_V || b == HR_TOK_GRAPHEME_T;
  return (a == HR_TOK_GRAPHEME_LVT || a == HR_TOK_GRAPHEME_T) && b == HR_TOK_GRAPHEME_T;
}

/* Whether a character of this kind belongs to the cluster that ends as `state` says. */
static int continues(const cluster_state *state, uint32_t kind, uint32_t code) {
  if (state->kind == HR_TOK_GRAPHEME_CONTROL || kind == HR_TOK_GRAPHEME_CONTROL)
    return state->code == '\r' && code == '\n';
  if (kind == HR_TOK_GRAPHEME_EXTEND || kind == HR_TOK_GRAPHEME_ZWJ || kind == HR_TOK_GRAPHEME_SPACING ||
      state->kind == HR_TOK_GRAPHEME_PREPEND)
    return 1;
  if (kind == HR_TOK_GRAPHEME_PICTURE)
    return state->picture == 2;
  if (kind == HR_TOK_GRAPHEME_REGIONAL)
    return state->kind == HR_TOK_GRAPHEME_REGIONAL && !state->regional;
  return is_hangul_pair(state->kind, kind);
}

static void advance(cluster_state *state, uint32_t kind, uint32_t code) {
  state->regional = kind == HR_TOK_GRAPHEME_REGIONAL && state->kind == HR_TOK_GRAPHEME_REGIONAL && !state->regional;
  if (kind == HR_TOK_GRAPHEME_PICTURE)
    state->picture = 1;
  else if (kind == HR_TOK_GRAPHEME_ZWJ && state->picture == 1)
    state->picture = 2;
  else if (kind != HR_TOK_GRAPHEME_EXTEND || state->picture != 1)
    state->picture = 0;
  state->kind = kind;
  state->code = code;
}

/* Bytes of the cluster that text begins with. */
static size_t cluster_bytes(const hr_tok_view *view, const uint8_t *text, size_t n) {
  cluster_state state = {HR_TOK_GRAPHEME_OTHER, 0, 0, 0};
  size_t at = 0;
  while (at < n) {
    uint32_t bytes, code = hr_utf8_read(text + at, text + n, &bytes),
                    kind = hr_tok_range_value(view, HR_TOK_GRAPHEMES, code);
    if (at && !continues(&state, kind, code))
      break;
    advance(&state, kind, code);
    at += bytes;
  }
  return at;
}

/* ---- the map ---- */
void hr_tok_charsmap(const hr_tok_view *view, const uint8_t *text, size_t n, hr_tok_writer *writer) {
  for (size_t i = 0, end; i < n; i = end) {
    size_t bytes = 0;
    end = i + cluster_bytes(view, text + i, n - i);
    hr_tok_mark(writer, i);
    const uint8_t *with = end - i < 6 ? mapped(view, text + i, end - i, &bytes) : 0;
    if (with) {
      hr_tok_put(writer, with, bytes);
      continue;
    }
    for (uint32_t step; i < end; i += step) {
      hr_utf8_read(text + i, text + end, &step);
      with = mapped(view, text + i, step, &bytes);
      hr_tok_mark(writer, i);
      hr_tok_put(writer, with ? with : text + i, with ? bytes : step);
    }
  }
}

HR_SMALL_END
