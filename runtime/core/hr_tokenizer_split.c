/* hr_tokenizer_split.c - pre-tokenizers: the programs that regexes were compiled to, and what is done with their
 * matches. */
#include "hr_tokenizer_internal.h"

#define NO_MATCH SIZE_MAX

/* ---- the check at open ---- */
/* Jumps must lead forward to an instruction; `starts` has a bit for each word that begins one. */
static int check_targets(const uint32_t *code, uint32_t words, const uint32_t *starts) {
  uint32_t returns = 0;
  for (uint32_t i = 0; i < words; i++) {
    uint32_t op = code[i] & 0xff, operand = code[i] >> 8;
    if (!(starts[i / 32] >> (i & 31) & 1))
      continue;
    returns += op == HR_TOK_OP_SPLIT || op == HR_TOK_OP_LOOP;
    if ((op == HR_TOK_OP_SPLIT || op == HR_TOK_OP_JUMP) &&
        (operand <= i || operand >= words || !(starts[operand / 32] >> (operand & 31) & 1)))
      return 0;
  }
  return returns <= HR_TOK_MAX_BACKTRACK;
}

int hr_tok_check_program(const uint32_t *code, uint32_t words, uint32_t classes) {
  uint32_t starts[HR_TOK_MAX_CODE / 32] = {0}, last = 0;
  if (!words || words > HR_TOK_MAX_CODE)
    return 0;
  for (uint32_t i = 0; i < words; i++) {
    uint32_t op = code[i] & 0xff, operand = code[i] >> 8;
    int has_class = op == HR_TOK_OP_CLASS || op == HR_TOK_OP_LOOP || op == HR_TOK_OP_POSSESSIVE ||
                    op == HR_TOK_OP_NEXT || op == HR_TOK_OP_NOT_NEXT;
    if (op > HR_TOK_OP_LINE_END || (has_class && operand >= classes))
      return 0;
    starts[i / 32] |= 1u << (i & 31);
    last = op;
    if (op == HR_TOK_OP_LOOP || op == HR_TOK_OP_POSSESSIVE)
      i += 2;
  }
  return last == HR_TOK_OP_MATCH && check_targets(code, words, starts);
}

/* ---- matching ---- */
typedef struct choice {
  uint32_t pc;
  uint32_t loop; /* 1: give back one code point at a time down to `least` */
  size_t at, least;
} choice;

typedef struct matcher {
  const hr_tok_view *view;
  const uint32_t *code;
  const uint8_t *text;
  size_t n;       /* of text: nothing beyond is looked at */
  uint64_t steps; /* left; a damaged program could otherwise try combinations without end */
} matcher;

/* Consumes up to `most` code points of the class; *least receives the place after `fewest` of them. */
static size_t run_loop(matcher *m, uint32_t cls, uint32_t fewest, uint32_t most, size_t at, size_t *least) {
  uint32_t count = 0, bytes;
  *least = fewest ? NO_MATCH : at;
  while (at < m->n && count < most &&
         hr_tok_in_class(m->view, cls, hr_utf8_read(m->text + at, m->text + m->n, &bytes))) {
    at += bytes;
    if (++count == fewest)
      *least = at;
  }
  m->steps -= count < m->steps ? count : m->steps;
  return *least == NO_MATCH ? NO_MATCH : at;
}

/* Goes back to the latest choice; NO_MATCH when none is left. */
static size_t next_choice(const matcher *m, choice *choices, uint32_t *depth, uint32_t *pc) {
  if (!*depth)
    return NO_MATCH;
  choice *c = &choices[*depth - 1];
  *pc = c->pc;
  if (c->loop)
    do
      c->at--;
    while (c->at > c->least && (m->text[c->at] & 0xc0) == 0x80);
  if (!c->loop || c->at == c->least)
    --*depth;
  return c->at;
}

/* One instruction that consumes or looks at the next code point, or the end: the new place, or NO_MATCH. */
static size_t run_single(const matcher *m, uint32_t op, uint32_t operand, size_t at) {
  uint32_t bytes = 0, code = at < m->n ? hr_utf8_read(m->text + at, m->text + m->n, &bytes) : 0;
  switch (op) {
  case HR_TOK_OP_CHAR:
    return bytes && code == operand ? at + bytes : NO_MATCH;
  case HR_TOK_OP_CLASS:
    return bytes && hr_tok_in_class(m->view, operand, code) ? at + bytes : NO_MATCH;
  case HR_TOK_OP_NEXT:
    return bytes && hr_tok_in_class(m->view, operand, code) ? at : NO_MATCH;
  case HR_TOK_OP_NOT_NEXT:
    return bytes && hr_tok_in_class(m->view, operand, code) ? NO_MATCH : at;
  default: /* HR_TOK_OP_LINE_END */
    return !bytes || code == '\n' ? at : NO_MATCH;
  }
}

/* End of the match that begins at `at`, or NO_MATCH. Every instruction is passed at most once on a path, so the choices
 * fit. */
static size_t match_at(matcher *m, size_t at) {
  choice choices[HR_TOK_MAX_BACKTRACK];
  uint32_t depth = 0, pc = 0;
  for (;;) {
    uint32_t op = m->code[pc] & 0xff, operand = m->code[pc] >> 8;
    if (!m->steps)
      return NO_MATCH;
    m->steps--;
    if (op == HR_TOK_OP_MATCH)
      return at;
    if (op == HR_TOK_OP_JUMP) {
      pc = operand;
      continue;
    }
    if (op == HR_TOK_OP_SPLIT) {
      choices[depth++] = (choice){operand, 0, at, at};
      pc++;
      continue;
    }
    if (op == HR_TOK_OP_LOOP || op == HR_TOK_OP_POSSESSIVE) {
      size_t least;
      at = run_loop(m, operand, m->code[pc + 1], m->code[pc + 2], at, &least);
      pc += 3;
      if (at != NO_MATCH && op == HR_TOK_OP_LOOP && least < at)
        choices[depth++] = (choice){pc, 1, at, least};
    } else {
      at = run_single(m, op, operand, at);
      pc++;
    }
    if (at == NO_MATCH && (at = next_choice(m, choices, &depth, &pc)) == NO_MATCH)
      return NO_MATCH;
  }
}

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
  matcher m = {&encoder->view, (const uint32_t *)hr_tok_data(&encoder->view, HR_TOK_CODE) + split->code, text, n, 0};
  piece_joiner joiner = {encoder, text, stage, split->behavior, 0, 0, 0};
  int invert = split->invert != 0;
  size_t done = 0, at = 0;
  while (at < n) {
    m.steps = (uint64_t)(n - at + 64) * split->words;
    size_t end = match_at(&m, at);
    if (end == NO_MATCH || end == at) {
      uint32_t bytes;
      if (!m.steps)
        encoder->status = HR_BAD_BUNDLE;
      hr_utf8_read(text + at, text + n, &bytes);
      at += bytes;
      continue;
    }
    add_span(&joiner, done, at, invert);
    add_span(&joiner, at, end, !invert);
    done = at = end;
  }
  add_span(&joiner, done, n, invert);
  give_piece(&joiner);
}

void hr_tok_split_text(hr_tok_encoder *encoder, uint32_t stage, uint8_t *text, size_t n) {
  const hr_tok_split *splits = hr_tok_data(&encoder->view, HR_TOK_SPLITS);
  if (stage == hr_tok_count(&encoder->view, HR_TOK_SPLITS)) {
    hr_tok_encode_word(encoder, text, n);
    return;
  }
  if (splits[stage].kind == HR_TOK_SPLIT_SPACE) {
    if (n && text[0] != ' ') { /* pieces are encoded from left to right: the byte before is done with */
      *--text = ' ';
      n++;
    }
    hr_tok_split_text(encoder, stage + 1, text, n);
    return;
  }
  split_by_program(encoder, &splits[stage], stage, text, n);
}
