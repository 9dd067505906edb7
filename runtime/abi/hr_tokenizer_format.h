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
#define HR_TOK_VERSION 2u
#define HR_TOK_NONE 0xffffffffu
#define HR_TOK_MAX_TOKENS (1u << 22)
#define HR_TOK_MAX_SPLITS 12u /* pre-tokenizer stages; the reader recurses once per stage */
#define HR_TOK_MAX_NORMALIZERS 16u
#define HR_TOK_MAX_CODE 1024u    /* words of one program */
#define HR_TOK_MAX_PATTERN 1000u /* bytes of a regex or string that a program is made of */
#define HR_TOK_MAX_BACKTRACK 96u /* instructions of one program that may be returned to */
#define HR_TOK_MAX_CATEGORIES 32u
#define HR_TOK_MAX_BUCKET 64u /* merges in one hash bucket */

/* ---- header ---- */
enum hr_tok_flag {
  HR_TOK_BYTE_LEVEL =
      1u << 0, /* characters of the vocabulary are bytes of text (BYTE_IDS) */
  HR_TOK_BYTE_FALLBACK = 1u << 1, /* symbols are characters (CHARS), unknown ones fall back to their bytes (BYTE_IDS) */
  HR_TOK_FUSE_UNK = 1u << 2,      /* neighbouring unknown symbols become one unk_id */
  HR_TOK_IGNORE_MERGES = 1u << 3, /* a pre-token that is a token as a whole (WORDS) is not merged */
  HR_TOK_JOIN_SPACE = 1u << 4,    /* decoding puts a space between tokens (tokenizer.json without a decoder) */
  HR_TOK_DECODE_BYTES = 1u << 5, /* tokens of a byte kind stand for one byte of a character when decoding */
  HR_TOK_DECODE_BYTE_LEVEL = 1u << 6, /* decoding concatenates bytes, ill-formed UTF-8 becomes U+FFFD */
  HR_TOK_SUBWORD_PREFIX = 1u << 7, /* BPE: characters after the first of a word have rows of their own in CHARS */
  HR_TOK_WORD_SUFFIX = 1u << 8     /* BPE: so has the last one */
};

enum hr_tok_model {
  HR_TOK_BPE = 0,
  HR_TOK_UNIGRAM = 1,   /* the path of highest sum of SCORES; what no token covers is unknown */
  HR_TOK_WORD_PIECE = 2, /* longest token first; a word that cannot be covered is unknown as a whole */
  HR_TOK_WORD_LEVEL = 3
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
  HR_TOK_DECOMPOSE_K,   /* hr_tok_decompose, ascending: full compatibility decompositions where they differ */
  HR_TOK_SORTED,        /* u32: ids of the model's tokens, ascending by vocabulary text; not for every BPE */
  HR_TOK_VOCAB_OFFSETS, /* as OFFSETS, of the vocabulary text (bytes where HR_TOK_BYTE_LEVEL); may be the same part */
  HR_TOK_VOCAB_TEXT,    /* u8 */
  HR_TOK_FIRST_OFFSETS, /* as OFFSETS, of the text that a token gives as the first of all; may be the same part */
  HR_TOK_FIRST_TEXT,    /* u8 */
  HR_TOK_SCORES,        /* hr_tok_score[token_count], of HR_TOK_UNIGRAM */
  HR_TOK_MAPS,          /* hr_tok_map, ascending within the rows of one normalizer */
  HR_TOK_TRIE,          /* u32: units of a double array (darts-clone), of HR_TOK_CHARSMAP */
  HR_TOK_TRIE_TEXT,     /* u8: what its values point at, each ended by a zero */
  HR_TOK_GRAPHEMES,     /* u32, as RANGES: hr_tok_grapheme */
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
  uint32_t model;       /* hr_tok_model */
  uint32_t prefix, prefix_bytes; /* WORD_PIECE: what continuing tokens begin with, in STRINGS */
  uint32_t max_word_chars;       /* WORD_PIECE: longer words are unknown */
  uint32_t unk_score[2];         /* UNIGRAM: bits of a double, low word first */
  hr_tok_span parts[HR_TOK_PART_COUNT];
} hr_tok_header;

/* ---- vocabulary ---- */
enum hr_tok_kind {
  HR_TOK_KIND_SPECIAL = 1u, /* gives no text unless asked for */
  HR_TOK_KIND_HOLE = 2u,    /* id without a token: gives no text */
  HR_TOK_KIND_BYTE = 4u,    /* with HR_TOK_DECODE_BYTES: text is one byte, any value */
  HR_TOK_KIND_FIRST_BYTE = 8u, /* the same of the text it gives as the first of all */
  HR_TOK_KIND_SPACE_AFTER = 16u /* a space follows when another token does */
};

/* The bits of a double, low word first. */
typedef struct hr_tok_score {
  uint32_t bits[2];
} hr_tok_score;

typedef struct hr_tok_merge {
  uint32_t left, right; /* ids */
  uint32_t rank;        /* lower merges first */
  uint32_t result;      /* id */
} hr_tok_merge;

/* bucket = h & (buckets - 1), all in 32 bits:
 *   h = left * 0x9e3779b1 ^ right * 0x85ebca6b;  h ^= h >> 15;  h *= 0x2c1b3c6d;  h ^= h >> 12 */

typedef struct hr_tok_char {
  uint32_t code, id; /* code point (with BYTE_LEVEL: byte), and the two bits below */
} hr_tok_char;
#define HR_TOK_CHAR_CONTINUES (1u << 21) /* not the first of its word */
#define HR_TOK_CHAR_ENDS (1u << 22)      /* the last of its word */

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
  HR_TOK_TO_NFC = 3,
  HR_TOK_TO_NFD = 4,
  HR_TOK_TO_NFKC = 5,
  HR_TOK_TO_NFKD = 6,
  HR_TOK_MAP = 7,             /* rows MAPS[find .. find + find_bytes); text grows at most with_bytes times */
  HR_TOK_STRIP = 8,           /* white space at the beginning (find & 1) and the end (find & 2) */
  HR_TOK_REPLACE_MATCHES = 9, /* puts `with` in place of each match of CODE[find .. find + find_bytes) */
  HR_TOK_CHARSMAP = 10,       /* graphemes and characters by TRIE; text grows at most with_bytes times */
  HR_TOK_SPELL_BYTES = 11     /* each byte becomes the character that stands for it */
};
typedef struct hr_tok_normalizer {
  uint32_t kind;
  uint32_t find, find_bytes, with, with_bytes; /* in STRINGS, unless said otherwise */
} hr_tok_normalizer;

/* Code points first, first + step ... last become `before`, the code point + delta, and `after` (0: nothing there). */
#define HR_TOK_MAP_DROP 0x7fffffff /* delta: nothing is put in their place */
typedef struct hr_tok_map {
  uint32_t first, last, step;
  int32_t delta;
  uint32_t before, after;
} hr_tok_map;

/* Kinds of characters that boundaries of extended grapheme clusters depend on (Unicode standard annex 29). */
enum hr_tok_grapheme {
  HR_TOK_GRAPHEME_OTHER,
  HR_TOK_GRAPHEME_CONTROL, /* also line feed and carriage return, which join each other */
  HR_TOK_GRAPHEME_EXTEND,
  HR_TOK_GRAPHEME_ZWJ,
  HR_TOK_GRAPHEME_SPACING, /* SpacingMark */
  HR_TOK_GRAPHEME_PREPEND,
  HR_TOK_GRAPHEME_L,
  HR_TOK_GRAPHEME_V,
  HR_TOK_GRAPHEME_T,
  HR_TOK_GRAPHEME_LV,
  HR_TOK_GRAPHEME_LVT,
  HR_TOK_GRAPHEME_PICTURE, /* Extended_Pictographic */
  HR_TOK_GRAPHEME_REGIONAL
};

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
      2, /* no split: puts a space before a piece that does not begin with one (ByteLevel add_prefix_space) */
  HR_TOK_SPLIT_METASPACE = 3 /* no split: spaces become STRINGS[code .. code + words), which is also put before a piece
                                that does not begin with it, as `behavior` (hr_tok_prepend) says */
};
enum hr_tok_prepend { HR_TOK_PREPEND_ALWAYS = 0, HR_TOK_PREPEND_FIRST = 1, HR_TOK_PREPEND_NEVER = 2 };
enum hr_tok_split_flag {
  HR_TOK_SPLIT_INVERT = 1u, /* what lies between the matches counts as matched */
  HR_TOK_SPLIT_SPELLED = 2u /* the program sees, for each byte, the character that stands for it in the vocabulary */
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
  uint32_t flags; /* hr_tok_split_flag */
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
