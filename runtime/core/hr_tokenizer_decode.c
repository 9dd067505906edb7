/* hr_tokenizer_decode.c - ids to text: token by token, so that a stream never splits a character, or all at once. */
#include "hr_tokenizer_internal.h"

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
  if (header->flags & HR_TOK_BYTE_LEVEL && state->pending_bytes)
    state->pending_bytes = 1;
  for (; state->pending_bytes; state->pending_bytes--)
    put_replacement(header, state, sink);
  state->bad_run = 0;
}

/* ---- tokens ---- */
/* Text of a token that is to be shown; 0 for one that is not, or an id that the tokenizer does not know. *bad: damaged
 * section. */
static const uint8_t *shown_text(const hr_tok_view *view, int32_t id, int keep_special, uint32_t *n, uint8_t *kind,
                                 int *bad) {
  if (id < 0 || (uint32_t)id >= view->header->token_count)
    return 0;
  *kind = ((const uint8_t *)hr_tok_data(view, HR_TOK_KINDS))[id];
  if (*kind & HR_TOK_KIND_HOLE || (*kind & HR_TOK_KIND_SPECIAL && !keep_special))
    return 0;
  const uint8_t *text = hr_tok_token_text(view, (uint32_t)id, n);
  if (!text || *n > view->header->max_token_bytes)
    *bad = 1;
  return *bad ? 0 : text;
}

static int is_run_byte(const hr_tok_view *view, uint8_t kind, uint32_t n) {
  return view->header->flags & HR_TOK_DECODE_BYTES && kind & HR_TOK_KIND_BYTE && n == 1;
}

static hr_status decode_one(const hr_tok_view *view, hr_decoder *state, int32_t id, text_sink *sink) {
  const hr_tok_header *header = view->header;
  uint32_t n = 0;
  uint8_t kind = 0;
  int bad = 0;
  if (id == -1) {
    end_bytes(header, state, sink);
    return HR_OK;
  }
  const uint8_t *text = shown_text(view, id, state->keep_special, &n, &kind, &bad);
  if (!text)
    return bad ? HR_BAD_BUNDLE : HR_OK;
  if (header->flags & HR_TOK_BYTE_LEVEL) {
    for (uint32_t i = 0; i < n; i++)
      byte_of_stream(header, state, sink, text[i]);
  } else if (is_run_byte(view, kind, n)) {
    byte_of_run(header, state, sink, text[0]);
  } else {
    end_bytes(header, state, sink);
    if (header->flags & HR_TOK_JOIN_SPACE && state->started)
      put(header, state, sink, (const uint8_t *)" ", 1);
    put(header, state, sink, text, n);
    state->started |= (header->flags & HR_TOK_JOIN_SPACE) != 0;
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
static int good_run(const hr_tok_view *view, const int32_t *ids, size_t n, int keep_special, size_t *length) {
  hr_decoder trial = {0};
  size_t i = 0;
  int good = 1;
  for (; i < n; i++) {
    uint32_t bytes = 0;
    uint8_t kind = 0;
    int bad = 0;
    const uint8_t *text = shown_text(view, ids[i], keep_special, &bytes, &kind, &bad);
    if (!text)
      continue;
    if (!is_run_byte(view, kind, bytes))
      break;
    trial.pending[trial.pending_bytes++] = text[0];
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
      int good = good_run(&view, ids + i, n - i, state.keep_special, &length);
      if (!state.pending_bytes && length)
        state.bad_run = good ? 0 : 1;
      run_end = i + (length ? length : 1);
    }
    status = decode_one(&view, &state, i < n ? ids[i] : -1, &sink);
  }
  *bytes = sink.n;
  return status == HR_OK && sink.n > capacity ? HR_OUT_OF_MEMORY : status;
}
