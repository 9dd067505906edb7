/* Runs the library of plan.mlir.in through its tables alone and compares with the same sums in C. Exit status 0: equal. */
#include "hr_abi.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

extern const hr_library tiny_library;
const hr_library *hr_library_get(void);

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("line %d: %s\n", __LINE__, #condition);                                                                   \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

static _Alignas(64) unsigned char arena[16384], kv[4096];
static _Alignas(64) float weight[64];

static float *at(unsigned offset) { return (float *)(void *)(arena + offset); }

static int check_tables(const hr_library *l) {
  CHECK(l == &tiny_library && l->abi_version == HR_ABI_VERSION && l->bytes == sizeof(hr_library));
  CHECK(!strcmp(l->name, "tiny") && l->blob_hash == 1 && l->blob_bytes == 2 && l->cpu_features != 0);
  CHECK(l->vocab_size == 64 && l->hidden_size == 64 && l->context == 32 && l->max_positions == 20 && l->bos_id == -1);
  CHECK(l->device_count == 1 && !strcmp(l->devices[0].name, "cpu"));
  CHECK(l->base_count == 3 && l->bases[0].kind == HR_BASE_ARENA && l->bases[0].bytes == 16384 && l->bases[0].align == 64);
  CHECK(l->bases[1].kind == HR_BASE_SECTION && l->bases[1].section == 1 && l->bases[1].align == 128);
  CHECK(l->bases[1].offset == 0 && l->bases[1].bytes == 256);
  CHECK(l->bases[2].kind == HR_BASE_KV && l->bases[2].bytes == 4096);
  CHECK(l->kv_count == 1 && l->kv[0].base == 2 && l->kv[0].k_offset == 0 && l->kv[0].v_offset == 1024);
  CHECK(l->kv[0].k_type == HR_KV_F16 && l->kv[0].v_type == HR_KV_F32 && l->kv[0].kv_heads == 1);
  CHECK(l->kv[0].head_dim == 16 && l->kv[0].window == 24 && l->token_bytes == 0);
  CHECK(l->model_kind == HR_MODEL_ENCODER && l->pooling == HR_POOLING_MEAN && l->normalize == 1 && l->reserved == 0);
  CHECK(l->entry_count == 2 && !strcmp(l->entries[0].name, "body_8") && l->entries[0].kind == HR_ENTRY_BODY);
  CHECK(l->entries[0].rows == 8 && l->entries[0].segment_count == 2 && l->entries[0].segments[0].signal == 0);
  CHECK(l->entries[0].segments[0].wait == -1 && l->entries[0].segments[1].wait == 0);
  CHECK(!strcmp(l->entries[1].name, "head_8") && l->entries[1].kind == HR_ENTRY_HEAD);
  CHECK(l->tap_count == 1 && !strcmp(l->taps[0].name, "layers.0") && l->taps[0].offset == 2112 && l->taps[0].cols == 60);
  CHECK(l->taps[0].stride == 64 && l->taps[0].entry == 0 && l->taps[0].base == 0);
  CHECK(l->site_count == 2 && !strcmp(l->sites[1], "second") && l->eos_count == 2 && l->eos_ids[1] == 5);
  CHECK(l->tokens.offset == 0 && l->hidden.offset == 64 && l->hidden.stride == 64 && l->logits.offset == 8256);
  return 0;
}

static float expected(const float *x, unsigned i) {
  float lane[32] = {0};
  for (unsigned j = 0; j < 64; j++)
    lane[j % 32] = fmaf(x[j], x[j], lane[j % 32]);
  for (unsigned h = 16; h; h /= 2)
    for (unsigned j = 0; j < h; j++)
      lane[j] += lane[j + h];
  return (x[i] * (1.0f / sqrtf(lane[0] / 64.0f + 1.0e-5f))) * weight[i];
}

int main(void) {
  const hr_library *l = hr_library_get();
  int32_t fault[2] = {0};
  void *bases[3] = {arena, weight, kv};
  const uint32_t share[4] = {0, 65536, 30000, 65536};
  hr_step step = {bases, share, 0, fault, 3, 0, 0, 1};
  if (check_tables(l))
    return 1;
  for (unsigned i = 0; i < 64; i++)
    weight[i] = 0.5f + (float)i / 64;
  for (unsigned i = 0; i < 8 * 64; i++)
    at(64)[i] = (float)((i * 37 + 11) % 101) / 50 - 1;
  memset(kv, 77, sizeof kv);
  l->entries[0].segments[0].run(&step, 0);
  l->entries[0].segments[1].run(&step, 0);
  for (unsigned r = 0; r < 8; r++)
    for (unsigned i = 0; i < 64; i++) {
      float y = r < 3 ? expected(at(64) + r * 64, i) : 0, sum = r < 3 ? at(64)[r * 64 + i] + y : 0, copied;
      memcpy(&copied, kv + 64 + (r * 64 + i) * 4, 4);
      CHECK(at(2112)[r * 64 + i] == y && at(4160)[r * 64 + i] == sum);
      CHECK(r < 3 ? copied == sum : kv[64 + (r * 64 + i) * 4] == 77);
    }
  CHECK(!memcmp(kv + 3, arena + 4160, 5) && kv[2] == 77 && kv[8] == 77);

  /* Two threads, one after the other (a head without barriers): each does its share. */
  step.threads = 2;
  step.row0 = 2;
  step.n_valid = 5;
  step.share = share + 1; /* thread 1 of {65536, 30000, 65536}: rows 2 .. 4 of 5 */
  l->entries[1].segments[0].run(&step, 1);
  CHECK(at(8256)[0] == 0 && at(8256)[64] == 0 && at(8256)[2 * 64 + 5] == expected(at(64) + 4 * 64, 5));
  CHECK(at(8256)[4 * 64 + 63] == expected(at(64) + 6 * 64, 63) && at(8256)[5 * 64] == 0 && fault[1] == 0);
  at(64)[4 * 64] = INFINITY;
  l->entries[1].segments[0].run(&step, 1);
  CHECK(fault[1] == 2 && fault[0] == 0);
  return 0;
}
