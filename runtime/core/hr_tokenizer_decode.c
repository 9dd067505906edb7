/* hr_tokenizer_decode.c - ids to text: token by token, so that a stream never splits a character, or all at once. */
#include "hr_tokenizer_internal.h"

HR_SMALL_BEGIN

/* ---- output: counts on when the room is used up ---- */
typedef struct text_sink {
  char *text;
  size_t room, n;
} text_sink;

static void put(const hr_tok_header *header, hr_decoder *state, text_sink *sink, const uint8_t *bytes, uint32_t n) {
  while (n && !state->started) {
    uint32_t length, code = hr_utf8_read(bytes, bytes + n, &length);
    if (state->stripped >= header->strip_count || code != header->strip_char) {
      state->started = 1;
      break;
    }
    state->stripped++;
    bytes += length;
    n -= length;
  }
  if (n && sink->n <= sink->room && n <= sink->room - sink->n)
    memcpy(sink->text + sink->n, bytes, n);
  sink->n += n;
}

static void put_replacement(const hr_tok_header *header, hr_decoder *state, text_sink *sink) {
  put(header, state, sink, (const uint8_t *)"\xef\xbf\xbd", 3);
}

/* ---- bytes that may form characters ----
 * Whether the pending bytes are a character (1), may become one (0), or cannot (-1). */
static int pending_state(const hr_decoder *state) {
  uint8_t trial[4];
  uint32_t n = state->pending_bytes;
  if (hr_utf8_valid(state->pending, n) == n)
    return 1;
  memcpy(trial, state->pending, n);
  uint32_t lead = trial[0], need = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (n >= need)
    return -1;
  /* Completed with the least second byte that the lead allows and 0x80 after it, a prefix of a character is one. */
  for (uint32_t i = n; i < need; i++)
    trial[i] = i == 1 ? (lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80) : 0x80;
  return hr_utf8_valid(trial, need) == need ? 0 : -1;
}

/* Byte-level: each longest prefix of a character that is not completed becomes one U+FFFD. */
static void byte_of_stream(const hr_tok_header *header, hr_decoder *state, text_sink *sink, uint8_t byte) {
  state->pending[state->pending_bytes++] = byte;
  int is = pending_state(state);
  if (is == 1) {
    put(header, state, sink, state->pending, state->pending_bytes);
    state->pending_bytes = 0;
  } else if (is < 0) {
    int again = state->pending_bytes > 1; /* the byte that broke it may begin another */
    put_replacement(header, state, sink);
    state->pending_bytes = 0;
    if (again)
      byte_of_stream(header, state, sink, byte);
  }
}

/* Byte fallback: a run of byte tokens that is not well-formed as a whole becomes one U+FFFD per byte. What a stream has
 * already given out stays. */
static void byte_of_run(const hr_tok_header *header, hr_decoder *state, text_sink *sink, uint8_t byte) {
  if (!state->bad_run) {
    state->pending[state->pending_bytes++] = byte;
    int is = pending_state(state);
    if (is == 1)
      put(header, state, sink, state->pending, state->pending_bytes);
    if (is >= 0) {
      state->pending_bytes = is ? 0 : state->pending_bytes;
      return;
    }
    state->bad_run = 1;
  } else
    state->pending_bytes = 1;
  for (; state->pending_bytes; state->pending_bytes--)
    put_replacement(header, state, sink);
}

static void end_bytes(const hr_tok_header *header, hr_decoder *state, text_sink *sink) {
  if (header->flags & HR_TOK_DECODE_BYTE_LEVEL && state->pending_bytes)
    state->pending_bytes = 1;
  for (; state->pending_bytes; state->pending_bytes--)
    put_replacement(header, state, sink);
  state->bad_run = 0;
}

/* ---- tokens ---- */
typedef struct shown_token {
  const uint8_t *text; /* 0: nothing is to be shown */
  uint32_t n;
  uint8_t kind;
  int run_byte; /* one byte of a character */
  int damaged;  /* the section is */
} shown_token;

/* What a token gives, as the first of all or as a later one; nothing for an id that the tokenizer does not know. */
static shown_token show(const hr_tok_view *view, int32_t id, int keep_special, int first) {
  const hr_tok_header *header = view->header;
  shown_token token = {0};
  if (id < 0 || (uint32_t)id >= header->token_count)
    return token;
  token.kind = ((const uint8_t *)hr_tok_data(view, HR_TOK_KINDS))[id];
  if (token.kind & HR_TOK_KIND_HOLE || (token.kind & HR_TOK_KIND_SPECIAL && !keep_special))
    return token;
  token.text = hr_tok_token_text(view, first ? HR_TOK_FIRST_OFFSETS : HR_TOK_OFFSETS, (uint32_t)id, &token.n);
  token.damaged = !token.text || token.n > header->max_token_bytes;
  token.run_byte = header->flags & HR_TOK_DECODE_BYTES && token.n == 1 &&
                   token.kind & (first ? HR_TOK_KIND_FIRST_BYTE : HR_TOK_KIND_BYTE);
  return token;
}

static hr_status decode_one(const hr_tok_view *view, hr_decoder *state, int32_t id, text_sink *sink) {
  const hr_tok_header *header = view->header;
  if (id == -1) {
    end_bytes(header, state, sink);
    return HR_OK;
  }
  shown_token token = show(view, id, state->keep_special, !state->seen);
  if (token.damaged || !token.text)
    return token.damaged ? HR_BAD_BUNDLE : HR_OK;
  int space = state->space_due || (header->flags & HR_TOK_JOIN_SPACE && state->seen);
  state->seen = 1;
  state->space_due = (token.kind & HR_TOK_KIND_SPACE_AFTER) != 0;
  if (header->flags & HR_TOK_DECODE_BYTE_LEVEL) {
    for (uint32_t i = 0; i < token.n; i++)
      byte_of_stream(header, state, sink, token.text[i]);
  } else if (token.run_byte) {
    byte_of_run(header, state, sink, token.text[0]);
  } else {
    end_bytes(header, state, sink);
    if (space)
      put(header, state, sink, (const uint8_t *)" ", 1);
    put(header, state, sink, token.text, token.n);
  }
  return HR_OK;
}

/* A byte can be the third of three that become U+FFFD at once, three bytes each; so can each of the next token. */
size_t hr_decode_max(const hr_tokenizer *tokenizer) {
  uint64_t most = (uint64_t)3 * hr_tok_open_view(tokenizer).header->max_token_bytes + 16;
  return most < SIZE_MAX ? (size_t)most : SIZE_MAX;
}

hr_status hr_decode(const hr_tokenizer *tokenizer, hr_decoder *state, int32_t id, char *text, size_t capacity,
                    size_t *bytes) {
  if (!tokenizer || !tokenizer->data || !state || (capacity && !text) || !bytes || state->pending_bytes > 3)
    return HR_INVALID_ARGUMENT;
  hr_tok_view view = hr_tok_open_view(tokenizer);
  text_sink sink = {text, capacity, 0};
  hr_decoder next = *state;
  hr_status status = decode_one(&view, &next, id, &sink);
  *bytes = sink.n;
  if (status == HR_OK && sink.n > capacity)
    status = HR_OUT_OF_MEMORY;
  if (status == HR_OK)
    *state = next;
  return status;
}

/* Whether the run of byte tokens that begins at ids[0] is well-formed; *length receives the ids up to its end. */
static int good_run(const hr_tok_view *view, const int32_t *ids, size_t n, const hr_decoder *state, size_t *length) {
  hr_decoder trial = {0};
  size_t i = 0;
  int good = 1, first = !state->seen;
  for (; i < n; i++) {
    shown_token token = show(view, ids[i], state->keep_special, first);
    if (!token.text || token.damaged)
      continue;
    if (!token.run_byte)
      break;
    first = 0;
    trial.pending[trial.pending_bytes++] = token.text[0];
    int is = pending_state(&trial);
    good = good && is >= 0;
    trial.pending_bytes = is ? 0 : trial.pending_bytes;
  }
  *length = i;
  return good && !trial.pending_bytes;
}

hr_status hr_detokenize(const hr_tokenizer *tokenizer, const int32_t *ids, size_t n, uint32_t flags, char *text,
                        size_t capacity, size_t *bytes) {
  if (!tokenizer || !tokenizer->data || (n && !ids) || (capacity && !text) || !bytes)
    return HR_INVALID_ARGUMENT;
  hr_tok_view view = hr_tok_open_view(tokenizer);
  text_sink sink = {text, capacity, 0};
  hr_decoder state = {.keep_special = flags & HR_KEEP_SPECIAL ? 1 : 0};
  size_t run_end = 0;
  hr_status status = HR_OK;
  for (size_t i = 0; i <= n && status == HR_OK; i++) {
    if (i == run_end && i < n && view.header->flags & HR_TOK_DECODE_BYTES) {
      size_t length;
      int good = good_run(&view, ids + i, n - i, &state, &length);
      if (!state.pending_bytes && length)
        state.bad_run = good ? 0 : 1;
      run_end = i + (length ? length : 1);
    }
    status = decode_one(&view, &state, i < n ? ids[i] : -1, &sink);
  }
  *bytes = sink.n;
  return status == HR_OK && sink.n > capacity ? HR_OUT_OF_MEMORY : status;
}

HR_SMALL_END
