/* hr_tokenizer_format.h - the tokenizer section of weights.bin: written by compiler/import/tokenizer, read in place by
 * runtime/core.
 *
 *   0      hr_tok_header, with one {offset, count} per part
 *   ...    parts, each at a multiple of 4
 *
 * Little endian, 32-bit quantities only. Everything that can be worked out ahead of time is: merges are a hash table,
 * regexes are programs, Unicode properties are the few ranges those programs ask about. A reader needs no index of its
 * own, so opening a tokenizer costs a check of the header. Indices inside the parts are checked by the reader where
 * they are used.
 */
#ifndef HR_TOKENIZER_FORMAT_H
#define HR_TOKENIZER_FORMAT_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_TOK_MAGIC 0x4b545248u /* "HRTK" */
#define HR_TOK_VERSION 1u
#define HR_TOK_NONE 0xffffffffu
#define HR_TOK_MAX_TOKENS (1u << 22)
#define HR_TOK_MAX_SPLITS 8u /* pre-tokenizer stages; the reader recurses once per stage */
#define HR_TOK_MAX_NORMALIZERS 16u
#define HR_TOK_MAX_CODE 1024u    /* words of one program */
#define HR_TOK_MAX_BACKTRACK 96u /* instructions of one program that may be returned to */
#define HR_TOK_MAX_CATEGORIES 32u
#define HR_TOK_MAX_BUCKET 64u /* merges in one hash bucket */

/* ---- header ---- */
enum hr_tok_flag {
  HR_TOK_BYTE_LEVEL =
      1u << 0, /* symbols are bytes (BYTE_IDS); decoding concatenates bytes, ill-formed UTF-8 becomes U+FFFD */
  HR_TOK_BYTE_FALLBACK = 1u << 1, /* symbols are characters (CHARS), unknown ones fall back to their bytes (BYTE_IDS) */
  HR_TOK_FUSE_UNK = 1u << 2,      /* neighbouring unknown symbols become one unk_id */
  HR_TOK_IGNORE_MERGES = 1u << 3, /* a pre-token that is a token as a whole (WORDS) is not merged */
  HR_TOK_JOIN_SPACE = 1u << 4,    /* decoding puts a space between tokens (tokenizer.json without a decoder) */
  HR_TOK_DECODE_BYTES = 1u << 5   /* tokens of kind HR_TOK_KIND_BYTE stand for one byte of a character when decoding */
};

enum hr_tok_part {
  HR_TOK_OFFSETS, /* u32[token_count + 1]: token id's decoded text is TEXT[OFFSETS[id] .. OFFSETS[id + 1]) */
  HR_TOK_KINDS,   /* u8[token_count]: hr_tok_kind bits */
  HR_TOK_TEXT,    /* u8 */
  HR_TOK_BUCKETS, /* u32[2^k + 1]: merges of bucket b are MERGES[BUCKETS[b] .. BUCKETS[b + 1]); b = hr_tok_pair_hash mod
                     2^k */
  HR_TOK_MERGES,  /* hr_tok_merge, grouped by bucket */
  HR_TOK_BYTE_IDS, /* u32[256] or empty: token of a byte, HR_TOK_NONE: none */
  HR_TOK_CHARS,    /* hr_tok_char, ascending by code point: tokens of single characters */
  HR_TOK_WORDS, /* u32[2^k]: ids, open addressing with linear probing from FNV-1a of the token's text; HR_TOK_NONE: free
                 */
  HR_TOK_ADDED, /* hr_tok_added, ascending by key: added tokens looked for in the text as given */
  HR_TOK_ADDED_NORMALIZED, /* hr_tok_added: those looked for in normalized text */
  HR_TOK_STRINGS,          /* u8: keys and normalizer strings */
  HR_TOK_NORMALIZERS,      /* hr_tok_normalizer, in order */
  HR_TOK_SPLITS,           /* hr_tok_split, in order, each splitting the pieces of the one before */
  HR_TOK_CODE,             /* u32: programs */
  HR_TOK_CLASSES,          /* u32: bit c set: code points of category c belong to the class */
  HR_TOK_ASCII,            /* u8[128] or empty: category of the first code points */
  HR_TOK_RANGES, /* u32, ascending: first code point << 8 | category, valid up to the next entry; begins with code point
                    0 */
  HR_TOK_PREFIX, /* u32: ids put before with HR_WITH_SPECIAL */
  HR_TOK_SUFFIX, /* u32: ids put after */
  HR_TOK_NFC,    /* u32, as RANGES: 0 = begins a run that normalizes on its own, HR_TOK_NFC_CHANGES = starter that may
                    change or    combine with what precedes, else canonical combining class */
  HR_TOK_DECOMPOSE,  /* hr_tok_decompose, ascending: full canonical decompositions (Hangul is computed) */
  HR_TOK_DECOMPOSED, /* u32: their code points */
  HR_TOK_COMPOSE,    /* hr_tok_compose, ascending by (first, second) */
  HR_TOK_PART_COUNT
};

typedef struct hr_tok_span {
  uint32_t offset; /* bytes from the start of the section */
  uint32_t count;  /* elements */
} hr_tok_span;

typedef struct hr_tok_header {
  uint32_t magic, version;
  uint32_t bytes;           /* of the section */
  uint32_t flags;           /* hr_tok_flag */
  uint32_t token_count;     /* ids are below */
  uint32_t max_token_bytes; /* longest decoded text */
  uint32_t unk_id;          /* HR_TOK_NONE: unknown symbols are dropped */
  uint32_t strip_char;      /* decoding drops up to strip_count of this code point at the very beginning */
  uint32_t strip_count;
  uint32_t space_class; /* index into CLASSES: \s, for lstrip and rstrip */
  uint32_t word_class;  /* \w, for single_word */
  uint32_t reserved;
  hr_tok_span parts[HR_TOK_PART_COUNT];
} hr_tok_header;

/* ---- vocabulary ---- */
enum hr_tok_kind {
  HR_TOK_KIND_SPECIAL = 1u, /* gives no text unless asked for */
  HR_TOK_KIND_HOLE = 2u,    /* id without a token: gives no text */
  HR_TOK_KIND_BYTE = 4u     /* with HR_TOK_DECODE_BYTES: text is one byte, any value */
};

typedef struct hr_tok_merge {
  uint32_t left, right; /* ids */
  uint32_t rank;        /* lower merges first */
  uint32_t result;      /* id */
} hr_tok_merge;

/* bucket = h & (buckets - 1), all in 32 bits:
 *   h = left * 0x9e3779b1 ^ right * 0x85ebca6b;  h ^= h >> 15;  h *= 0x2c1b3c6d;  h ^= h >> 12 */

typedef struct hr_tok_char {
  uint32_t code, id;
} hr_tok_char;

enum hr_tok_added_flag { HR_TOK_LSTRIP = 1u, HR_TOK_RSTRIP = 2u, HR_TOK_SINGLE_WORD = 4u };
typedef struct hr_tok_added {
  uint32_t key, key_bytes; /* in STRINGS; not empty */
  uint32_t id;
  uint32_t flags; /* hr_tok_added_flag */
} hr_tok_added;

/* ---- normalizers ---- */
enum hr_tok_normalizer_kind {
  HR_TOK_PREPEND = 1, /* puts `with` before text that is not empty */
  HR_TOK_REPLACE = 2, /* puts `with` in place of each `find` (not empty) */
  HR_TOK_TO_NFC = 3
};
typedef struct hr_tok_normalizer {
  uint32_t kind;
  uint32_t find, find_bytes, with, with_bytes; /* in STRINGS */
} hr_tok_normalizer;

#define HR_TOK_NFC_CHANGES 255u
typedef struct hr_tok_decompose {
  uint32_t code, first_and_count;
} hr_tok_decompose; /* index into DECOMPOSED | count << 24 */
typedef struct hr_tok_compose {
  uint32_t first, second, code;
} hr_tok_compose;

/* ---- pre-tokenizer ---- */
enum hr_tok_split_kind {
  HR_TOK_SPLIT_PROGRAM = 1, /* matches of the program at CODE[code .. code + words) */
  HR_TOK_SPLIT_SPACE =
      2 /* no split: puts a space before a piece that does not begin with one (ByteLevel add_prefix_space) */
};
/* What becomes of matches and of the text between them. */
enum hr_tok_behavior {
  HR_TOK_ISOLATED = 0,
  HR_TOK_REMOVED = 1,
  HR_TOK_CONTIGUOUS = 2,
  HR_TOK_MERGED_WITH_PREVIOUS = 3,
  HR_TOK_MERGED_WITH_NEXT = 4
};
typedef struct hr_tok_split {
  uint32_t kind, behavior;
  uint32_t invert; /* 1: what lies between the matches counts as matched */
  uint32_t code, words;
} hr_tok_split;

/* Programs: backtracking, leftmost, first alternative wins. A word is op | operand << 8. Jumps lead forward only and
 * the last instruction is HR_TOK_OP_MATCH, so an attempt ends. */
enum hr_tok_op {
  HR_TOK_OP_MATCH = 0,
  HR_TOK_OP_CHAR = 1,  /* operand: code point */
  HR_TOK_OP_CLASS = 2, /* operand: class; one code point of it */
  HR_TOK_OP_LOOP = 3, /* operand: class; next two words: least and most (HR_TOK_NONE: any) repeats, as many as possible,
                         then fewer */
  HR_TOK_OP_POSSESSIVE = 4, /* the same, never fewer */
  HR_TOK_OP_SPLIT = 5,      /* operand: word index in the program, tried when what follows fails */
  HR_TOK_OP_JUMP = 6,       /* operand: word index */
  HR_TOK_OP_NEXT = 7,       /* operand: class; the next code point exists and is of it, nothing is consumed */
  HR_TOK_OP_NOT_NEXT = 8,   /* the opposite */
  HR_TOK_OP_LINE_END = 9    /* end of the piece, or before \n */
};

#ifdef __cplusplus
}
#endif
#endif
