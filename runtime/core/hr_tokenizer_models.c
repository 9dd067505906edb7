/* hr_tokenizer_models.c - ids of one pre-token: unigram, WordPiece and WordLevel; byte pair encoding has its own file. */
#include "hr_tokenizer_internal.h"

int hr_tok_bytes_known(const hr_tok_view *view, const uint8_t *text, size_t n) {
  const uint32_t *byte_ids = hr_tok_data(view, HR_TOK_BYTE_IDS);
  for (size_t i = 0; i < n; i++)
    if (byte_ids[text[i]] == HR_TOK_NONE)
      return 0;
  return 1;
}

/* ---- unigram ---- */
static double double_of(const uint32_t *bits) {
  double value;
  uint64_t both = bits[0] | (uint64_t)bits[1] << 32;
  memcpy(&value, &both, sizeof value);
  return value;
}

static void reach(hr_tok_path *place, double score, uint32_t id, uint32_t start) {
  if (place->start != HR_TOK_NONE && !(score > place->u.score))
    return;
  place->u.score = score;
  place->id = id;
  place->start = start;
}

/* Tries every token at every character; of paths of equal score the first one found stays. */
static void find_path(const hr_tok_view *view, const uint8_t *text, uint32_t n, hr_tok_path *places) {
  const uint32_t *sorted = hr_tok_data(view, HR_TOK_SORTED);
  const hr_tok_score *scores = hr_tok_data(view, HR_TOK_SCORES);
  double unk_score = double_of(view->header->unk_score);
  uint32_t bytes;
  for (uint32_t i = 0; i <= n; i++)
    places[i].start = HR_TOK_NONE;
  places[0].u.score = 0;
  for (uint32_t i = 0; i < n; i += bytes) {
    hr_tok_keys keys = {0, hr_tok_count(view, HR_TOK_SORTED), 0};
    double score = places[i].u.score;
    int single = 0;
    bytes = hr_tok_char_bytes(view, text + i, text + n);
    while (keys.low < keys.high && i + keys.depth < n) {
      hr_tok_narrow(view, HR_TOK_SORTED, &keys, text[i + keys.depth]);
      if (!hr_tok_key_ends(view, HR_TOK_SORTED, &keys))
        continue;
      uint32_t id = sorted[keys.low]; /* below token_count, or it would not have ended here */
      reach(&places[i + keys.depth], double_of(scores[id].bits) + score, id, i);
      single |= keys.depth == bytes;
    }
    if (!single)
      reach(&places[i + bytes], unk_score + score, view->header->unk_id, i);
  }
}

/* Neighbouring unknown characters are one: a token that they happen to spell, or their bytes, or the unknown token. */
static void emit_unknown(hr_tok_encoder *encoder, const uint8_t *text, size_t n) {
  const hr_tok_view *view = &encoder->view;
  uint32_t id = hr_tok_find_token(view, text, n);
  if (id == HR_TOK_NONE && view->header->flags & HR_TOK_BYTE_FALLBACK && hr_tok_bytes_known(view, text, n)) {
    for (size_t i = 0; i < n; i++)
      hr_tok_emit(encoder, ((const uint32_t *)hr_tok_data(view, HR_TOK_BYTE_IDS))[text[i]]);
    return;
  }
  hr_tok_emit(encoder, id == HR_TOK_NONE ? view->header->unk_id : id);
}

static void encode_unigram(hr_tok_encoder *encoder, const uint8_t *text, uint32_t n) {
  hr_tok_path *places = encoder->work;
  uint32_t unk = encoder->view.header->unk_id, end;
  find_path(&encoder->view, text, n, places);
  for (uint32_t at = n; at > 0; at = places[at].start)
    places[places[at].start].u.next = at;
  for (uint32_t i = 0; i < n; i = end) {
    end = places[i].u.next;
    if (places[end].id != unk) {
      hr_tok_emit(encoder, places[end].id);
      continue;
    }
    while (end < n && places[places[end].u.next].id == unk)
      end = places[end].u.next;
    emit_unknown(encoder, text + i, end - i);
  }
}

/* ---- WordPiece ---- */
/* The longest token that text begins with after `keys`, which hold what precedes it: its bytes, or 0. */
static size_t longest_piece(const hr_tok_view *view, hr_tok_keys keys, const uint8_t *text, size_t n, uint32_t *id) {
  uint32_t before = keys.depth;
  size_t best = 0;
  for (size_t i = 0; i < n && keys.low < keys.high; i++) {
    hr_tok_narrow(view, HR_TOK_SORTED, &keys, text[i]);
    if (hr_tok_key_ends(view, HR_TOK_SORTED, &keys)) {
      best = keys.depth - before;
      *id = ((const uint32_t *)hr_tok_data(view, HR_TOK_SORTED))[keys.low];
    }
  }
  return best;
}

static int is_long_word(const hr_tok_view *view, const uint8_t *text, size_t n) {
  uint32_t chars = 0;
  for (size_t i = 0; i < n && chars <= view->header->max_word_chars; chars++)
    i += hr_tok_char_bytes(view, text + i, text + n);
  return chars > view->header->max_word_chars;
}

static void encode_word_piece(hr_tok_encoder *encoder, const uint8_t *text, size_t n) {
  const hr_tok_view *view = &encoder->view;
  const uint8_t *prefix = (const uint8_t *)hr_tok_data(view, HR_TOK_STRINGS) + view->header->prefix;
  hr_tok_keys all = {0, hr_tok_count(view, HR_TOK_SORTED), 0}, continuing = all;
  size_t before = encoder->n, bytes = 1;
  uint32_t id = HR_TOK_NONE;
  for (uint32_t i = 0; i < view->header->prefix_bytes; i++)
    hr_tok_narrow(view, HR_TOK_SORTED, &continuing, prefix[i]);
  int bad = is_long_word(view, text, n);
  for (size_t i = 0; i < n && !bad; i += bytes) {
    bytes = longest_piece(view, i ? continuing : all, text + i, n - i, &id);
    bad = !bytes;
    if (bytes)
      hr_tok_emit(encoder, id);
  }
  if (bad) {
    encoder->n = before;
    hr_tok_emit(encoder, view->header->unk_id);
  }
}

static uint32_t whole_word(const hr_tok_view *view, const uint8_t *text, size_t n) {
  uint32_t id = hr_tok_find_token(view, text, n);
  return id == HR_TOK_NONE ? view->header->unk_id : id;
}

void hr_tok_encode_word(hr_tok_encoder *encoder, const uint8_t *text, size_t n) {
  if (!n)
    return;
  switch (encoder->view.header->model) {
  case HR_TOK_UNIGRAM:
    encode_unigram(encoder, text, (uint32_t)n);
    return;
  case HR_TOK_WORD_PIECE:
    encode_word_piece(encoder, text, n);
    return;
  case HR_TOK_WORD_LEVEL:
    hr_tok_emit(encoder, whole_word(&encoder->view, text, n));
    return;
  default:
    hr_tok_encode_bpe(encoder, text, n);
  }
}
