/* hr_model.c - a model inside the caller's arena: base table, shares of the threads, barrier, sampler's scratch.
 *
 *   arena:  hr_model | base table | sampler's scratch | HR_BASE_ARENA bases of all devices
 */
#include "hr_internal.h"

HR_SMALL_BEGIN

enum { min_scratch = 4096 };

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

void *hr_bump_take(hr_bump *bump, uint64_t bytes, uint64_t align) {
  uint64_t from = (uintptr_t)bump->memory, at = add(from, add(bump->used, align - 1)) / align * align - from;
  bump->used = add(at, bytes);
  return bump->memory ? bump->memory + at : 0;
}

static size_t base_align(const hr_base *base) { return base->align > HR_CACHE_LINE ? base->align : HR_CACHE_LINE; }

/* Memory that is aligned by us, whatever the caller gives: the largest alignment is paid for once more. */
static size_t alignment_slack(const hr_library *library) {
  size_t slack = HR_CACHE_LINE;
  for (uint32_t i = 0; i < library->base_count; ++i)
    if (library->bases[i].kind != HR_BASE_SECTION && base_align(&library->bases[i]) > slack)
      slack = base_align(&library->bases[i]);
  return slack;
}

static void take_bases(hr_bump *bump, const hr_library *library, uint32_t kind, void **base) {
  for (uint32_t i = 0; i < library->base_count; ++i)
    if (library->bases[i].kind == kind) {
      void *at = hr_bump_take(bump, library->bases[i].bytes, base_align(&library->bases[i]));
      if (base)
        base[i] = at;
    }
}

/* For the sampler's candidates, then for a step's text: that of one id and of the flush after it. */
static size_t scratch_bytes(const hr_library *library) {
  size_t bytes = hr_sample_scratch(library->vocab_size), text = (size_t)library->token_bytes * 2;
  if (bytes < text)
    bytes = text;
  return bytes > min_scratch ? bytes : min_scratch;
}

uint64_t hr_arena_need(const hr_library *library) {
  hr_bump bump = {0, 0};
  hr_bump_take(&bump, sizeof(hr_model), HR_CACHE_LINE);
  hr_bump_take(&bump, library->base_count * sizeof(void *), HR_CACHE_LINE);
  hr_bump_take(&bump, scratch_bytes(library), HR_CACHE_LINE);
  take_bases(&bump, library, HR_BASE_ARENA, 0);
  return add(bump.used, alignment_slack(library));
}

uint64_t hr_session_need(const hr_library *library) {
  hr_bump bump = {0, 0};
  hr_bump_take(&bump, sizeof(hr_session), HR_CACHE_LINE);
  hr_bump_take(&bump, library->base_count * sizeof(void *), HR_CACHE_LINE);
  hr_bump_take(&bump, ((uint64_t)library->max_positions + 1) * sizeof(int32_t), HR_CACHE_LINE);
  take_bases(&bump, library, HR_BASE_KV, 0);
  return add(bump.used, alignment_slack(library));
}

static size_t addressable(uint64_t bytes) { return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes; }

size_t hr_arena_bytes(const hr_library *library) { return addressable(hr_arena_need(library)); }
size_t hr_session_bytes(const hr_library *library) { return addressable(hr_session_need(library)); }

/* share[t] = 65536 * (weights before t) / (all weights); at the ends exactly 0 and 65536, so that no tile is lost. */
static void fill_share(uint32_t *share, uint32_t threads, const uint32_t *weight) {
  uint64_t all = 0, sum = 0;
  for (uint32_t t = 0; t < threads; ++t)
    all += weight ? weight[t] : 1;
  for (uint32_t t = 0; t < threads; ++t) {
    share[t] = (uint32_t)(sum * 65536 / all);
    sum += weight ? weight[t] : 1;
  }
  share[threads] = 65536;
}

static bool valid_shares(const uint32_t *weight, uint32_t threads) {
  uint64_t all = 0;
  for (uint32_t t = 0; weight && t < threads; ++t)
    all += weight[t];
  return !weight || all > 0;
}

const hr_entry *hr_find_entry(const hr_library *library, uint32_t kind, uint32_t rows) {
  const hr_entry *best = 0;
  for (uint32_t i = 0; i < library->entry_count; ++i) {
    const hr_entry *e = &library->entries[i];
    if (e->kind == kind && (!best || best->rows < rows))
      best = e; /* ascending by rows: the first that is large enough stays */
  }
  return best;
}

static void open_tokenizer(hr_model *model, hr_status *status) {
  const hr_blob_header *h = (const void *)model->weights;
  const hr_blob_section *s = hr_blob_sections(model->weights);
  for (uint32_t i = 0; i < h->section_count; ++i)
    if (s[i].kind == HR_SECTION_TOKENIZER) {
      *status = hr_tokenizer_open(&model->tokenizer, model->weights + s[i].offset, (size_t)s[i].bytes);
      if (!*status && hr_decode_max(&model->tokenizer) > model->scratch_bytes / 2)
        *status = HR_MISMATCH; /* not the tokenizer that token_bytes was taken from */
      return;
    }
}

static void place(hr_model *model, hr_bump *bump, const hr_library *library) {
  model->base = hr_bump_take(bump, library->base_count * sizeof(void *), HR_CACHE_LINE);
  model->scratch_bytes = scratch_bytes(library);
  model->scratch = hr_bump_take(bump, model->scratch_bytes, HR_CACHE_LINE);
  const hr_blob_section *sections = hr_blob_sections(model->weights);
  for (uint32_t i = 0; i < library->base_count; ++i) {
    const hr_base *b = &library->bases[i];
    if (b->kind == HR_BASE_SECTION)
      model->base[i] = (void *)(uintptr_t)(model->weights + sections[b->section].offset + b->offset);
    else
      model->base[i] = 0;
  }
  take_bases(bump, library, HR_BASE_ARENA, model->base);
}

hr_status hr_open(hr_model **out, const hr_library *library, const void *weights, size_t weight_bytes,
                  const hr_port *port, const hr_model_options *options, void *arena, size_t arena_bytes) {
  static const hr_model_options defaults;
  if (!out || !library || !weights || !port || port->bytes != sizeof *port || !arena)
    return HR_INVALID_ARGUMENT;
  const hr_model_options *o = options ? options : &defaults;
  uint32_t threads = o->threads ? o->threads : 1;
  if (threads > HR_MAX_THREADS || (threads > 1 && !port->parallel) || !valid_shares(o->thread_share, threads))
    return HR_INVALID_ARGUMENT;
  hr_status status = hr_check_bundle(library, weights, weight_bytes, 0);
  if (status)
    return status;
  if (hr_missing_features(library, port))
    return HR_CPU_UNSUPPORTED;
  if (arena_bytes < hr_arena_need(library))
    return HR_OUT_OF_MEMORY;

  hr_bump bump = {arena, 0};
  hr_model *model = hr_bump_take(&bump, sizeof *model, HR_CACHE_LINE);
  *model = (hr_model){.library = library, .weights = weights, .port = *port, .threads = threads};
  place(model, &bump, library);
  uint32_t most = hr_find_entry(library, HR_ENTRY_BODY, UINT32_MAX)->rows;
  model->chunk = o->chunk && o->chunk < most ? o->chunk : most;
  fill_share(model->share, threads, o->thread_share);
  fill_share(model->share_one, 1, 0);
  model->barrier.yield = port->yield;
  model->barrier.context = port->context;
  open_tokenizer(model, &status);
  if (!status)
    *out = model;
  return status;
}

const hr_library *hr_model_library(const hr_model *model) { return model->library; }

const char *hr_fault_site(const hr_model *model) {
  const hr_library *l = model->library;
  if (!model->fault_site)
    return "";
  uint32_t site = (uint32_t)model->fault_site - 1;
  return site < l->site_count ? l->sites[site] : "logits";
}

hr_status hr_model_template(const hr_model *model, hr_template *chat_template) {
  const hr_blob_header *h = (const void *)model->weights;
  const hr_blob_section *s = hr_blob_sections(model->weights);
  for (uint32_t i = 0; i < h->section_count; ++i)
    if (s[i].kind == HR_SECTION_TEMPLATE)
      return hr_template_open(chat_template, model->weights + s[i].offset, (size_t)s[i].bytes);
  return HR_NO_TEMPLATE;
}

hr_status hr_model_tokenizer(const hr_model *model, hr_tokenizer *tokenizer) {
  if (!model->tokenizer.data)
    return HR_NO_TOKENIZER;
  *tokenizer = model->tokenizer;
  return HR_OK;
}

HR_SMALL_END
