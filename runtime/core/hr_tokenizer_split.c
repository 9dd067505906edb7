/* hr_tokenizer_split.c - pre-tokenizers, one stage after the other: what is done with the matches of a program, and what
 * is put before a piece. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

/* ---- what is done with the matches ---- */
typedef struct piece_joiner {
  hr_tok_encoder *encoder;
  uint8_t *text;
  uint32_t stage, behavior;
  size_t begin, end; /* piece held back, empty at first */
  int matched;
} piece_joiner;

static void give_piece(piece_joiner *joiner) {
  if (joiner->begin < joiner->end && !(joiner->behavior == HR_TOK_REMOVED && joiner->matched))
    hr_tok_split_text(joiner->encoder, joiner->stage + 1, joiner->text + joiner->begin, joiner->end - joiner->begin);
}

/* The next span of the text; spans follow each other without gaps. It is joined to the piece held back, or takes its
 * place. */
static void add_span(piece_joiner *joiner, size_t begin, size_t end, int matched) {
  uint32_t behavior = joiner->behavior;
  if (begin == end)
    return;
  int joined =
      joiner->begin < joiner->end && ((behavior == HR_TOK_CONTIGUOUS && joiner->matched == matched) ||
                                      (behavior == HR_TOK_MERGED_WITH_PREVIOUS && !joiner->matched && matched) ||
                                      (behavior == HR_TOK_MERGED_WITH_NEXT && joiner->matched && !matched));
  if (!joined) {
    give_piece(joiner);
    joiner->begin = begin;
  }
  joiner->end = end;
  joiner->matched = matched;
}

static void split_by_program(hr_tok_encoder *encoder, const hr_tok_split *split, uint32_t stage, uint8_t *text,
                             size_t n) {
  hr_tok_matcher m = {.view = &encoder->view,
                      .code = (const uint32_t *)hr_tok_data(&encoder->view, HR_TOK_CODE) + split->code,
                      .words = split->words,
                      .spelled = (split->flags & HR_TOK_SPLIT_SPELLED) != 0,
                      .text = text,
                      .n = n};
  piece_joiner joiner = {encoder, text, stage, split->behavior, 0, 0, 0};
  int invert = (split->flags & HR_TOK_SPLIT_INVERT) != 0;
  size_t done = 0, begin, end;
  while (hr_tok_find(&m, done, &begin, &end, &encoder->status)) {
    add_span(&joiner, done, begin, invert);
    add_span(&joiner, begin, end, !invert);
    done = end;
  }
  add_span(&joiner, done, n, invert);
  give_piece(&joiner);
}

/* Pieces are encoded from left to right: what lies before one is done with, and may be written over. */
static uint8_t *put_before(uint8_t *text, size_t *n, const uint8_t *bytes, uint32_t count) {
  text -= count;
  memcpy(text, bytes, count);
  *n += count;
  return text;
}

/* Copies the piece to the encoder's other buffer, with the replacement in place of spaces. There is one such stage, so
 * that buffer is free; later stages work in it. */
static uint8_t *replace_spaces(hr_tok_encoder *encoder, const uint8_t *mark, uint32_t mark_bytes, const uint8_t *text,
                               size_t *n) {
  int in_first = text < encoder->buffer[1] - HR_TOK_FRONT;
  hr_tok_writer writer = {.to = encoder->buffer[in_first ? 1 : 0], .room = encoder->room};
  size_t done = 0;
  for (size_t i = 0; i < *n; i++)
    if (text[i] == ' ') {
      hr_tok_put(&writer, text + done, i - done);
      hr_tok_put(&writer, mark, mark_bytes);
      done = i + 1;
    }
  hr_tok_put(&writer, text + done, *n - done);
  if (writer.full)
    encoder->status = HR_BAD_BUNDLE;
  *n = writer.full ? 0 : writer.n;
  return writer.to;
}

static void metaspace(hr_tok_encoder *encoder, const hr_tok_split *split, uint32_t stage, uint8_t *text, size_t n) {
  const uint8_t *mark = (const uint8_t *)hr_tok_data(&encoder->view, HR_TOK_STRINGS) + split->code;
  int wanted = split->behavior == HR_TOK_PREPEND_ALWAYS ||
               (split->behavior == HR_TOK_PREPEND_FIRST && text < encoder->origin);
  text = replace_spaces(encoder, mark, split->words, text, &n);
  if (n && wanted && (n < split->words || memcmp(text, mark, split->words)))
    text = put_before(text, &n, mark, split->words);
  hr_tok_split_text(encoder, stage + 1, text, n);
}

void hr_tok_split_text(hr_tok_encoder *encoder, uint32_t stage, uint8_t *text, size_t n) {
  const hr_tok_split *splits = hr_tok_data(&encoder->view, HR_TOK_SPLITS);
  if (stage == hr_tok_count(&encoder->view, HR_TOK_SPLITS)) {
    hr_tok_encode_word(encoder, text, n);
    return;
  }
  switch (splits[stage].kind) {
  case HR_TOK_SPLIT_SPACE:
    if (n && text[0] != ' ')
      text = put_before(text, &n, (const uint8_t *)" ", 1);
    hr_tok_split_text(encoder, stage + 1, text, n);
    return;
  case HR_TOK_SPLIT_METASPACE:
    metaspace(encoder, &splits[stage], stage, text, n);
    return;
  default:
    split_by_program(encoder, &splits[stage], stage, text, n);
  }
}

HR_SMALL_END
