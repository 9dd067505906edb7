/* hr_template_format.h - the chat template section of weights.bin: written by compiler/import/template, read in place
 * by runtime/core.
 *
 *   0      hr_tpl_header, with one {offset, count} per part
 *   ...    parts, each at a multiple of 4
 *
 * Little endian, 32-bit quantities only. A template is code for a stack machine: what stands in it as text is put out,
 * expressions push values and pop them. Variables live in scopes; a name is looked for from the innermost scope
 * outwards, then in the context, then in DEFAULTS, then among the functions that every template knows
 * (hr_tpl_name.function).
 *
 * hr_template_open checks that every operand names something that is there and that jumps lead into the code. What an
 * instruction finds on the stack is checked when it runs.
 */
#ifndef HR_TEMPLATE_FORMAT_H
#define HR_TEMPLATE_FORMAT_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_TPL_MAGIC 0x50545248u /* "HRTP" */
#define HR_TPL_VERSION 2u
#define HR_TPL_MAX_BYTES (1u << 24)

enum hr_tpl_part {
  HR_TPL_CODE,      /* u32 words: op | operand << 8; begins with the template's own code */
  HR_TPL_LINES,     /* hr_tpl_line, ascending: the line of the code from there on */
  HR_TPL_CONSTANTS, /* hr_tpl_constant */
  HR_TPL_NAMES,     /* hr_tpl_name */
  HR_TPL_MACROS,    /* hr_tpl_macro */
  HR_TPL_PARAMS,    /* u32: names, of all macros */
  HR_TPL_DEFAULTS,  /* hr_tpl_default: values of names that the context does not give */
  HR_TPL_CASES,     /* hr_tpl_case, ascending: upper and lower case of characters beyond ASCII; empty: not asked for */
  HR_TPL_SPECIALS,  /* hr_tpl_special, ascending: characters for which CASES is not enough */
  HR_TPL_KINDS,     /* u32, ascending: code point | hr_tpl_kind << 21, of all characters from there to the next */
  HR_TPL_STRINGS,   /* u8: UTF-8 */
  HR_TPL_PART_COUNT
};

typedef struct hr_tpl_span {
  uint32_t offset; /* bytes from the start of the section */
  uint32_t count;  /* elements */
} hr_tpl_span;

typedef struct hr_tpl_header {
  uint32_t magic, version;
  uint32_t bytes; /* of the section */
  uint32_t reserved;
  hr_tpl_span parts[HR_TPL_PART_COUNT];
} hr_tpl_header;

typedef struct hr_tpl_line {
  uint32_t code, line;
} hr_tpl_line;

enum hr_tpl_constant_kind {
  HR_TPL_NONE = 0,
  HR_TPL_BOOL = 1,   /* a: 0 or 1 */
  HR_TPL_INT = 2,    /* a: low half, b: high half */
  HR_TPL_FLOAT = 3,  /* a: low half, b: high half of an IEEE 754 double */
  HR_TPL_STRING = 4, /* STRINGS[a .. a + b) */
  HR_TPL_ABSENT = 5  /* an argument or a bound of a slice that is not given */
};
typedef struct hr_tpl_constant {
  uint32_t kind, a, b;
} hr_tpl_constant;

typedef struct hr_tpl_name {
  uint32_t text, bytes; /* in STRINGS */
  uint32_t function;    /* hr_tpl_function, 0: none */
  uint32_t method;      /* hr_tpl_method of values that have it, 0: none */
} hr_tpl_name;

typedef struct hr_tpl_default {
  uint32_t name, constant;
} hr_tpl_default;

enum hr_tpl_macro_flag { HR_TPL_VARARGS = 1, HR_TPL_KWARGS = 2, HR_TPL_CALLER = 4 }; /* the body names it */
typedef struct hr_tpl_macro {
  uint32_t name; /* HR_TPL_NO_NAME: body of a call block */
  uint32_t code; /* binds defaults by IF_UNBOUND, ends with RETURN */
  uint32_t first_param, params;
  uint32_t flags; /* hr_tpl_macro_flag */
} hr_tpl_macro;
#define HR_TPL_NO_NAME 0xffffffffu

typedef struct hr_tpl_case {
  uint32_t first_and_count; /* code point | count << 21: `count` code points, `stride` apart */
  int32_t upper, lower;     /* what to add */
  uint32_t stride;
} hr_tpl_case;

/* Texts in STRINGS, offset << 8 | bytes. 0: as the one two places before it, which for the first two is CASES. */
typedef struct hr_tpl_special {
  uint32_t code;
  uint32_t to[4]; /* by hr_tpl_way */
} hr_tpl_special;
enum hr_tpl_way { HR_TPL_TO_LOWER, HR_TPL_TO_UPPER, HR_TPL_TO_FOLD, HR_TPL_TO_TITLE };
enum hr_tpl_kind { /* Unicode's Cased, Case_Ignorable, and Lt */
                   HR_TPL_KIND_CASED = 1,
                   HR_TPL_KIND_IGNORABLE = 2,
                   HR_TPL_KIND_TITLE = 4
};

/* Instructions. [before] -> [after] of the stack, its top on the right; n is the operand. */
#define HR_TPL_OPS(X)                                                                                                  \
  X(END)           /* the template is done */                                                                          \
  X(TEXT)          /* puts out the string constant n */                                                                \
  X(OUTPUT)        /* [value] -> []; puts it out */                                                                    \
  X(CONST)         /* -> [constant n] */                                                                               \
  X(LOAD)          /* -> [value of name n] */                                                                          \
  X(STORE)         /* [value] -> []; in the innermost scope */                                                         \
  X(SET_ATTRIBUTE) /* [value namespace] -> []; name n */                                                               \
  X(ATTRIBUTE)     /* [object] -> [object.n] */                                                                        \
  X(ITEM)          /* [object key] -> [object[key]] */                                                                 \
  X(SLICE)         /* [object start stop step] -> [part] */                                                            \
  X(POP)           /* [value] -> [] */                                                                                 \
  X(DUP)           /* [value] -> [value value] */                                                                      \
  X(NIP)           /* [a b] -> [b] */                                                                                  \
  X(BINARY)        /* [a b] -> [a o b]; n: hr_tpl_binary */                                                            \
  X(CHAIN)         /* [a b] -> [b result]; n: a comparison */                                                          \
  X(NEGATE)        /* [a] -> [-a] */                                                                                   \
  X(POSITIVE)      /* [a] -> [+a] */                                                                                   \
  X(NOT)           /* [a] -> [not a] */                                                                                \
  X(JOIN)          /* [n values] -> [their texts, joined] */                                                           \
  X(LIST)          /* [n values] -> [list] */                                                                          \
  X(TUPLE)         /* [n values] -> [tuple] */                                                                         \
  X(DICT)          /* [n pairs of key and value] -> [dict] */                                                          \
  X(APPEND_IF)     /* [list iterator value condition] -> [list iterator] */                                            \
  X(UNPACK)        /* [iterable] -> [n values, the first on top] */                                                    \
  X(JUMP)          /* to word n */                                                                                     \
  X(IF_FALSE)      /* [value] -> []; jumps when it is false */                                                         \
  X(FALSE_OR_POP)  /* [value] -> []; jumps when it is false and then leaves it */                                      \
  X(TRUE_OR_POP)   /* the opposite */                                                                                  \
  X(IF_UNBOUND)    /* jumps when the innermost scope has the name; the next word is the name's LOAD, not run */        \
  X(FILTER)        /* [value, arguments] -> [result]; n: hr_tpl_filter | values << 8 */                                \
  X(TEST)          /* the same with hr_tpl_test */                                                                     \
  X(CALL)          /* [function, values, pairs of name and value] -> [result]; n: values | pairs << 8 */               \
  X(MACRO)         /* -> [macro n] */                                                                                  \
  X(RETURN)        /* ends a macro: what it put out becomes its caller's value */                                      \
  X(ITERATE)       /* [iterable] -> [iterator] */                                                                      \
  X(NEXT)          /* [iterator] -> [iterator value], or [] and jumps at the end */                                    \
  X(LOOP)          /* [iterable] -> [loop] */                                                                          \
  X(LOOP_NEXT)     /* [loop] -> [loop value] and a new scope, or [loop] and jumps at the end */                        \
  X(LOOP_END)      /* [loop] -> [whether a round came to its end] */                                                   \
  X(LOOP_DONE)     /* a round of the innermost loop came to its end */                                                 \
  X(SCOPE)         /* opens a scope */                                                                                 \
  X(SCOPE_END)     /* closes the innermost one */                                                                      \
  X(CAPTURE)       /* what follows is kept instead of put out */                                                       \
  X(CAPTURE_END)   /* -> [what was kept] */

#define HR_TPL_ENUM(name) HR_TPL_OP_##name,
enum hr_tpl_op { HR_TPL_OPS(HR_TPL_ENUM) HR_TPL_OP_COUNT };
#undef HR_TPL_ENUM

#define HR_TPL_BINARIES(X)                                                                                             \
  X(ADD) X(SUB) X(MUL) X(DIV) X(FLOORDIV) X(MOD) X(POW) X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE) X(IN) X(NOT_IN)
#define HR_TPL_ENUM(name) HR_TPL_##name,
enum hr_tpl_binary { HR_TPL_BINARIES(HR_TPL_ENUM) HR_TPL_BINARY_COUNT };
#undef HR_TPL_ENUM

/* Functions that are there without a context. */
#define HR_TPL_FUNCTIONS(X) X(range) X(namespace) X(dict) X(cycler) X(joiner) X(raise_exception) X(strftime_now)
#define HR_TPL_ENUM(name) HR_TPL_F_##name,
enum hr_tpl_function { HR_TPL_F_none, HR_TPL_FUNCTIONS(HR_TPL_ENUM) HR_TPL_F_COUNT };
#undef HR_TPL_ENUM

/* Filters and their parameters after the value; a filter is always given all of them (HR_TPL_ABSENT where the template
 * gave none). map, select and the like take the number of a filter or test, then its arguments. */
#define HR_TPL_FILTERS(X)                                                                                              \
  X(abs, "")                                                                                                           \
  X(batch, "linecount fill_with")                                                                                      \
  X(capitalize, "")                                                                                                    \
  X(default, "default_value boolean")                                                                                  \
  X(dictsort, "case_sensitive by reverse")                                                                             \
  X(escape, "")                                                                                                        \
  X(first, "")                                                                                                         \
  X(float, "default")                                                                                                  \
  X(format, "*")                                                                                                       \
  X(indent, "width first blank")                                                                                       \
  X(int, "default base")                                                                                               \
  X(items, "")                                                                                                         \
  X(join, "d attribute")                                                                                               \
  X(last, "")                                                                                                          \
  X(length, "")                                                                                                        \
  X(list, "")                                                                                                          \
  X(lower, "")                                                                                                         \
  X(map, "*")                                                                                                          \
  X(map_attribute, "attribute default")                                                                                \
  X(max, "case_sensitive attribute")                                                                                   \
  X(min, "case_sensitive attribute")                                                                                   \
  X(reject, "*")                                                                                                       \
  X(rejectattr, "*")                                                                                                   \
  X(replace, "old new count")                                                                                          \
  X(reverse, "")                                                                                                       \
  X(round, "precision method")                                                                                         \
  X(safe, "")                                                                                                          \
  X(select, "*")                                                                                                       \
  X(selectattr, "*")                                                                                                   \
  X(sort, "reverse case_sensitive attribute")                                                                          \
  X(string, "")                                                                                                        \
  X(sum, "attribute start")                                                                                            \
  X(title, "")                                                                                                         \
  X(tojson, "ensure_ascii indent separators sort_keys")                                                                \
  X(trim, "chars")                                                                                                     \
  X(unique, "case_sensitive attribute")                                                                                \
  X(upper, "")                                                                                                         \
  X(wordcount, "")

#define HR_TPL_ENUM(name, parameters) HR_TPL_FILTER_##name,
enum hr_tpl_filter { HR_TPL_FILTERS(HR_TPL_ENUM) HR_TPL_FILTER_COUNT };
#undef HR_TPL_ENUM

/* Tests; the number of their arguments. */
#define HR_TPL_TESTS(X)                                                                                                \
  X(boolean, 0)                                                                                                        \
  X(callable, 0)                                                                                                       \
  X(defined, 0)                                                                                                        \
  X(divisibleby, 1)                                                                                                    \
  X(eq, 1)                                                                                                             \
  X(escaped, 0)                                                                                                        \
  X(even, 0)                                                                                                           \
  X(false, 0)                                                                                                          \
  X(float, 0)                                                                                                          \
  X(ge, 1)                                                                                                             \
  X(gt, 1)                                                                                                             \
  X(in, 1)                                                                                                             \
  X(integer, 0)                                                                                                        \
  X(iterable, 0)                                                                                                       \
  X(le, 1)                                                                                                             \
  X(lower, 0)                                                                                                          \
  X(lt, 1)                                                                                                             \
  X(mapping, 0)                                                                                                        \
  X(ne, 1)                                                                                                             \
  X(none, 0)                                                                                                           \
  X(number, 0)                                                                                                         \
  X(odd, 0)                                                                                                            \
  X(sameas, 1)                                                                                                         \
  X(sequence, 0)                                                                                                       \
  X(string, 0)                                                                                                         \
  X(true, 0)                                                                                                           \
  X(truthy, 0) /* select and reject without a test */                                                                  \
  X(undefined, 0)                                                                                                      \
  X(upper, 0)

#define HR_TPL_ENUM(name, arguments) HR_TPL_TEST_##name,
enum hr_tpl_test { HR_TPL_TESTS(HR_TPL_ENUM) HR_TPL_TEST_COUNT };
#undef HR_TPL_ENUM

/* Methods, of str, dict (d), list (l), tuple (t), cycler (c), loop (o). "unsafe" ones change a value, which templates
 * may not. */
#define HR_TPL_METHODS(X)                                                                                              \
  X(capitalize)                                                                                                        \
  X(casefold)                                                                                                          \
  X(center)                                                                                                            \
  X(count)                                                                                                             \
  X(endswith)                                                                                                          \
  X(find) X(format) X(index) X(isalnum) X(isalpha) X(isascii) X(isdecimal) X(isdigit) X(islower) X(isnumeric)          \
      X(isspace) X(istitle) X(isupper) X(join) X(ljust) X(lower) X(lstrip) X(partition) X(removeprefix)                \
          X(removesuffix) X(replace) X(rfind) X(rindex) X(rjust) X(rpartition) X(rsplit) X(rstrip) X(split)            \
              X(splitlines) X(startswith) X(strip) X(swapcase) X(title) X(upper) X(zfill) X(get) X(items) X(keys)      \
                  X(values) X(copy) X(update) X(pop) X(popitem) X(clear) X(setdefault) X(append) X(extend) X(insert)   \
                      X(remove) X(reverse) X(sort) X(cycle) X(changed) X(next) X(reset)

#define HR_TPL_ENUM(name) HR_TPL_M_##name,
enum hr_tpl_method { HR_TPL_M_none, HR_TPL_METHODS(HR_TPL_ENUM) HR_TPL_M_COUNT };
#undef HR_TPL_ENUM

#ifdef __cplusplus
}
#endif
#endif
