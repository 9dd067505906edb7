/* hr_tokenizer_added.c - added tokens: found in text before anything else, longest first at the leftmost place. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

/* Longest key of the list that text begins with, HR_TOK_NONE if there is none. */
static uint32_t longest_key(const hr_tok_view *view, enum hr_tok_part list, const uint8_t *text, size_t n) {
  hr_tok_keys keys = {0, hr_tok_count(view, list), 0};
  uint32_t best = HR_TOK_NONE;
  while (keys.low < keys.high && keys.depth < n) {
    hr_tok_narrow(view, list, &keys, text[keys.depth]);
    if (hr_tok_key_ends(view, list, &keys))
      best = keys.low;
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
size_t hr_tok_space_before(const hr_tok_view *view, const uint8_t *text, size_t at, size_t least) {
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

/* End of the white space that begins at `at`. */
size_t hr_tok_space_after(const hr_tok_view *view, const uint8_t *text, size_t at, size_t n) {
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
    if (token->flags & HR_TOK_LSTRIP)
      begin = done < begin ? hr_tok_space_before(view, text, begin, done) : done;
    if (token->flags & HR_TOK_RSTRIP)
      end = hr_tok_space_after(view, text, end, n);
    if (begin >= end) /* white space that was given out already */
      continue;
    if (done < begin)
      plain(encoder, text + done, begin - done);
    hr_tok_emit(encoder, token->id);
    done = end;
  }
  if (done < n)
    plain(encoder, text + done, n - done);
}

HR_SMALL_END
