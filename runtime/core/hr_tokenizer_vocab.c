/* hr_tokenizer_vocab.c - texts of tokens, and the search for tokens by their text. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

const uint8_t *hr_tok_token_text(const hr_tok_view *view, enum hr_tok_part offsets, uint32_t id, uint32_t *n) {
  const uint32_t *bounds = hr_tok_data(view, offsets);
  uint32_t begin = bounds[id], end = bounds[id + 1];
  if (begin > end || end > hr_tok_count(view, offsets == HR_TOK_OFFSETS ? HR_TOK_TEXT : offsets + 1))
    return 0;
  *n = end - begin;
  return (const uint8_t *)hr_tok_data(view, offsets == HR_TOK_OFFSETS ? HR_TOK_TEXT : offsets + 1) + begin;
}

/* A key of a sorted list; one that is damaged reads as empty. */
static const uint8_t *key_text(const hr_tok_view *view, enum hr_tok_part list, uint32_t index, uint32_t *n) {
  static const uint8_t empty[1];
  if (list != HR_TOK_SORTED) {
    const hr_tok_added *key = (const hr_tok_added *)hr_tok_data(view, list) + index;
    *n = key->key_bytes;
    return (const uint8_t *)hr_tok_data(view, HR_TOK_STRINGS) + key->key;
  }
  uint32_t id = ((const uint32_t *)hr_tok_data(view, list))[index];
  const uint8_t *text = id < view->header->token_count ? hr_tok_token_text(view, HR_TOK_VOCAB_OFFSETS, id, n) : 0;
  if (text)
    return text;
  *n = 0;
  return empty;
}

void hr_tok_narrow(const hr_tok_view *view, enum hr_tok_part list, hr_tok_keys *keys, uint8_t byte) {
  uint32_t bound[2]; /* first key whose byte at `depth` is not below `byte`, and not below byte + 1 */
  for (uint32_t side = 0; side < 2; side++) {
    uint32_t low = side ? bound[0] : keys->low, high = keys->high;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2, n;
      const uint8_t *key = key_text(view, list, middle, &n);
      if (keys->depth >= n || key[keys->depth] < byte + side)
        low = middle + 1;
      else
        high = middle;
    }
    bound[side] = low;
  }
  keys->low = bound[0];
  keys->high = bound[1];
  keys->depth++;
}

int hr_tok_key_ends(const hr_tok_view *view, enum hr_tok_part list, const hr_tok_keys *keys) {
  uint32_t n;
  if (keys->low >= keys->high)
    return 0;
  key_text(view, list, keys->low, &n);
  return n == keys->depth;
}

uint32_t hr_tok_find_token(const hr_tok_view *view, const uint8_t *text, size_t n) {
  const uint32_t *sorted = hr_tok_data(view, HR_TOK_SORTED);
  uint32_t low = 0, high = hr_tok_count(view, HR_TOK_SORTED);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2, bytes;
    const uint8_t *key = key_text(view, HR_TOK_SORTED, middle, &bytes);
    int order = memcmp(key, text, bytes < n ? bytes : n);
    if (!order && bytes == n)
      return sorted[middle];
    if (order < 0 || (!order && bytes < n))
      low = middle + 1;
    else
      high = middle;
  }
  return HR_TOK_NONE;
}

HR_SMALL_END
