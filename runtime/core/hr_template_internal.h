/* hr_template_internal.h - what the files of the chat template's interpreter share. Not installed.
 *
 * Memory: everything a render makes lies in the caller's scratch memory, taken from its front and given back all at
 * once at the end. Values are immutable (namespaces, loops and generators aside), so they are shared, never copied.
 * Text is written in one place only, the caller's text buffer: a string that has to be put together is written at its
 * end and then taken off again (hr_tpl_taken).
 *
 * Errors: the first one is kept in the machine; functions that fail return some harmless value, and loops stop when
 * machine->status is set.
 *
 * Trust: hr_template_open has checked the section (operands, jumps, ranges); the context is checked while it is read.
 * The stack's depth, the types on it, steps, memory and nesting are checked here, as things run.
 */
#ifndef HR_TEMPLATE_INTERNAL_H
#define HR_TEMPLATE_INTERNAL_H
#include "headrace.h"
#include "hr_small.h"
#include "hr_template_format.h"
#include "hr_tokenizer_internal.h"

#include <stdbool.h>

void *memset(void *to, int value, size_t n);

#pragma GCC visibility push(hidden)

#define HR_TPL_STACK 512u    /* values */
#define HR_TPL_CALLS 128u    /* macros that call one another */
#define HR_TPL_CAPTURES 64u  /* blocks kept at the same time */
#define HR_TPL_NESTING 64u   /* lists in lists; also of the context */
#define HR_TPL_RANGE 100000u /* most elements of range(), as in Jinja's sandbox */
#define HR_TPL_MESSAGE 240u

enum hr_tpl_type {
  HR_T_UNDEFINED, /* text, n: what is missing; sub: hr_tpl_missing; owner: type it is missing in */
  HR_T_NONE,
  HR_T_BOOL,
  HR_T_INT,
  HR_T_FLOAT, /* bits: IEEE 754 double */
  HR_T_STRING,
  HR_T_LIST, /* items, n */
  HR_T_TUPLE,
  HR_T_DICT,
  HR_T_VIEW,      /* of a dict: items, n; sub: HR_TPL_M_keys, values or items */
  HR_T_GENERATOR, /* cursor: can be gone through once */
  HR_T_RANGE,
  HR_T_NAMESPACE, /* dict */
  HR_T_MACRO,
  HR_T_METHOD,   /* cell: the value; sub: hr_tpl_method */
  HR_T_FUNCTION, /* sub: hr_tpl_function */
  HR_T_LOOP,
  HR_T_CYCLER, /* cursor */
  HR_T_JOINER, /* cursor over {separator}: index 0 before the first call */
  HR_T_ABSENT  /* an argument that is not given */
};

enum hr_tpl_missing { HR_TPL_MISSING_NAME, HR_TPL_MISSING_ATTRIBUTE, HR_TPL_MISSING_HINT, HR_TPL_MISSING_UNSAFE };

struct hr_tpl_dict;
struct hr_tpl_cursor;
struct hr_tpl_loop;
struct hr_tpl_range;
struct hr_tpl_closure;

typedef struct hr_tpl_value {
  uint8_t type, sub, owner;
  uint8_t
      marked; /* 1: a string that is safe in HTML (filters safe, escape); a tuple of groupby, with .grouper and .list */
  uint32_t n; /* bytes of a string, elements of a list */
  union {
    int64_t integer;
    uint64_t bits;
    const uint8_t *text;
    struct hr_tpl_value *items;
    struct hr_tpl_value *cell;
    struct hr_tpl_dict *dict;
    struct hr_tpl_cursor *cursor;
    struct hr_tpl_loop *loop;
    struct hr_tpl_range *range;
    struct hr_tpl_closure *closure;
  };
} hr_tpl_value;

typedef struct hr_tpl_pair {
  hr_tpl_value key, value;
} hr_tpl_pair;
typedef struct hr_tpl_dict {
  hr_tpl_pair *pairs;
  uint32_t n, room;
} hr_tpl_dict;
typedef struct hr_tpl_cursor {
  hr_tpl_value *items;
  uint32_t n, at;
} hr_tpl_cursor;
typedef struct hr_tpl_range {
  int64_t start, stop, step;
} hr_tpl_range;

/* What can be gone through: the elements of a list, or numbers. */
typedef struct hr_tpl_sequence {
  const hr_tpl_value *items; /* 0: numbers */
  int64_t start, step;
  uint32_t n;
} hr_tpl_sequence;

typedef struct hr_tpl_loop {
  hr_tpl_sequence over;
  uint32_t next;              /* elements given out */
  uint32_t depth, done;       /* done: 1: a round came to its end */
  struct hr_tpl_scope *scope; /* of the last round, used again unless a macro holds it */
  struct hr_tpl_loop *outer;
  hr_tpl_value changed; /* arguments of the last loop.changed() */
} hr_tpl_loop;

typedef struct hr_tpl_variable {
  struct hr_tpl_variable *next;
  uint32_t name;
  hr_tpl_value value;
} hr_tpl_variable;
typedef struct hr_tpl_scope {
  struct hr_tpl_scope *outer;
  hr_tpl_variable *variables, *spare;
  uint32_t held; /* 1: a macro may come back to it */
} hr_tpl_scope;
typedef struct hr_tpl_closure {
  uint32_t macro;
  hr_tpl_scope *scope;
} hr_tpl_closure;

typedef struct hr_tpl_call {
  uint32_t back; /* word of the code */
  uint32_t captures, depth;
  size_t mark; /* bytes of text before it */
  hr_tpl_scope *scope;
  hr_tpl_loop *loop;
} hr_tpl_call;

typedef struct hr_tpl_machine {
  const uint8_t *data;
  const hr_tpl_header *header;
  uint8_t *at, *end; /* scratch memory that is left */
  uint8_t *text;
  size_t capacity, used;
  uint64_t steps; /* left */
  hr_status status;
  hr_render_error error;
  char message[HR_TPL_MESSAGE];
  const char *now;
  hr_tpl_value *context; /* by name; HR_T_ABSENT: not in the context */
  hr_tpl_value *constants;
  uint32_t pc, nesting;
  hr_tpl_scope *scope;
  hr_tpl_loop *loop;
  uint32_t depth, calls, captures;
  hr_tpl_value stack[HR_TPL_STACK];
  hr_tpl_call call[HR_TPL_CALLS];
  size_t capture[HR_TPL_CAPTURES];
} hr_tpl_machine;

/* ---- machine (hr_template.c, hr_template_run.c) ---- */
static inline const void *hr_tpl_part_of(const hr_tpl_machine *m, enum hr_tpl_part part) {
  return m->data + m->header->parts[part].offset;
}
static inline uint32_t hr_tpl_count_of(const hr_tpl_machine *m, enum hr_tpl_part part) {
  return m->header->parts[part].count;
}
/* Notes the first error: before, text, after. */
void hr_tpl_fail(hr_tpl_machine *m, const char *before, const void *text, size_t n, const char *after);
void hr_tpl_fail_text(hr_tpl_machine *m, const char *message);
void hr_tpl_fail_value(hr_tpl_machine *m, const char *before, const hr_tpl_value *type_of, const char *after);
void hr_tpl_work(hr_tpl_machine *m, uint64_t steps);
void *hr_tpl_take(hr_tpl_machine *m, uint64_t bytes);                /* aligned to 8; 0 on an error */
hr_tpl_value *hr_tpl_take_values(hr_tpl_machine *m, uint64_t count); /* undefined ones */
void hr_tpl_put(hr_tpl_machine *m, const void *text, size_t n);
void hr_tpl_put_text(hr_tpl_machine *m, const char *text);
void hr_tpl_put_code(hr_tpl_machine *m, uint32_t code);
void hr_tpl_put_repeated(hr_tpl_machine *m, const void *text, size_t n, uint64_t times);
/* What was put out since `mark`, taken off and made a string. */
hr_tpl_value hr_tpl_taken(hr_tpl_machine *m, size_t mark);
void hr_tpl_run(hr_tpl_machine *m);
bool hr_tpl_enter(hr_tpl_machine *m); /* one level deeper into nested values; false: too deep */
void hr_tpl_bind(hr_tpl_machine *m, hr_tpl_scope *scope, uint32_t name, hr_tpl_value value);
/* The method of that name, HR_TPL_M_none if there is none. */
uint32_t hr_tpl_method_named(const hr_tpl_value *name);

/* ---- values (hr_template_value.c) ---- */
static inline hr_tpl_value hr_tpl_plain(enum hr_tpl_type type) {
  hr_tpl_value v = {.type = (uint8_t)type, .integer = 0};
  return v;
}
static inline hr_tpl_value hr_tpl_bool(bool x) {
  hr_tpl_value v = {.type = HR_T_BOOL, .integer = x};
  return v;
}
static inline hr_tpl_value hr_tpl_int(int64_t x) {
  hr_tpl_value v = {.type = HR_T_INT, .integer = x};
  return v;
}
static inline hr_tpl_value hr_tpl_float(uint64_t bits) {
  hr_tpl_value v = {.type = HR_T_FLOAT, .bits = bits};
  return v;
}
static inline hr_tpl_value hr_tpl_string(const void *text, size_t n) {
  hr_tpl_value v = {.type = HR_T_STRING, .n = (uint32_t)n, .text = (const uint8_t *)text};
  return v;
}
static inline hr_tpl_value hr_tpl_list(hr_tpl_value *items, uint32_t n) {
  hr_tpl_value v = {.type = HR_T_LIST, .n = n, .items = items};
  return v;
}
static inline bool hr_tpl_is_int(const hr_tpl_value *v) { return v->type == HR_T_INT || v->type == HR_T_BOOL; }
static inline bool hr_tpl_is_number(const hr_tpl_value *v) { return hr_tpl_is_int(v) || v->type == HR_T_FLOAT; }
static inline bool hr_tpl_is_list(const hr_tpl_value *v) { return v->type == HR_T_LIST || v->type == HR_T_TUPLE; }

hr_tpl_value hr_tpl_text_value(const char *text); /* constant text */
hr_tpl_value hr_tpl_undefined(enum hr_tpl_missing kind, const void *text, size_t n, const hr_tpl_value *owner);
void hr_tpl_fail_undefined(hr_tpl_machine *m, const hr_tpl_value *v);
const char *hr_tpl_type_name(const hr_tpl_value *v);
bool hr_tpl_truth(const hr_tpl_value *v);
int64_t hr_tpl_length(hr_tpl_machine *m, const hr_tpl_value *v); /* -1: has none, which is no error yet */
bool hr_tpl_equal(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b);
/* < 0, 0, > 0; 2: never (NaN); an error for values without an order */
int hr_tpl_order(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b);
bool hr_tpl_contains(hr_tpl_machine *m, const hr_tpl_value *container, const hr_tpl_value *v);
hr_tpl_value hr_tpl_binary(hr_tpl_machine *m, uint32_t op, const hr_tpl_value *a, const hr_tpl_value *b);
hr_tpl_value hr_tpl_negate(hr_tpl_machine *m, const hr_tpl_value *v);
hr_tpl_value hr_tpl_join_two(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b); /* strings */

/* ---- containers (hr_template_container.c) ---- */
bool hr_tpl_sequence_of(hr_tpl_machine *m, const hr_tpl_value *v, hr_tpl_sequence *sequence); /* uses a generator up */
hr_tpl_value hr_tpl_element(const hr_tpl_sequence *sequence, uint32_t i);
hr_tpl_value hr_tpl_list_of(hr_tpl_machine *m, const hr_tpl_value *v); /* list(v) */
hr_tpl_value hr_tpl_generator(hr_tpl_machine *m, hr_tpl_value *items, uint32_t n);
hr_tpl_value hr_tpl_dict_new(hr_tpl_machine *m, uint32_t room, enum hr_tpl_type type);
const hr_tpl_value *hr_tpl_dict_get(hr_tpl_machine *m, const hr_tpl_dict *dict, const hr_tpl_value *key);
bool hr_tpl_hashable(const hr_tpl_value *v);
const hr_tpl_value *hr_tpl_dict_find(const hr_tpl_dict *dict, const void *text, size_t n);
void hr_tpl_dict_set(hr_tpl_machine *m, hr_tpl_dict *dict, const hr_tpl_value *key, const hr_tpl_value *value);
void hr_tpl_dict_update(hr_tpl_machine *m, hr_tpl_dict *dict, const hr_tpl_value *from);
hr_tpl_value hr_tpl_dict_view(hr_tpl_machine *m, const hr_tpl_dict *dict, enum hr_tpl_method which);
hr_tpl_value hr_tpl_attribute(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value *name, uint32_t method);
hr_tpl_value hr_tpl_item(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value *key);
hr_tpl_value hr_tpl_slice(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value bounds[3]);

/* ---- numbers (hr_template_float.c): doubles as bits, by integers alone ---- */
enum hr_f64_op { HR_F64_ADD, HR_F64_SUB, HR_F64_MUL, HR_F64_DIV, HR_F64_FLOORDIV, HR_F64_MOD };
#define HR_F64_TEXT 32u
uint64_t hr_f64_from_int(int64_t x);
bool hr_f64_to_int(uint64_t bits, int64_t *x); /* towards zero; false: not finite or out of range */
uint64_t hr_f64_calculate(enum hr_f64_op op, uint64_t a, uint64_t b);
uint64_t hr_f64_divide_ints(int64_t a, int64_t b);
int hr_f64_order(uint64_t a, uint64_t b); /* 2: not ordered */
/* "-12.5e3" and the like, all of it; false: not a number. */
bool hr_f64_parse(const uint8_t *text, size_t n, uint64_t *bits);
uint32_t hr_f64_repr(uint64_t bits, char text[HR_F64_TEXT]);
uint64_t hr_f64_round(uint64_t bits, int32_t digits);                    /* half to even, as Python's round */
uint64_t hr_f64_whole(uint64_t bits, bool up);                           /* floor or ceil */
enum { HR_F64_PLACES = 60 };                                             /* most digits behind the point */
void hr_f64_put_fixed(hr_tpl_machine *m, uint64_t bits, int32_t digits); /* "%.*f" */

/* ---- text (hr_template_text.c) ---- */
bool hr_tpl_is_space(uint32_t code); /* as Python's str.isspace */
bool hr_tpl_is_letter(uint32_t code);
uint32_t hr_tpl_upper_code(const hr_tpl_machine *m, uint32_t code);
uint32_t hr_tpl_lower_code(const hr_tpl_machine *m, uint32_t code);
void hr_tpl_put_int(hr_tpl_machine *m, int64_t x);
void hr_tpl_put_value(hr_tpl_machine *m, const hr_tpl_value *v); /* str(v) */
void hr_tpl_put_repr(hr_tpl_machine *m, const hr_tpl_value *v);
hr_tpl_value hr_tpl_text_of(hr_tpl_machine *m, const hr_tpl_value *v); /* str(v) as a value */
uint32_t hr_tpl_characters(const hr_tpl_value *text);
/* Bytes before the character at `index`. */
uint32_t hr_tpl_offset(const hr_tpl_value *text, uint32_t index);
/* Byte offset of `find` at or after `from`; UINT32_MAX: none. */
uint32_t hr_tpl_find(hr_tpl_machine *m, const hr_tpl_value *text, const hr_tpl_value *find, uint32_t from);
enum hr_tpl_side { HR_TPL_LEFT = 1, HR_TPL_RIGHT = 2 };
hr_tpl_value hr_tpl_strip(hr_tpl_machine *m, const hr_tpl_value *text, const hr_tpl_value *chars, uint32_t sides);
/* Safe in HTML: escaped unless it is. */
hr_tpl_value hr_tpl_escaped(hr_tpl_machine *m, const hr_tpl_value *text);
hr_tpl_value hr_tpl_replace(hr_tpl_machine *m, const hr_tpl_value *text, const hr_tpl_value *old,
                            const hr_tpl_value *with, int64_t count);
hr_tpl_value hr_tpl_split_lines(hr_tpl_machine *m, const hr_tpl_value *text, bool keep_ends);
enum hr_tpl_casing {
  HR_TPL_UPPER,
  HR_TPL_LOWER,
  HR_TPL_TITLE,
  HR_TPL_CAPITALIZE,
  HR_TPL_SWAP,
  HR_TPL_TITLE_FILTER,
  HR_TPL_FOLD
};
hr_tpl_value hr_tpl_cased(hr_tpl_machine *m, const hr_tpl_value *text, enum hr_tpl_casing casing);
bool hr_tpl_is_cased(const hr_tpl_machine *m, const hr_tpl_value *text, enum hr_tpl_casing casing);
void hr_tpl_format_percent(hr_tpl_machine *m, const hr_tpl_value *format, const hr_tpl_value *values);
void hr_tpl_format_braces(hr_tpl_machine *m, const hr_tpl_value *format, const hr_tpl_value *values, uint32_t n,
                          const hr_tpl_value *named, uint32_t pairs);
void hr_tpl_strftime(hr_tpl_machine *m, const hr_tpl_value *format, const char *now, size_t now_bytes);

/* ---- JSON (hr_template_json.c) ---- */
hr_tpl_value hr_tpl_json_read(hr_tpl_machine *m, const uint8_t *text, size_t n);
typedef struct hr_tpl_json_style {
  bool ascii, sorted, lines;
  hr_tpl_value indent, between, after_key; /* strings */
} hr_tpl_json_style;
void hr_tpl_json_put(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_json_style *style, uint32_t level);

/* ---- calls (hr_template_call.c, hr_template_method.c, hr_template_filter.c, hr_template_test.c) ----
 * args: HR_T_ABSENT where not given. */
typedef struct hr_tpl_args {
  const hr_tpl_value *values;
  uint32_t n;
  const hr_tpl_value *named; /* pairs of name and value */
  uint32_t pairs;
} hr_tpl_args;
hr_tpl_value hr_tpl_call_method(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method, const hr_tpl_args *args);
hr_tpl_value hr_tpl_call_function(hr_tpl_machine *m, uint32_t function, const hr_tpl_args *args);
const hr_tpl_value *hr_tpl_named(const hr_tpl_args *args, const char *name); /* 0: not given */
hr_tpl_value hr_tpl_filter(hr_tpl_machine *m, uint32_t filter, const hr_tpl_value *values, uint32_t n);
bool hr_tpl_test(hr_tpl_machine *m, uint32_t test, const hr_tpl_value *values, uint32_t n);
/* as_lists: as lists of one element, of which equal ones need no order (none and none). */
hr_tpl_value hr_tpl_sort(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *attribute,
                         bool case_sensitive, bool reverse, bool as_lists);
/* v's attribute by a path such as "a.b.0"; `missing` in place of undefined, unless it is absent. */
hr_tpl_value hr_tpl_path(hr_tpl_machine *m, hr_tpl_value v, const hr_tpl_value *path, const hr_tpl_value *missing);
hr_tpl_value hr_tpl_sequence_filter(hr_tpl_machine *m, uint32_t filter, const hr_tpl_value *values, uint32_t n);

#pragma GCC visibility pop
#endif
