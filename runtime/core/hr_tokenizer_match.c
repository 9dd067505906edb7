/* hr_tokenizer_match.c - the programs that regexes were compiled to: checking them and finding their matches. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

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

uint32_t hr_tok_spelled(uint8_t byte) {
  if (byte >= 0xa1 && byte != 0xad)
    return byte;
  if (byte > ' ' && byte < 0x7f)
    return byte;
  return byte <= ' ' ? 0x100u + byte : byte == 0xad ? 0x143u : byte - 0x7fu + 0x121u;
}

static uint32_t read_code(const hr_tok_matcher *m, size_t at, uint32_t *bytes) {
  *bytes = 1;
  return m->spelled ? hr_tok_spelled(m->text[at]) : hr_utf8_read(m->text + at, m->text + m->n, bytes);
}

/* Consumes up to `most` code points of the class; *least receives the place after `fewest` of them. */
static size_t run_loop(hr_tok_matcher *m, uint32_t cls, uint32_t fewest, uint32_t most, size_t at, size_t *least) {
  uint32_t count = 0, bytes;
  *least = fewest ? NO_MATCH : at;
  while (at < m->n && count < most && hr_tok_in_class(m->view, cls, read_code(m, at, &bytes))) {
    at += bytes;
    if (++count == fewest)
      *least = at;
  }
  m->steps -= count < m->steps ? count : m->steps;
  return *least == NO_MATCH ? NO_MATCH : at;
}

/* Goes back to the latest choice; NO_MATCH when none is left. */
static size_t next_choice(const hr_tok_matcher *m, choice *choices, uint32_t *depth, uint32_t *pc) {
  if (!*depth)
    return NO_MATCH;
  choice *c = &choices[*depth - 1];
  *pc = c->pc;
  if (c->loop)
    do
      c->at--;
    while (c->at > c->least && !m->spelled && (m->text[c->at] & 0xc0) == 0x80);
  if (!c->loop || c->at == c->least)
    --*depth;
  return c->at;
}

/* One instruction that consumes or looks at the next code point, or the end: the new place, or NO_MATCH. */
static size_t run_single(const hr_tok_matcher *m, uint32_t op, uint32_t operand, size_t at) {
  uint32_t bytes = 0, code = at < m->n ? read_code(m, at, &bytes) : 0;
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
static size_t match_at(hr_tok_matcher *m, size_t at) {
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

/* Where the next attempt may begin, after one at `at` has failed. A program that begins with a loop without limit has
 * tried what follows it after every character of the run: it fails from all of them, and trying would take time in
 * proportion to the square of the run. */
static size_t next_attempt(hr_tok_matcher *m, size_t at) {
  uint32_t op = m->code[0] & 0xff, bytes;
  size_t after = at, least;
  if ((op == HR_TOK_OP_LOOP || op == HR_TOK_OP_POSSESSIVE) && m->code[2] == HR_TOK_NONE)
    after = run_loop(m, m->code[0] >> 8, 0, HR_TOK_NONE, at, &least);
  if (after > at)
    return after;
  read_code(m, at, &bytes);
  return at + bytes;
}

int hr_tok_find(hr_tok_matcher *m, size_t at, size_t *begin, size_t *end, hr_status *status) {
  for (; at < m->n; at = next_attempt(m, at)) {
    m->steps = (uint64_t)(m->n - at + 64) * m->words;
    *end = match_at(m, at);
    *begin = at;
    if (*end != NO_MATCH && *end != at)
      return 1;
    if (!m->steps)
      *status = HR_BAD_BUNDLE;
  }
  return 0;
}

HR_SMALL_END
