/* hr_abi.h - the one contract shared by compiler, generated code, kernels and runtime (ABI 2).
 *
 * C11 and C++17, no includes but the freestanding ones, no inline code, no OS. Enumerators are shared with the compiler: nothing
 * here is mirrored by hand elsewhere. The generated code is position independent and has no state; everything it touches is
 * reached through the hr_step it is given.
 */
#ifndef HR_ABI_H
#define HR_ABI_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_ABI_VERSION 2u
#define HR_MAX_THREADS 64u
#define HR_MAX_DEVICES 8u

/* ---- CPU features a library may require (bits of hr_library.cpu_features) ------------------------------------------------ */
enum hr_cpu_feature {
  HR_CPU_X86_AVX2_FMA = 1u << 0,   /* AVX2, FMA3 and F16C */
  HR_CPU_X86_AVX_VNNI = 1u << 1,   /* VEX-encoded VPDPBUSD */
  HR_CPU_X86_AVX512 = 1u << 2,     /* AVX512 F, BW, DQ, VL */
  HR_CPU_X86_AVX512_VNNI = 1u << 3,
  HR_CPU_ARM_NEON = 1u << 8,       /* implied by AArch64 */
  HR_CPU_ARM_DOTPROD = 1u << 9,
  HR_CPU_ARM_I8MM = 1u << 10
};

/* ---- weights.bin ------------------------------------------------------------------------------------------------------------
 *
 *   0        hr_blob_header
 *   64       hr_blob_section[section_count]
 *   ...      sections, each at a multiple of HR_SECTION_ALIGN, zero-filled between
 *   file_size
 *
 * Little endian. header.table_hash = XXH64(seed 0) over the header with table_hash = 0, followed by the section table; each table
 * row holds the XXH64 of its payload, so table_hash identifies the whole file. It is what hr_library.blob_hash must equal.
 */
#define HR_BLOB_MAGIC "HRBLOB\0\1" /* 8 bytes */
#define HR_SECTION_ALIGN 16384u

enum hr_section_kind {
  HR_SECTION_WEIGHTS = 1,   /* tensors in a kernel layout, for one device */
  HR_SECTION_TOKENIZER = 2, /* read in place by runtime/core, see hr_tokenizer_format.h */
  HR_SECTION_TEMPLATE = 3,  /* the chat template, read in place by runtime/core, see hr_template_format.h */
};

enum hr_memory_kind { HR_MEMORY_FILE_MAP = 0, HR_MEMORY_DMABUF = 1, HR_MEMORY_OPENCL = 2, HR_MEMORY_FLASH = 3 };

typedef struct hr_blob_header {
  char magic[8];
  uint32_t version;       /* HR_ABI_VERSION */
  uint32_t header_bytes;  /* sizeof(hr_blob_header) */
  uint64_t file_bytes;
  uint64_t table_hash;
  uint32_t section_count;
  uint32_t reserved[7];   /* zero */
} hr_blob_header;         /* 64 bytes */

typedef struct hr_blob_section {
  uint32_t kind;          /* hr_section_kind */
  uint32_t device;        /* device index of the library, 0 for none */
  uint32_t memory;        /* hr_memory_kind */
  uint32_t reserved;
  uint64_t offset;        /* from the start of the file, multiple of HR_SECTION_ALIGN */
  uint64_t bytes;
  uint64_t hash;          /* XXH64 of the payload */
  char name[24];          /* NUL padded, for people */
} hr_blob_section;        /* 64 bytes */

/* ---- what a step sees --------------------------------------------------------------------------------------------------------
 *
 * Every operand of a launch is base[i] + constant offset. hr_library.bases says what base i is.
 */
enum hr_base_kind {
  HR_BASE_ARENA = 0,   /* activations and scratch of a device; contents do not survive a step except `hidden` and `logits` */
  HR_BASE_KV = 1,      /* KV cache of a session on a device */
  HR_BASE_SECTION = 2  /* weights: blob section `section` */
};

/* Of a section the address is section + offset, and `bytes` lie there: today one base spans a section (offset 0); with one
 * base a layer the weights can be streamed, since code reaches them through this table alone. */
typedef struct hr_base {
  uint32_t kind;    /* hr_base_kind */
  uint32_t device;
  uint32_t section; /* index into the blob's section table (HR_BASE_SECTION) */
  uint32_t align;   /* of the base address, bytes; of a section at most 4096, what a mapped file always has */
  uint64_t offset;  /* in the section; 0 for the other kinds */
  uint64_t bytes;
} hr_base;

typedef struct hr_barrier hr_barrier; /* opaque here; runtime/core defines it */

typedef struct hr_step {
  void *const *base;       /* [hr_library.base_count] */
  const uint32_t *share;   /* [threads + 1] cumulative share of work, 0 .. 65536; thread t of a launch of n tiles runs tiles
                              [n * share[t] >> 16, n * share[t + 1] >> 16), 64-bit product */
  hr_barrier *barrier;
  int32_t *fault;          /* [threads] one word a thread, so that none races: 0, or 1 + site of the first of its launches that
                              met a NaN or an infinity. Sites ascend in the order of launches: the smallest word is the first. */
  int32_t n_valid;         /* rows of this step, 1 .. entry.rows */
  int32_t pos;             /* absolute position of row 0 (length of the KV cache before this step) */
  int32_t row0;            /* head entries: first row of the hidden states of the last body step to look at */
  int32_t threads;
} hr_step;

/* Waits until all `threads` of the step have arrived. Called by generated code; defined by runtime/core. Visible, so that it stays
 * global where the runtime's own functions become local. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((visibility("default")))
#endif
void hr_barrier_wait(const hr_step *step, uint32_t thread);

/* ---- kernels -----------------------------------------------------------------------------------------------------------------
 *
 * A kernel is pure: void kernel(operand pointers..., [int32_t site,] int32_t n_valid, int32_t pos, int32_t begin, int32_t end).
 * It runs tiles [begin, end). Families, operands, layouts and the arithmetic to the bit: runtime/abi/README.md.
 */

/* ---- the library: what the generated code says of itself --------------------------------------------------------------------- */
enum hr_entry_kind { HR_ENTRY_BODY = 0, HR_ENTRY_HEAD = 1 };
enum hr_device_kind { HR_DEVICE_CPU = 0, HR_DEVICE_REFERENCE = 1, HR_DEVICE_HEXAGON = 2, HR_DEVICE_ADRENO = 3 };

typedef void (*hr_segment_fn)(const hr_step *step, uint32_t thread);

/* A segment runs on one device; `wait` is the index of the segment of the same entry that must have finished before (or -1).
 * Segments of an entry are listed in an order that may be executed one after the other, and that is what this runtime does: it
 * reads neither `wait` nor `signal`, which are for one that lets devices overlap. */
typedef struct hr_segment {
  hr_segment_fn run;
  uint32_t device;
  int32_t wait;
  int32_t signal;   /* >= 0: number of the event raised at its end (its own index), -1: nobody waits for it */
  uint32_t reserved;
} hr_segment;

typedef struct hr_entry {
  const char *name;        /* "body_1", "head_8" */
  const hr_segment *segments;
  uint32_t segment_count;
  uint32_t kind;           /* hr_entry_kind */
  uint32_t rows;           /* most rows it takes */
  uint32_t reserved;
} hr_entry;

/* A value kept until the end of the step (compile --taps): float32 [rows][stride], `cols` of them meaningful. */
typedef struct hr_tap {
  const char *name;        /* "layers.3.mlp.out" */
  uint64_t offset;
  uint32_t base;
  uint32_t cols;
  uint32_t stride;         /* floats from row to row */
  uint32_t entry;          /* index of the entry that writes it */
} hr_tap;

enum hr_kv_type { HR_KV_F32 = 0, HR_KV_F16 = 1 };

/* Keys and values of one layer in a session's KV cache. Layouts: runtime/abi/README.md, for hr_library.context positions. */
typedef struct hr_kv {
  uint64_t k_offset, v_offset; /* from the base */
  uint32_t base;
  uint32_t k_type, v_type;     /* hr_kv_type */
  uint32_t kv_heads, head_dim;
  uint32_t window;             /* positions that attention looks back over, 0: all */
} hr_kv;

/* A decoder has heads, and its positions see those before them. An encoder has bodies only: a text is one body step from position
 * 0, in which all rows see each other, and its result are the rows of `hidden`. */
enum hr_model_kind { HR_MODEL_DECODER = 0, HR_MODEL_ENCODER = 1 };

/* How the rows of an encoder become one vector: not at all, their mean, the first. */
enum hr_pooling { HR_POOLING_NONE = 0, HR_POOLING_MEAN = 1, HR_POOLING_CLS = 2 };

/* Where a step's input and outputs lie: float32/int32 rows, `stride` elements apart. */
typedef struct hr_slot {
  uint64_t offset;
  uint32_t base;
  uint32_t stride;
} hr_slot;

typedef struct hr_device_info {
  const char *name;        /* "cpu", "reference" */
  uint32_t kind;           /* hr_device_kind */
  uint32_t reserved;
} hr_device_info;

typedef struct hr_library {
  uint32_t abi_version;    /* HR_ABI_VERSION */
  uint32_t bytes;          /* sizeof(hr_library) of the compiler */
  const char *name;        /* model name, a C identifier */
  const char *target;      /* "x86-64-v4+vnni" */
  uint64_t blob_hash;      /* hr_blob_header.table_hash of the weights.bin it belongs to */
  uint64_t blob_bytes;
  uint32_t cpu_features;   /* hr_cpu_feature bits */
  uint32_t vocab_size;
  uint32_t hidden_size;
  uint32_t context;        /* positions of the KV cache, multiple of 32 or the model's maximum rounded up to one */
  uint32_t max_positions;  /* positions that may be used: <= context */
  uint32_t device_count;
  uint32_t base_count;
  uint32_t entry_count;    /* bodies ascending by rows, then heads ascending by rows */
  uint32_t tap_count;
  uint32_t site_count;
  uint32_t eos_count;
  int32_t bos_id;          /* -1: none */
  uint32_t kv_count;       /* layers with a cache */
  uint32_t token_bytes;    /* most bytes of text that one id of the blob's tokenizer gives (hr_decode_max), 0: no tokenizer */
  uint32_t model_kind;     /* hr_model_kind */
  uint32_t pooling;        /* hr_pooling, of an encoder */
  uint32_t normalize;      /* 1: the pooled vector is divided by its Euclidean length */
  uint32_t reserved;       /* zero */
  const hr_device_info *devices;
  const hr_base *bases;
  const hr_entry *entries;
  const hr_tap *taps;
  const char *const *sites; /* launch sites for fault messages: "layers.3.mlp.norm" */
  const int32_t *eos_ids;
  const hr_kv *kv;         /* in the order of the layers */
  hr_slot tokens;          /* int32 [max rows]: written by the runtime before a body step */
  hr_slot hidden;          /* float32 [max rows][stride]: body -> head */
  hr_slot logits;          /* float32 [head rows][stride]: written by a head step */
} hr_library;

#ifdef __cplusplus
}
#endif
#endif
