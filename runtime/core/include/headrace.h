/* headrace.h - the runtime's public interface (C11, C++17). Freestanding: no libc, no allocation after hr_open, no
 * global state.
 *
 *   hr_port port;  hr_port_posix(&port, 2);                     // headrace_port.h, or your own table of hooks
 *   hr_model_options mo = {.threads = 2};
 *   hr_open(&model, library, weights, weight_bytes, &port, &mo, arena, arena_bytes);
 *   hr_session_open(&session, model, kv_memory, kv_bytes);
 *   hr_generate(session, prompt_ids, n, &options, on_token, user, &timings);
 *
 * The caller owns all memory. Every call returns a status; hr_status_text gives a sentence for it. Calls on one model
 * (and its sessions) must not overlap, except hr_cancel, which any thread may call at any time.
 */
#ifndef HEADRACE_H
#define HEADRACE_H
#include "hr_abi.h" /* runtime/abi; beside this file in a bundle's include/ */

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif

typedef enum hr_status {
  HR_OK = 0,
  HR_INVALID_ARGUMENT = 1,
  HR_BAD_BUNDLE = 2,      /* weights.bin or library damaged, or of another version */
  HR_MISMATCH = 3,        /* library and weights.bin do not belong together */
  HR_CPU_UNSUPPORTED = 4, /* the CPU lacks a feature; see hr_missing_features */
  HR_OUT_OF_MEMORY = 5,   /* arena, KV memory or buffer too small; an out argument, where there is one, says the need */
  HR_CONTEXT_FULL = 6,    /* no position left in the KV cache; the session stays usable, such as after a rewind */
  HR_NOT_FINITE = 7,      /* NaN or infinity in the activations; hr_fault_site names the layer */
  HR_CANCELLED = 8,
  HR_NO_TOKENIZER = 9,
  HR_UNSUPPORTED = 10,
  HR_PORT_FAILED = 11, /* a port hook failed, such as parallel */
  HR_STOPPED = 12,     /* the token callback asked to stop */
  HR_BAD_TEXT = 13,    /* input text is not valid UTF-8 */
  HR_NO_TEMPLATE = 14,
  HR_TEMPLATE_ERROR = 15, /* the chat template failed or refused: hr_render_error says why */
  HR_BAD_SESSION = 16     /* a saved session is damaged, cut short or of another version */
} hr_status;

const char *hr_status_text(hr_status status);

/* What exactly was wrong with a bundle: "<what>: expected <expected>, found <found>". */
typedef struct hr_problem {
  const char *what; /* "" when there is none */
  uint64_t expected, found;
  int32_t section; /* row of the section table, -1: none in particular */
  uint32_t hex;    /* 1: the two numbers read best in hexadecimal */
} hr_problem;

/* ---- port: what the runtime asks of the platform (runtime/port: none, posix, linux-raw) ---- */
typedef struct hr_port {
  uint32_t bytes;                    /* sizeof(hr_port) */
  void *context;                     /* passed to every hook */
  uint64_t (*now_ns)(void *context); /* monotonic; may be 0: timings are then 0 */
  /* Runs fn(arg, t) for t in [0, threads) at the same time and returns when all are done; t = 0 on the calling thread.
   * 0: only one thread is possible. Returns 0 on success. */
  int (*parallel)(void *context, uint32_t threads, void (*fn)(void *arg, uint32_t thread), void *arg);
  void (*yield)(void *context);            /* in spin loops after a while; may be 0 */
  uint32_t (*cpu_features)(void *context); /* hr_cpu_feature bits of this machine; 0: trust the caller */
} hr_port;

/* ---- model ---- */
typedef struct hr_model hr_model;
typedef struct hr_session hr_session;
typedef struct hr_model_options {
  uint32_t threads;             /* 0: 1 */
  uint32_t chunk;               /* most rows a prefill step takes; 0: the library's largest body */
  const uint32_t *thread_share; /* relative speed of each thread [threads]; 0: all equal */
} hr_model_options;

/* Memory for hr_open (any number of threads) and for one session (KV cache included), at any alignment. SIZE_MAX: more
 * than this machine can address; opening then gives HR_OUT_OF_MEMORY. */
size_t hr_arena_bytes(const hr_library *library);
size_t hr_session_bytes(const hr_library *library);
uint32_t hr_missing_features(const hr_library *library, const hr_port *port);
const char *hr_feature_name(uint32_t bit); /* "AVX2+FMA+F16C", "dotprod", ... */

hr_status hr_open(hr_model **model, const hr_library *library, const void *weights, size_t weight_bytes,
                  const hr_port *port, const hr_model_options *options, void *arena, size_t arena_bytes);
/* The checks hr_open makes of the library and of weights.bin (header, section table, that both belong together), in
 * detail: problem may be 0. weights must be aligned as the library's bases ask (a mapped file always is). */
hr_status hr_check_bundle(const hr_library *library, const void *weights, size_t weight_bytes, hr_problem *problem);
/* hr_check_bundle, then the hash of every section's payload and the zero filling between sections: reads the whole
 * file. */
hr_status hr_check_payload(const hr_library *library, const void *weights, size_t weight_bytes, hr_problem *problem);
const hr_library *hr_model_library(const hr_model *model);
const char *hr_fault_site(const hr_model *model); /* after HR_NOT_FINITE, else "" */

/* ---- session: one KV cache ---- */
hr_status hr_session_open(hr_session **session, hr_model *model, void *memory, size_t bytes);
uint32_t hr_session_length(const hr_session *session);             /* positions filled */
hr_status hr_session_rewind(hr_session *session, uint32_t length); /* keeps the first `length` positions */
/* The ids of the filled positions; after a generation one more, the last generated id, which has no position yet. */
const int32_t *hr_session_ids(const hr_session *session, uint32_t *n);
/* Positions of the longest common beginning of the session and of ids[0, n), but at most n - 1: something must be
 * computed to have logits. */
uint32_t hr_session_common(const hr_session *session, const int32_t *ids, uint32_t n);

/* A session as a stream of bytes: its ids, its cache, and where its draws go on. Any library of the same weights.bin
 * with the same caches loads it, on any target; to go on, hr_generate the ids of hr_session_ids with `reuse` (one token
 * is computed). A callback takes or gives all `bytes`, or returns a status, which ends the call. */
typedef hr_status (*hr_write_fn)(void *user, const void *data, size_t bytes);
typedef hr_status (*hr_read_fn)(void *user, void *data, size_t bytes);
uint64_t hr_session_file_bytes(const hr_session *session); /* what hr_session_save writes */
hr_status hr_session_save(const hr_session *session, hr_write_fn write, void *user);
/* HR_BAD_SESSION: not a session, or a damaged one; HR_MISMATCH: of another bundle; problem (may be 0) says what. What
 * is wrong with the first 64 bytes leaves the session as it was; later errors leave it empty. */
hr_status hr_session_load(hr_session *session, hr_read_fn read, void *user, hr_problem *problem);

/* Appends n tokens. rows: HR_LAST_ROW computes the logits of the last one; HR_ALL_ROWS calls `on_rows` for blocks of
 * rows as they come (row index relative to the call); HR_NO_ROWS computes none. On an error the session's length is
 * what it was before the call; a session whose cache is a ring (hr_kv.window) and has overwritten what it needs may
 * then compute positions again before the next step. Decoders only (else HR_UNSUPPORTED), as hr_generate. */
enum { HR_NO_ROWS = 0, HR_LAST_ROW = 1, HR_ALL_ROWS = 2 };
typedef hr_status (*hr_rows_fn)(void *user, uint32_t first_row, uint32_t rows, const float *logits, uint32_t stride);
hr_status hr_append(hr_session *session, const int32_t *ids, uint32_t n, int rows, hr_rows_fn on_rows, void *user);
/* [vocab_size] of the last row computed, valid until the next call; 0 when there is none. */
const float *hr_logits(const hr_session *session);
/* Rows of the last step of the tap's entry (bundles made with --taps); 0: no such tap. Valid until the next call; a head
 * leaves the taps of the body before it alone. */
const float *hr_tap_data(const hr_session *session, uint32_t tap);
/* Encoders only (else HR_UNSUPPORTED): a text in one step. embedding: 0, or [hidden_size], by hr_library.pooling: the
 * mean of the rows (sums in ascending order, then one division; also when the model names no pooling), or the first
 * row; with hr_library.normalize divided by its Euclidean length (at least 1e-12). More ids than positions:
 * HR_CONTEXT_FULL. */
hr_status hr_embed(hr_session *session, const int32_t *ids, uint32_t n, float *embedding);
/* [hidden_size]: the last hidden state of a row of the last hr_embed, valid until the next call; 0: no such row. */
const float *hr_hidden(const hr_session *session, uint32_t row);
/* From any thread: the running call returns HR_CANCELLED before its next step. No effect on later calls. */
void hr_cancel(hr_session *session);

/* ---- sampling ----
 * In this order: penalty, division by the temperature, top_k, top_p, min_p, one draw. Candidates are drawn from in
 * descending order of probability (ascending id among equals) when top_k or top_p is on, else in ascending order of id.
 * Same seed, same logits, same ids, on every target. Values out of range, infinite or not a number:
 * HR_INVALID_ARGUMENT. */
typedef struct hr_sampling {
  float temperature; /* 0 or more; 0: greedy (lowest id among equals) */
  float top_p;       /* 0 .. 1; 0 or 1: off */
  float min_p;       /* 0 .. 1; 0: off */
  /* 0 or more; 0 or 1: off; else as in CTRL (arXiv:1909.05858): logits of seen ids are divided (positive) or
   * multiplied. */
  float repetition_penalty;
  uint32_t top_k;          /* 0: off */
  uint32_t penalty_window; /* last ids looked at by the penalty, at most HR_PENALTY_WINDOW; 0: all kept */
  uint64_t seed;
} hr_sampling;
#define HR_PENALTY_WINDOW 256u

typedef struct hr_timings {
  uint64_t prefill_ns, decode_ns, first_token_ns;
  uint32_t prompt_tokens; /* positions before the first generated token: those found in the cache, and those computed */
  uint32_t cached_tokens; /* of them: found in the session's cache */
  uint32_t prefilled_tokens; /* of them: computed */
  uint32_t prefill_steps;    /* runs of a body entry for that */
  uint32_t generated_tokens;
  uint32_t steps; /* runs of a body entry, of one token each, after that */
} hr_timings;

enum { HR_RESUME_SEED = 2 };
typedef struct hr_generate_options {
  hr_sampling sampling;
  uint32_t max_tokens;
  /* 0: the prompt follows what the session holds. 1: the prompt is all there is, and the session is rewound to what it
   * has in common with it (hr_session_common), so that only the rest is computed. */
  int reuse;
  /* 1: the draws go on where the session's last generation left them; the seed is not looked at. HR_RESUME_SEED: only
   * if they began with this seed, else they begin with it. */
  int resume_draws;
  int ignore_eos; /* 1: an end id is a token like any other */
  const int32_t *end_ids; /* further end ids [end_count] */
  uint32_t end_count;
  hr_rows_fn on_prompt_rows; /* not 0: also called with the logits of every row of the prompt */
} hr_generate_options;

/* One generated token: its id, and the UTF-8 text that became complete with it (may be empty, never ends inside a
 * character; special tokens give no text). logits: [vocab_size] it was chosen from. Return non-zero to stop
 * (HR_STOPPED). */
typedef int (*hr_token_fn)(void *user, int32_t id, const char *text, size_t bytes, const float *logits);
/* Appends the prompt and generates until an end id, max_tokens, HR_CONTEXT_FULL, a stop or a cancel. The last generated
 * id is not in the KV cache (it would be the first of the next prompt). The end id is delivered too. HR_OK: end id or
 * max_tokens. */
hr_status hr_generate(hr_session *session, const int32_t *prompt, uint32_t n, const hr_generate_options *options,
                      hr_token_fn on_token, void *user, hr_timings *timings);

/* Stop strings in streamed text, wherever the pieces end: text is held back while it may be the beginning of one. */
typedef struct hr_stop {
  const char *const *strings; /* [count], NUL-terminated, none empty */
  uint32_t count;
  uint32_t held_in, held; /* the text ends with the first `held` bytes of strings[held_in]; start at 0 */
  int found;              /* 1: that string is complete; start at 0 */
} hr_stop;
typedef void (*hr_text_fn)(void *user, const char *text, size_t bytes);
/* Gives out, in pieces, the text that comes before a stop string and is certain not to be in one. 1: one was found. */
int hr_stop_feed(hr_stop *stop, const char *text, size_t bytes, hr_text_fn emit, void *user);
/* At the end of the text: what is still held back. */
void hr_stop_flush(hr_stop *stop, hr_text_fn emit, void *user);

/* ---- tokenizer: read in place from the blob's HR_SECTION_TOKENIZER ----
 * hr_tokenizer_open checks the section; it must be aligned to 4 and stay in memory, unchanged, while the tokenizer is
 * used. */
typedef struct hr_tokenizer {
  const uint8_t *data;
  size_t bytes;
} hr_tokenizer;
hr_status hr_tokenizer_open(hr_tokenizer *tokenizer, const void *section, size_t bytes);
hr_status hr_model_tokenizer(const hr_model *model, hr_tokenizer *tokenizer);
uint32_t hr_tokenizer_count(const hr_tokenizer *tokenizer); /* ids are below */
/* Text to ids. Added tokens in the text (such as "<|im_end|>") become their ids. ids: room for `capacity`; *n receives
 * the count needed (HR_OUT_OF_MEMORY when capacity is less). HR_BAD_TEXT: not UTF-8. scratch: hr_tokenizer_scratch(text
 * bytes). */
#define HR_TOKENIZER_MAX_TEXT (1u << 26) /* bytes of text must be below */
size_t hr_tokenizer_scratch(const hr_tokenizer *tokenizer, size_t text_bytes);
enum { HR_WITH_SPECIAL = 1 }; /* add what the post-processor adds */
hr_status hr_encode(const hr_tokenizer *tokenizer, const char *text, size_t bytes, uint32_t flags, int32_t *ids,
                    size_t capacity, size_t *n, void *scratch, size_t scratch_bytes);
/* Streaming decode: state starts at {0}; feed ids one at a time, then id = -1 to flush. A call gives at most
 * hr_decode_max(t) bytes and never ends inside a character; with less capacity it may return HR_OUT_OF_MEMORY and
 * leaves the state as it was. Bytes that form no character become U+FFFD; unknown ids give nothing. */
typedef struct hr_decoder {
  uint8_t pending[4]; /* beginning of a character */
  uint8_t pending_bytes;
  uint8_t keep_special; /* set to 1 to see special tokens */
  uint8_t started, stripped, bad_run, seen, space_due, reserved;
} hr_decoder;
size_t hr_decode_max(const hr_tokenizer *tokenizer);
hr_status hr_decode(const hr_tokenizer *tokenizer, hr_decoder *state, int32_t id, char *text, size_t capacity,
                    size_t *bytes);
/* All ids at once. Differs from the stream in one case: byte tokens that form no text, after others of the same run
 * that do, make the whole run U+FFFD, and a stream has given out the good ones by then. *bytes receives the count
 * needed. */
enum { HR_KEEP_SPECIAL = 1 };
hr_status hr_detokenize(const hr_tokenizer *tokenizer, const int32_t *ids, size_t n, uint32_t flags, char *text,
                        size_t capacity, size_t *bytes);

/* ---- chat template: read in place from the blob's HR_SECTION_TEMPLATE ----
 * hr_template_open checks the section; it must be aligned to 4 and stay in memory, unchanged, while the template is used.
 * A template renders a context, a JSON object with what the template names: "messages" (list of {"role", "content",
 * ...}), "tools", "add_generation_prompt", any further variables. Texts of special tokens ("bos_token", ...) are in the
 * section, for a context that does not give them. */
typedef struct hr_template {
  const uint8_t *data;
  size_t bytes;
} hr_template;
hr_status hr_template_open(hr_template *chat_template, const void *section, size_t bytes);
hr_status hr_model_template(const hr_model *model, hr_template *chat_template); /* HR_NO_TEMPLATE */

typedef struct hr_render_request {
  const char *context; /* JSON text, UTF-8 */
  size_t context_bytes;
  /* "2026-07-04T09:30:00": the local time, for strftime_now when the context has no "now"; 0: such templates fail */
  const char *now;
  char *text; /* receives the result; also room for parts that are made before they are used */
  size_t capacity;
  void *scratch; /* any alignment; hr_render_scratch(context_bytes) is enough for ordinary templates */
  size_t scratch_bytes;
  uint64_t max_steps; /* work a template may do; 0: HR_RENDER_STEPS */
} hr_render_request;
#define HR_RENDER_STEPS 50000000u

typedef struct hr_render_error {
  uint32_t line;       /* of the template, from 1; 0: the context or the memory is to blame */
  uint32_t raised;     /* 1: the template's own message, by raise_exception */
  uint32_t out_of;     /* HR_OUT_OF_MEMORY: which was too small, HR_OUT_OF_TEXT or HR_OUT_OF_SCRATCH */
  const char *message; /* not 0-terminated; constant or inside the scratch memory */
  size_t message_bytes;
} hr_render_error;
enum { HR_OUT_OF_TEXT = 1, HR_OUT_OF_SCRATCH = 2 };
size_t hr_render_scratch(size_t context_bytes);
/* *bytes receives the length of the text. HR_TEMPLATE_ERROR, HR_BAD_TEXT (context), HR_INVALID_ARGUMENT (the context is
 * not a JSON object), HR_OUT_OF_MEMORY: `error` has the details (may be 0), and the text is of no use. */
hr_status hr_render(const hr_template *chat_template, const hr_render_request *request, size_t *bytes,
                    hr_render_error *error);

/* XXH64 (xxHash specification), used by weights.bin. */
uint64_t hr_hash64(const void *data, size_t bytes, uint64_t seed);

/* ---- everything above as one table, for programs that load a bundle's library at run time ----
 * A bundle's shared object exports `const hr_library *hr_library_get(void)` and `const hr_api *hr_api_get(void)`. */
typedef struct hr_api {
  uint32_t bytes;       /* sizeof(hr_api) */
  uint32_t abi_version; /* HR_ABI_VERSION */
  const char *(*status_text)(hr_status status);
  size_t (*arena_bytes)(const hr_library *library);
  size_t (*session_bytes)(const hr_library *library);
  uint32_t (*missing_features)(const hr_library *library, const hr_port *port);
  const char *(*feature_name)(uint32_t bit);
  hr_status (*open)(hr_model **model, const hr_library *library, const void *weights, size_t weight_bytes,
                    const hr_port *port, const hr_model_options *options, void *arena, size_t arena_bytes);
  hr_status (*check_bundle)(const hr_library *library, const void *weights, size_t weight_bytes, hr_problem *problem);
  hr_status (*check_payload)(const hr_library *library, const void *weights, size_t weight_bytes, hr_problem *problem);
  const char *(*fault_site)(const hr_model *model);
  hr_status (*session_open)(hr_session **session, hr_model *model, void *memory, size_t bytes);
  uint32_t (*session_length)(const hr_session *session);
  hr_status (*session_rewind)(hr_session *session, uint32_t length);
  const int32_t *(*session_ids)(const hr_session *session, uint32_t *n);
  uint32_t (*session_common)(const hr_session *session, const int32_t *ids, uint32_t n);
  uint64_t (*session_file_bytes)(const hr_session *session);
  hr_status (*session_save)(const hr_session *session, hr_write_fn write, void *user);
  hr_status (*session_load)(hr_session *session, hr_read_fn read, void *user, hr_problem *problem);
  hr_status (*append)(hr_session *session, const int32_t *ids, uint32_t n, int rows, hr_rows_fn on_rows, void *user);
  const float *(*logits)(const hr_session *session);
  const float *(*tap_data)(const hr_session *session, uint32_t tap);
  hr_status (*embed)(hr_session *session, const int32_t *ids, uint32_t n, float *embedding);
  const float *(*hidden)(const hr_session *session, uint32_t row);
  void (*cancel)(hr_session *session);
  hr_status (*generate)(hr_session *session, const int32_t *prompt, uint32_t n, const hr_generate_options *options,
                        hr_token_fn on_token, void *user, hr_timings *timings);
  int (*stop_feed)(hr_stop *stop, const char *text, size_t bytes, hr_text_fn emit, void *user);
  void (*stop_flush)(hr_stop *stop, hr_text_fn emit, void *user);
  hr_status (*tokenizer_open)(hr_tokenizer *tokenizer, const void *section, size_t bytes);
  uint32_t (*tokenizer_count)(const hr_tokenizer *tokenizer);
  hr_status (*model_tokenizer)(const hr_model *model, hr_tokenizer *tokenizer);
  size_t (*tokenizer_scratch)(const hr_tokenizer *tokenizer, size_t text_bytes);
  hr_status (*encode)(const hr_tokenizer *tokenizer, const char *text, size_t bytes, uint32_t flags, int32_t *ids,
                      size_t capacity, size_t *n, void *scratch, size_t scratch_bytes);
  size_t (*decode_max)(const hr_tokenizer *tokenizer);
  hr_status (*decode)(const hr_tokenizer *tokenizer, hr_decoder *state, int32_t id, char *text, size_t capacity,
                      size_t *bytes);
  hr_status (*detokenize)(const hr_tokenizer *tokenizer, const int32_t *ids, size_t n, uint32_t flags, char *text,
                          size_t capacity, size_t *bytes);
  hr_status (*template_open)(hr_template *chat_template, const void *section, size_t bytes);
  hr_status (*model_template)(const hr_model *model, hr_template *chat_template);
  size_t (*render_scratch)(size_t context_bytes);
  hr_status (*render)(const hr_template *chat_template, const hr_render_request *request, size_t *bytes,
                      hr_render_error *error);
} hr_api;
const hr_api *hr_api_get(void);

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
