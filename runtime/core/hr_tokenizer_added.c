/* hr_tokenizer_added.c - added tokens: found in text before anything else, longest first at the leftmost place. */
#include "hr_tokenizer_internal.h"

/* Longest key of the list that text begins with, HR_TOK_NONE if there is none. The list is sorted, so the keys that
 * share the first i bytes of the text are a range that narrows as i grows. */
static uint32_t longest_key(const hr_tok_view *view, enum hr_tok_part list, const uint8_t *text, size_t n) {
  const hr_tok_added *added = hr_tok_data(view, list);
  const uint8_t *strings = hr_tok_data(view, HR_TOK_STRINGS);
  uint32_t low = 0, high = hr_tok_count(view, list), best = HR_TOK_NONE;
  for (size_t i = 0; low < high && i < n; i++) {
    uint32_t bound[2]; /* first key in [low, high) whose byte i is not below text[i], and not below text[i] + 1 */
    for (uint32_t side = 0; side < 2; side++) {
      uint32_t a = side ? bound[0] : low, b = high;
      while (a < b) {
        uint32_t middle = a + (b - a) / 2;
        const hr_tok_added *key = &added[middle];
        uint32_t byte = i < key->key_bytes ? strings[key->key + i] : 0;
        if (i >= key->key_bytes || byte < text[i] + side)
          a = middle + 1;
        else
          b = middle;
      }
      bound[side] = a;
    }
    low = bound[0];
    high = bound[1];
    if (low < high && added[low].key_bytes == i + 1)
      best = low;
  }
  return best;
}

static int word_before(const hr_tok_view *view, const uint8_t *text, size_t at) {
  size_t start = at;
  uint32_t n;
  while (start > 0 && at - start < 4 && (text[--start] & 0xc0) == 0x80)
    ;
  return start < at && hr_tok_in_class(view, view->header->word_class, hr_utf8_read(text + start, text + at, &n));
}

static int word_after(const hr_tok_view *view, const uint8_t *text, size_t at, size_t n) {
  uint32_t bytes;
  return at < n && hr_tok_in_class(view, view->header->word_class, hr_utf8_read(text + at, text + n, &bytes));
}

/* First byte of the white space that ends at `at`, not before `least`. */
static size_t space_before(const hr_tok_view *view, const uint8_t *text, size_t at, size_t least) {
  while (at > least) {
    size_t start = at;
    uint32_t n;
    while (start > least && (text[--start] & 0xc0) == 0x80)
      ;
    if (!hr_tok_in_class(view, view->header->space_class, hr_utf8_read(text + start, text + at, &n)))
      break;
    at = start;
  }
  return at;
}

static size_t space_after(const hr_tok_view *view, const uint8_t *text, size_t at, size_t n) {
  uint32_t bytes;
  while (at < n && hr_tok_in_class(view, view->header->space_class, hr_utf8_read(text + at, text + n, &bytes)))
    at += bytes;
  return at;
}

/* `done` is the end of what has been given out. It can lie beyond the next match when rstrip took white space that the
 * match begins with; the match is still taken, and `done` goes back to its end, as in the reference implementation. */
void hr_tok_scan_added(hr_tok_encoder *encoder, enum hr_tok_part list, const uint8_t *text, size_t n,
                       hr_tok_text_fn plain) {
  const hr_tok_view *view = &encoder->view;
  const hr_tok_added *added = hr_tok_data(view, list);
  uint32_t count = hr_tok_count(view, list);
  uint32_t first[8] = {0}; /* bytes that keys begin with */
  for (uint32_t i = 0; i < count; i++) {
    uint8_t byte = ((const uint8_t *)hr_tok_data(view, HR_TOK_STRINGS))[added[i].key];
    first[byte >> 5] |= 1u << (byte & 31);
  }
  size_t done = 0, at = 0;
  while (count && at < n) {
    uint32_t key =
        first[text[at] >> 5] >> (text[at] & 31) & 1 ? longest_key(view, list, text + at, n - at) : HR_TOK_NONE;
    if (key == HR_TOK_NONE) {
      at++;
      continue;
    }
    const hr_tok_added *token = &added[key];
    size_t begin = at, end = at + token->key_bytes;
    at = end;
    if (token->flags & HR_TOK_SINGLE_WORD && (word_before(view, text, begin) || word_after(view, text, end, n)))
      continue;
    if (token->flags & HR_TOK_LSTRIP && done < begin)
      begin = space_before(view, text, begin, done);
    if (token->flags & HR_TOK_RSTRIP)
      end = space_after(view, text, end, n);
    if (done < begin)
      plain(encoder, text + done, begin - done);
    hr_tok_emit(encoder, token->id);
    done = end;
  }
  if (done < n)
    plain(encoder, text + done, n - done);
}
