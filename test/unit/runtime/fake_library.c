/* fake_library.c - see fake_library.h. Freestanding, so that it also serves as the generated half of a headrace-run. */
#include "fake_library.h"

#ifdef FAKE_TEMPLATE
#include "fake_template.h" /* made by write_fake_template: static const uint8_t fake_template[] */
#endif

enum {
  tokens_at = 0,
  hidden_at = 256,
  hidden_stride = 32,
  logits_at = 2048,
  logits_stride = 288,
  arena_bytes = logits_at + fake_head_rows * logits_stride * 4,
  base_arena = 0,
  base_kv,
  base_weights,
  base_arena1,
  base_weights1,
  base_count
};

const int32_t *fake_script;

int32_t fake_target(int32_t state) { return state == 13 ? fake_end : 32 + state % 95; }

/* A launch with a site: rows with `id` fault, in the thread's own word. */
static void fault_launch(const hr_step *s, uint32_t thread, int32_t begin, int32_t end, int32_t id, int32_t site) {
  const int32_t *tokens = (const int32_t *)((const char *)s->base[base_arena] + tokens_at);
  for (int32_t row = begin; row < end; ++row)
    if (tokens[row] == id && s->fault[thread] == 0)
      s->fault[thread] = site + 1;
}

static int32_t begin_of(const hr_step *s, uint32_t thread, int32_t tiles) {
  return (int32_t)((uint64_t)tiles * s->share[thread] >> 16);
}

/* Every thread stores its rows in the cache, then (after the barrier) reads what all threads stored. */
static void body(const hr_step *s, uint32_t thread) {
  const int32_t *tokens = (const int32_t *)((const char *)s->base[base_arena] + tokens_at);
  const int32_t *weights = s->base[base_weights];
  int32_t *kv = s->base[base_kv];
  int32_t begin = begin_of(s, thread, s->n_valid), end = begin_of(s, thread + 1, s->n_valid);
  for (int32_t row = begin; row < end; ++row) {
    kv[s->pos + row] = tokens[row];
  }
  fault_launch(s, thread, begin, end, fake_fault_id, 1);
  fault_launch(s, thread, begin, end, fake_late_fault_id, 2);
  hr_barrier_wait(s, thread);
  float *hidden = (float *)((char *)s->base[base_arena] + hidden_at);
  for (int32_t row = begin; row < end; ++row) {
    uint32_t state = 0; /* a loaded session may hold anything */
    for (int32_t j = 0; j <= s->pos + row; ++j)
      state = (state + (uint32_t)(j + weights[0]) * ((uint32_t)kv[j] + 1)) % 251;
    hidden[row * hidden_stride] = (float)state;
    hidden[row * hidden_stride + 1] = (float)kv[s->pos + row];
    hidden[row * hidden_stride + 2] = (float)(s->pos + row);
    /* What another rounding, and denormals flushed to zero, would change. */
    volatile float one = 1, three = 3, small = 0x1p-126f, half = 0.5f;
    hidden[row * hidden_stride + 3] = one / three;
    hidden[row * hidden_stride + 4] = small * half * 2 - small;
  }
  hr_barrier_wait(s, thread);
}

static void copy_rows(float *to, const float *from, int32_t rows) {
  for (int32_t i = 0; i < rows * hidden_stride; ++i)
    to[i] = from[i];
}

static void to_device(const hr_step *s, uint32_t thread) {
  if (thread == 0)
    copy_rows(s->base[base_arena1], (float *)((char *)s->base[base_arena] + hidden_at), s->n_valid);
}

/* state -> 250 - state -> state: only right when it ran exactly once, alone, on the copied rows. */
static void on_device(const hr_step *s, uint32_t thread) {
  float *rows = s->base[base_arena1];
  const int32_t *weights = s->base[base_weights1];
  int32_t whole = begin_of(s, thread + 1, s->n_valid) - begin_of(s, thread, s->n_valid);
  for (int32_t row = 0; row < whole; ++row)
    rows[row * hidden_stride] = (float)weights[0] - rows[row * hidden_stride];
  hr_barrier_wait(s, thread);
}

static void from_device(const hr_step *s, uint32_t thread) {
  if (thread)
    return;
  float *hidden = (float *)((char *)s->base[base_arena] + hidden_at);
  copy_rows(hidden, s->base[base_arena1], s->n_valid);
  for (int32_t row = 0; row < s->n_valid; ++row)
    hidden[row * hidden_stride] = 250 - hidden[row * hidden_stride];
}

/* Tiles are ids: threads share the vocabulary. */
static void head(const hr_step *s, uint32_t thread) {
  const float *hidden = (const float *)((const char *)s->base[base_arena] + hidden_at) + s->row0 * hidden_stride;
  float *logits = (float *)((char *)s->base[base_arena] + logits_at);
  int32_t begin = begin_of(s, thread, fake_vocab), end = begin_of(s, thread + 1, fake_vocab);
  for (int32_t row = 0; row < s->n_valid; ++row, hidden += hidden_stride) {
    int32_t target = fake_target((int32_t)hidden[0]);
    if (fake_script)
      target = fake_script[(int32_t)hidden[2]];
    for (int32_t id = begin; id < end; ++id)
      logits[row * logits_stride + id] = -0.125f * (float)((id + fake_vocab - target) % fake_vocab);
    if ((int32_t)hidden[1] == fake_nan_id && begin <= 100 && 100 < end)
      logits[row * logits_stride + 100] = __builtin_nanf("");
  }
}

static const hr_segment one_device[] = {{body, 0, -1, -1, 0}};
static const hr_segment two_devices_body[] = {
    {body, 0, -1, 0, 0}, {to_device, 0, 0, 1, 0}, {on_device, 1, 1, 2, 0}, {from_device, 0, 2, -1, 0}};
static const hr_segment head_segments[] = {{head, 0, -1, -1, 0}};
static const hr_entry entries[] = {{"body_1", one_device, 1, HR_ENTRY_BODY, 1, 0},
                                   {"body_8", one_device, 1, HR_ENTRY_BODY, fake_body_rows, 0},
                                   {"head_1", head_segments, 1, HR_ENTRY_HEAD, 1, 0},
                                   {"head_4", head_segments, 1, HR_ENTRY_HEAD, fake_head_rows, 0}};
static const hr_entry entries_two[] = {{"body_1", two_devices_body, 4, HR_ENTRY_BODY, 1, 0},
                                       {"body_8", two_devices_body, 4, HR_ENTRY_BODY, fake_body_rows, 0},
                                       {"head_1", head_segments, 1, HR_ENTRY_HEAD, 1, 0},
                                       {"head_4", head_segments, 1, HR_ENTRY_HEAD, fake_head_rows, 0}};
static const hr_device_info devices[] = {{"cpu", HR_DEVICE_CPU, 0}, {"reference", HR_DEVICE_REFERENCE, 0}};
static const hr_base bases[base_count] = {{HR_BASE_ARENA, 0, 0, 64, 0, arena_bytes},
                                          {HR_BASE_KV, 0, 0, 64, 0, fake_context * 4},
                                          {HR_BASE_SECTION, 0, 0, 128, 0, fake_section_bytes},
                                          {HR_BASE_ARENA, 1, 0, 128, 0, fake_body_rows * hidden_stride * 4},
                                          {HR_BASE_SECTION, 1, 1, 128, 0, fake_section_bytes}};
static const hr_tap taps[] = {{"layers.0.mlp.out", hidden_at, base_arena, 1, hidden_stride, 0},
                              {"layers.0.mlp.out", hidden_at, base_arena, 1, hidden_stride, 1}};
static const char *const sites[] = {"layers.0.attn.norm", "layers.0.mlp.norm", "norm"};
static const hr_kv caches[] = {{0, 0, base_kv, HR_KV_F32, HR_KV_F32, 1, 1, 0}};
static const int32_t end_ids[] = {fake_end};

void fake_blob_rehash(uint8_t *blob) {
  hr_blob_header *h = (hr_blob_header *)blob;
  hr_blob_section *s = (hr_blob_section *)(blob + sizeof *h);
  for (uint32_t i = 0; i < h->section_count && i < fake_sections; ++i)
    if (s[i].offset < fake_blob_bytes && s[i].bytes <= fake_blob_bytes - s[i].offset)
      s[i].hash = hr_hash64(blob + s[i].offset, (size_t)s[i].bytes, 0);
  h->table_hash = 0;
  h->table_hash =
      hr_hash64(blob, sizeof *h + (h->section_count < fake_sections ? h->section_count : fake_sections) * sizeof *s, 0);
}

void fake_blob(uint8_t *blob) {
  static const struct {
    uint32_t kind, device;
    const char *name;
  } rows[] = {{HR_SECTION_WEIGHTS, 0, "weights"},
              {HR_SECTION_WEIGHTS, 1, "weights1"},
              {HR_SECTION_TOKENIZER, 0, "tokenizer"},
              {HR_SECTION_TEMPLATE, 0, "template"}};
  for (uint32_t i = 0; i < fake_blob_bytes; ++i)
    blob[i] = 0;
  hr_blob_header *h = (hr_blob_header *)blob;
  hr_blob_section *s = (hr_blob_section *)(blob + sizeof *h);
  for (int i = 0; i < 8; ++i)
    h->magic[i] = HR_BLOB_MAGIC[i];
  h->version = HR_ABI_VERSION;
  h->header_bytes = sizeof *h;
  h->file_bytes = fake_blob_bytes;
  h->section_count = fake_sections;
  for (uint32_t i = 0; i < fake_sections; ++i) {
    s[i].kind = rows[i].kind;
    s[i].device = rows[i].device;
    s[i].offset = (i + 1) * HR_SECTION_ALIGN;
    s[i].bytes = fake_section_bytes;
    for (int c = 0; rows[i].name[c]; ++c)
      s[i].name[c] = rows[i].name[c];
    for (int32_t b = 0; b < fake_section_bytes; ++b)
      blob[s[i].offset + (uint32_t)b] = (uint8_t)(b < 4 ? 0 : b * 7 + 3);
  }
  blob[1 * HR_SECTION_ALIGN] = 1;
  blob[2 * HR_SECTION_ALIGN] = 250;
  blob[3 * HR_SECTION_ALIGN] = 'F';
#ifdef FAKE_TEMPLATE
  _Static_assert(sizeof fake_template <= HR_SECTION_ALIGN, "the template's page");
  s[3].bytes = sizeof fake_template;
  for (uint32_t b = 0; b < sizeof fake_template; ++b)
    blob[s[3].offset + b] = fake_template[b];
#endif
  fake_blob_rehash(blob);
}

hr_library fake_library(const uint8_t *blob, int two_devices) {
  hr_library l = {.abi_version = HR_ABI_VERSION,
                  .bytes = sizeof(hr_library),
                  .name = "fake",
                  .target = "none",
                  .blob_hash = ((const hr_blob_header *)blob)->table_hash,
                  .blob_bytes = fake_blob_bytes,
                  .vocab_size = fake_vocab,
                  .hidden_size = 3,
                  .context = fake_context,
                  .max_positions = fake_positions,
                  .device_count = 2,
                  .base_count = base_count,
                  .entry_count = 4,
                  .tap_count = 2,
                  .site_count = 3,
                  .eos_count = 1,
                  .bos_id = -1,
                  .kv_count = 1,
                  .devices = devices,
                  .bases = bases,
                  .entries = two_devices ? entries_two : entries,
                  .taps = taps,
                  .sites = sites,
                  .eos_ids = end_ids,
                  .kv = caches,
                  .tokens = {tokens_at, base_arena, 1},
                  .hidden = {hidden_at, base_arena, hidden_stride},
                  .logits = {logits_at, base_arena, logits_stride}};
  return l;
}

const hr_library *hr_library_get(void) {
  static uint8_t blob[fake_blob_bytes] __attribute__((aligned(64)));
  static hr_library library;
  if (!library.bytes) {
    fake_blob(blob);
    library = fake_library(blob, 1);
#ifdef FAKE_ENCODER
    library.model_kind = HR_MODEL_ENCODER;
    library.entry_count = 2;
    library.pooling = HR_POOLING_MEAN;
    library.normalize = 1;
#endif
  }
  return &library;
}
