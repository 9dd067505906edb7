/* hr_tokenizer_bpe.c - byte pair encoding of one pre-token: a linked list of symbols and a heap of the merges that are
 * possible. */
#include "hr_tokenizer_internal.h"

static const hr_tok_merge *find_merge(const hr_tok_view *view, uint32_t left, uint32_t right) {
  const uint32_t *buckets = hr_tok_data(view, HR_TOK_BUCKETS);
  const hr_tok_merge *merges = hr_tok_data(view, HR_TOK_MERGES);
  uint32_t h = left * 0x9e3779b1u ^ right * 0x85ebca6bu;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h &= hr_tok_count(view, HR_TOK_BUCKETS) - 2;
  uint32_t begin = buckets[h], end = buckets[h + 1];
  if (end > hr_tok_count(view, HR_TOK_MERGES) || end - begin > HR_TOK_MAX_BUCKET)
    return 0;
  for (uint32_t i = begin; i < end; i++)
    if (merges[i].left == left && merges[i].right == right)
      return &merges[i];
  return 0;
}

/* ---- heap: lowest rank first, leftmost among equals ---- */
typedef struct merge_heap {
  hr_tok_heap_entry *entries;
  size_t n;
} merge_heap;

static int before(hr_tok_heap_entry a, hr_tok_heap_entry b) {
  return a.rank != b.rank ? a.rank < b.rank : a.pos < b.pos;
}

static void heap_push(merge_heap *heap, uint32_t rank, uint32_t pos) {
  hr_tok_heap_entry entry = {rank, pos};
  size_t i = heap->n++;
  while (i > 0 && before(entry, heap->entries[(i - 1) / 2])) {
    heap->entries[i] = heap->entries[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap->entries[i] = entry;
}

static hr_tok_heap_entry heap_pop(merge_heap *heap) {
  hr_tok_heap_entry top = heap->entries[0], last = heap->entries[--heap->n];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
    if (child + 1 < heap->n && before(heap->entries[child + 1], heap->entries[child]))
      child++;
    if (!before(heap->entries[child], last))
      break;
    heap->entries[i] = heap->entries[child];
  }
  heap->entries[i] = last;
  return top;
}

/* ---- symbols ---- */
/* Row of CHARS, see hr_tok_char. */
static uint32_t char_id(const hr_tok_view *view, uint32_t code) {
  const hr_tok_char *chars = hr_tok_data(view, HR_TOK_CHARS);
  uint32_t low = 0, high = hr_tok_count(view, HR_TOK_CHARS);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (chars[middle].code < code)
      low = middle + 1;
    else
      high = middle;
  }
  return low < hr_tok_count(view, HR_TOK_CHARS) && chars[low].code == code ? chars[low].id : HR_TOK_NONE;
}

static uint32_t symbol_id(const hr_tok_view *view, uint32_t code, int first, int last) {
  uint32_t flags = view->header->flags, variant = 0;
  if (!first && flags & HR_TOK_SUBWORD_PREFIX)
    variant |= HR_TOK_CHAR_CONTINUES;
  if (last && flags & HR_TOK_WORD_SUFFIX)
    variant |= HR_TOK_CHAR_ENDS;
  if (flags & HR_TOK_BYTE_LEVEL && !variant)
    return ((const uint32_t *)hr_tok_data(view, HR_TOK_BYTE_IDS))[code];
  return char_id(view, code | variant);
}

/* The symbols that a pre-token begins as, at most one per byte. An unknown symbol is held back until a known one
 * follows, so that its neighbours can be fused with it. */
static size_t first_symbols(const hr_tok_view *view, const uint8_t *text, size_t n, hr_tok_symbol *symbols) {
  const uint32_t *byte_ids = hr_tok_data(view, HR_TOK_BYTE_IDS);
  uint32_t flags = view->header->flags, unk = view->header->unk_id, bytes = 1;
  size_t count = 0;
  int held = 0;
  for (size_t i = 0; i < n; i += bytes) {
    uint32_t code = flags & HR_TOK_BYTE_LEVEL ? text[i] : hr_utf8_read(text + i, text + n, &bytes);
    uint32_t id = symbol_id(view, code, !i, i + bytes == n);
    if (id == HR_TOK_NONE && flags & HR_TOK_BYTE_FALLBACK && hr_tok_bytes_known(view, text + i, bytes)) {
      for (uint32_t k = 0; k < bytes; k++)
        symbols[count++].id = byte_ids[text[i + k]];
      continue;
    }
    if (held && (id != HR_TOK_NONE || !(flags & HR_TOK_FUSE_UNK))) {
      symbols[count++].id = unk;
      held = 0;
    }
    if (id != HR_TOK_NONE)
      symbols[count++].id = id;
    else
      held = unk != HR_TOK_NONE;
  }
  if (held)
    symbols[count++].id = unk;
  return count;
}

static void push_pair(const hr_tok_view *view, const hr_tok_symbol *symbols, merge_heap *heap, uint32_t left) {
  const hr_tok_merge *merge = find_merge(view, symbols[left].id, symbols[symbols[left].next].id);
  if (merge)
    heap_push(heap, merge->rank, left);
}

/* Each merge takes one entry and adds at most two: the heap never holds more than 2 n. An entry is stale when the pair
 * at its place has changed, which the rank tells; a pair of the same rank has an entry of its own at the same place in
 * the order, and may as well be merged by this one. */
static void merge_all(const hr_tok_view *view, hr_tok_symbol *symbols, uint32_t n, merge_heap *heap) {
  for (uint32_t i = 0; i < n; i++) {
    symbols[i].prev = i ? i - 1 : HR_TOK_NONE;
    symbols[i].next = i + 1 < n ? i + 1 : HR_TOK_NONE;
  }
  for (uint32_t i = 0; i + 1 < n; i++)
    push_pair(view, symbols, heap, i);
  while (heap->n) {
    hr_tok_heap_entry top = heap_pop(heap);
    hr_tok_symbol *left = &symbols[top.pos];
    if (left->id == HR_TOK_NONE || left->next == HR_TOK_NONE)
      continue;
    hr_tok_symbol *right = &symbols[left->next];
    const hr_tok_merge *merge = find_merge(view, left->id, right->id);
    if (!merge || merge->rank != top.rank || merge->result == HR_TOK_NONE)
      continue;
    left->id = merge->result;
    left->next = right->next;
    right->id = HR_TOK_NONE;
    if (left->next != HR_TOK_NONE)
      symbols[left->next].prev = top.pos;
    if (left->prev != HR_TOK_NONE)
      push_pair(view, symbols, heap, left->prev);
    if (left->next != HR_TOK_NONE)
      push_pair(view, symbols, heap, top.pos);
  }
}

void hr_tok_encode_bpe(hr_tok_encoder *encoder, const uint8_t *text, size_t n) {
  const hr_tok_view *view = &encoder->view;
  if (view->header->flags & HR_TOK_IGNORE_MERGES) {
    uint32_t id = hr_tok_find_token(view, text, n);
    if (id != HR_TOK_NONE) {
      hr_tok_emit(encoder, id);
      return;
    }
  }
  hr_tok_symbol *symbols = encoder->work;
  uint32_t count = (uint32_t)first_symbols(view, text, n, symbols);
  merge_heap heap = {(hr_tok_heap_entry *)(void *)(symbols + count), 0};
  if (!count)
    return;
  merge_all(view, symbols, count, &heap);
  for (uint32_t i = 0; i != HR_TOK_NONE; i = symbols[i].next)
    hr_tok_emit(encoder, symbols[i].id);
}
