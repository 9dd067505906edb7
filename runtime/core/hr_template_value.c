/* hr_template_value.c - values of templates as Python has them: truth, equality, order, arithmetic. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

hr_tpl_value hr_tpl_text_value(const char *text) {
  uint32_t n = 0;
  while (text[n])
    ++n;
  return hr_tpl_string(text, n);
}

hr_tpl_value hr_tpl_undefined(enum hr_tpl_missing kind, const void *text, size_t n, const hr_tpl_value *owner) {
  hr_tpl_value v = hr_tpl_string(text, n);
  v.type = HR_T_UNDEFINED;
  v.sub = (uint8_t)kind;
  v.owner = owner ? owner->type : HR_T_NONE;
  return v;
}

static const char *const type_names[] = {
    [HR_T_UNDEFINED] = "Undefined", [HR_T_NONE] = "NoneType",
    [HR_T_BOOL] = "bool",           [HR_T_INT] = "int",
    [HR_T_FLOAT] = "float",         [HR_T_STRING] = "str",
    [HR_T_LIST] = "list",           [HR_T_TUPLE] = "tuple",
    [HR_T_DICT] = "dict",           [HR_T_VIEW] = "dict view",
    [HR_T_GENERATOR] = "generator", [HR_T_RANGE] = "range",
    [HR_T_NAMESPACE] = "namespace", [HR_T_MACRO] = "macro",
    [HR_T_METHOD] = "method",       [HR_T_FUNCTION] = "function",
    [HR_T_LOOP] = "loop",           [HR_T_CYCLER] = "cycler",
    [HR_T_JOINER] = "joiner",       [HR_T_ABSENT] = "nothing",
};

const char *hr_tpl_type_name(const hr_tpl_value *v) { return v->type <= HR_T_ABSENT ? type_names[v->type] : "?"; }

void hr_tpl_fail_undefined(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (v->sub == HR_TPL_MISSING_HINT) {
    hr_tpl_fail(m, "", v->text, v->n, "");
    return;
  }
  if (v->sub == HR_TPL_MISSING_NAME) {
    hr_tpl_fail(m, "'", v->text, v->n, "' is undefined");
    return;
  }
  char before[48] = "'";
  uint32_t n = 1;
  const char *parts[] = {v->owner <= HR_T_ABSENT ? type_names[v->owner] : "?", "' has no attribute '"};
  for (int i = 0; i < 2; ++i)
    for (const char *p = parts[i]; *p && n < sizeof before - 1; ++p)
      before[n++] = *p;
  before[n] = 0;
  hr_tpl_fail(m, before, v->text, v->n, v->sub == HR_TPL_MISSING_UNSAFE ? "' that templates may use" : "'");
}

bool hr_tpl_enter(hr_tpl_machine *m) {
  if (m->status)
    return false;
  if (m->nesting >= HR_TPL_NESTING) {
    hr_tpl_fail_text(m, "values are nested too deeply: at most 64 levels");
    return false;
  }
  ++m->nesting;
  hr_tpl_work(m, 1);
  return true;
}

bool hr_tpl_truth(const hr_tpl_value *v) {
  switch ((enum hr_tpl_type)v->type) {
  case HR_T_UNDEFINED:
  case HR_T_NONE:
  case HR_T_ABSENT:
    return false;
  case HR_T_BOOL:
  case HR_T_INT:
    return v->integer != 0;
  case HR_T_FLOAT:
    return v->bits << 1 != 0;
  case HR_T_STRING:
  case HR_T_LIST:
  case HR_T_TUPLE:
  case HR_T_VIEW:
  case HR_T_RANGE:
    return v->n != 0;
  case HR_T_DICT:
    return v->dict->n != 0;
  case HR_T_LOOP:
    return v->loop->over.n != 0;
  default:
    return true;
  }
}

int64_t hr_tpl_length(hr_tpl_machine *m, const hr_tpl_value *v) {
  switch ((enum hr_tpl_type)v->type) {
  case HR_T_UNDEFINED:
    if (v->sub == HR_TPL_MISSING_UNSAFE)
      hr_tpl_fail_undefined(m, v);
    return 0;
  case HR_T_STRING:
    hr_tpl_work(m, v->n / 16);
    return hr_tpl_characters(v);
  case HR_T_LIST:
  case HR_T_TUPLE:
  case HR_T_VIEW:
  case HR_T_RANGE:
    return v->n;
  case HR_T_DICT:
    return v->dict->n;
  case HR_T_LOOP:
    return v->loop->over.n;
  default:
    return -1;
  }
}

/* ---- equality and order ---- */
static int number_order(const hr_tpl_value *a, const hr_tpl_value *b) {
  if (hr_tpl_is_int(a) && hr_tpl_is_int(b))
    return a->integer < b->integer ? -1 : a->integer > b->integer;
  int64_t whole;
  const hr_tpl_value *real = a->type == HR_T_FLOAT ? a : b, *other = real == a ? b : a;
  if (other->type == HR_T_FLOAT)
    return hr_f64_order(a->bits, b->bits);
  /* Exact even where the integer has more bits than a double. */
  int order;
  uint64_t floor = hr_f64_whole(real->bits, false);
  if (hr_f64_to_int(floor, &whole)) {
    order = whole < other->integer ? -1 : whole > other->integer;
    if (order == 0)
      order = hr_f64_order(real->bits, floor);
  } else {
    order = hr_f64_order(real->bits, 0);
  }
  return order == 2 || real == a ? order : -order;
}

static int text_order(const hr_tpl_value *a, const hr_tpl_value *b) {
  uint32_t n = a->n < b->n ? a->n : b->n;
  int order = n ? memcmp(a->text, b->text, n) : 0; /* UTF-8 sorts as code points do */
  return order ? order : a->n < b->n ? -1 : a->n > b->n;
}

static bool lists_equal(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b) {
  if (a->n != b->n)
    return false;
  for (uint32_t i = 0; i < a->n; ++i)
    if (!hr_tpl_equal(m, &a->items[i], &b->items[i]))
      return false;
  return true;
}

static bool dicts_equal(hr_tpl_machine *m, const hr_tpl_dict *a, const hr_tpl_dict *b) {
  if (a->n != b->n)
    return false;
  for (uint32_t i = 0; i < a->n; ++i) {
    const hr_tpl_value *other = hr_tpl_dict_get(m, b, &a->pairs[i].key);
    if (!other || !hr_tpl_equal(m, &a->pairs[i].value, other))
      return false;
  }
  return true;
}

static bool ranges_equal(const hr_tpl_value *a, const hr_tpl_value *b) {
  return a->n == b->n &&
         (!a->n || (a->range->start == b->range->start && (a->n == 1 || a->range->step == b->range->step)));
}

static bool equal(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b) {
  if (hr_tpl_is_number(a) && hr_tpl_is_number(b))
    return number_order(a, b) == 0;
  if (a->type != b->type)
    return false;
  switch ((enum hr_tpl_type)a->type) {
  case HR_T_UNDEFINED:
  case HR_T_NONE:
  case HR_T_ABSENT:
    return true;
  case HR_T_STRING:
    hr_tpl_work(m, a->n / 64);
    return a->n == b->n && text_order(a, b) == 0;
  case HR_T_LIST:
  case HR_T_TUPLE:
    return lists_equal(m, a, b);
  case HR_T_VIEW:
    return a->sub == b->sub && a->sub != HR_TPL_M_values && lists_equal(m, a, b);
  case HR_T_DICT:
    return dicts_equal(m, a->dict, b->dict);
  case HR_T_RANGE:
    return ranges_equal(a, b);
  default:
    return a->bits == b->bits && a->sub == b->sub;
  }
}

bool hr_tpl_equal(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b) {
  if (!hr_tpl_enter(m))
    return false;
  bool same = equal(m, a, b);
  --m->nesting;
  return same;
}

int hr_tpl_order(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b) {
  if (hr_tpl_is_number(a) && hr_tpl_is_number(b))
    return number_order(a, b);
  if (a->type == HR_T_STRING && b->type == HR_T_STRING) {
    hr_tpl_work(m, (a->n < b->n ? a->n : b->n) / 64);
    return text_order(a, b);
  }
  if (!hr_tpl_is_list(a) || a->type != b->type) {
    hr_tpl_fail_value(m, "values are not in an order with a value of type '",
                      a->type == HR_T_UNDEFINED || hr_tpl_is_number(b) ? a : b, "'");
    return 0;
  }
  if (!hr_tpl_enter(m))
    return 0;
  uint32_t n = a->n < b->n ? a->n : b->n, i = 0;
  while (i < n && hr_tpl_equal(m, &a->items[i], &b->items[i]))
    ++i;
  int order = i < n ? hr_tpl_order(m, &a->items[i], &b->items[i]) : a->n < b->n ? -1 : a->n > b->n;
  --m->nesting;
  return order;
}

static bool in_sequence(hr_tpl_machine *m, const hr_tpl_value *container, const hr_tpl_value *v) {
  hr_tpl_sequence sequence;
  if (!hr_tpl_sequence_of(m, container, &sequence))
    return false;
  for (uint32_t i = 0; i < sequence.n && !m->status; ++i) {
    hr_tpl_value element = hr_tpl_element(&sequence, i);
    if (hr_tpl_equal(m, &element, v)) {
      if (container->type == HR_T_GENERATOR) /* goes on behind it */
        container->cursor->at -= sequence.n - i - 1;
      return true;
    }
  }
  return false;
}

bool hr_tpl_contains(hr_tpl_machine *m, const hr_tpl_value *container, const hr_tpl_value *v) {
  switch ((enum hr_tpl_type)container->type) {
  case HR_T_STRING:
    if (v->type != HR_T_STRING) {
      hr_tpl_fail_value(m, "'in <string>' requires string as left operand, not ", v, "");
      return false;
    }
    return hr_tpl_find(m, container, v, 0) != UINT32_MAX;
  case HR_T_DICT:
    return hr_tpl_dict_get(m, container->dict, v) != 0;
  case HR_T_UNDEFINED:
  case HR_T_LIST:
  case HR_T_TUPLE:
  case HR_T_VIEW:
  case HR_T_GENERATOR:
  case HR_T_RANGE:
    return in_sequence(m, container, v);
  default:
    hr_tpl_fail_value(m, "argument of type '", container, "' is not iterable");
    return false;
  }
}

/* ---- arithmetic ---- */
static hr_tpl_value too_large(hr_tpl_machine *m) {
  hr_tpl_fail_text(m, "an integer becomes too large: it has to fit into 64 bits");
  return hr_tpl_int(0);
}

static hr_tpl_value by_zero(hr_tpl_machine *m) {
  hr_tpl_fail_text(m, "division by zero");
  return hr_tpl_int(0);
}

static hr_tpl_value int_power(hr_tpl_machine *m, int64_t a, int64_t b) {
  bool inverse = b < 0;
  int64_t result = 1, n = inverse ? -(b + 1) : b;
  if (inverse && a == 0)
    return by_zero(m);
  if (a == 0 || a == 1 || a == -1)
    n = n & 1; /* one factor less when inverse, made up for below */
  for (n += inverse; n > 0; --n)
    if (__builtin_mul_overflow(result, a, &result))
      return too_large(m);
  return inverse ? hr_tpl_float(hr_f64_divide_ints(1, result)) : hr_tpl_int(b == 0 ? 1 : a == 0 ? 0 : result);
}

/* a // b or a % b; the remainder has the sign of b. */
static hr_tpl_value int_divide(hr_tpl_machine *m, int64_t a, int64_t b, bool remainder) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  uint64_t quotient = x / y, rest = x % y;
  bool negative = (a < 0) != (b < 0);
  if (negative && rest) {
    ++quotient;
    rest = y - rest;
  }
  if (!negative && quotient > INT64_MAX)
    return remainder ? hr_tpl_int(0) : too_large(m);
  return hr_tpl_int((int64_t)(remainder ? (b < 0 ? 0 - rest : rest) : (negative ? 0 - quotient : quotient)));
}

static hr_tpl_value int_binary(hr_tpl_machine *m, uint32_t op, int64_t a, int64_t b) {
  int64_t r = 0;
  bool over = false;
  switch (op) {
  case HR_TPL_ADD:
    over = __builtin_add_overflow(a, b, &r);
    break;
  case HR_TPL_SUB:
    over = __builtin_sub_overflow(a, b, &r);
    break;
  case HR_TPL_MUL:
    over = __builtin_mul_overflow(a, b, &r);
    break;
  case HR_TPL_POW:
    return int_power(m, a, b);
  default:
    if (b == 0)
      return by_zero(m);
    if (op == HR_TPL_DIV)
      return hr_tpl_float(hr_f64_divide_ints(a, b));
    return int_divide(m, a, b, op == HR_TPL_MOD);
  }
  return over ? too_large(m) : hr_tpl_int(r);
}

static hr_tpl_value float_binary(hr_tpl_machine *m, uint32_t op, const hr_tpl_value *a, const hr_tpl_value *b) {
  static const uint8_t ops[] = {[HR_TPL_ADD] = HR_F64_ADD, [HR_TPL_SUB] = HR_F64_SUB,
                                [HR_TPL_MUL] = HR_F64_MUL, [HR_TPL_DIV] = HR_F64_DIV,
                                [HR_TPL_MOD] = HR_F64_MOD, [HR_TPL_FLOORDIV] = HR_F64_FLOORDIV};
  uint64_t x = hr_tpl_is_int(a) ? hr_f64_from_int(a->integer) : a->bits;
  uint64_t y = hr_tpl_is_int(b) ? hr_f64_from_int(b->integer) : b->bits;
  if (op == HR_TPL_POW) {
    hr_tpl_fail_text(m, "** of floats is not supported");
    return hr_tpl_float(0);
  }
  if (y << 1 == 0 && op >= HR_TPL_DIV)
    return by_zero(m);
  return hr_tpl_float(hr_f64_calculate((enum hr_f64_op)ops[op], x, y));
}

hr_tpl_value hr_tpl_join_two(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b) {
  /* A string at the end of what is taken grows in place, so that adding to a string in a loop costs what is added. */
  bool grows = a->n && a->text + a->n == m->at;
  uint64_t more = grows ? b->n : (uint64_t)a->n + b->n, room = (uint64_t)(m->end - m->at);
  if (!b->n || !a->n)
    return b->n ? *b : *a;
  if (more > room || (uint64_t)a->n + b->n > UINT32_MAX / 2) {
    hr_tpl_take(m, UINT32_MAX); /* the error of memory */
    return *a;
  }
  hr_tpl_work(m, more / 64);
  uint8_t *text = grows ? m->at - a->n : m->at;
  if (!grows)
    memcpy(text, a->text, a->n);
  memcpy(text + a->n, b->text, b->n);
  m->at += more;
  return hr_tpl_string(text, a->n + b->n);
}

/* Once a part is safe, the others are escaped. */
static hr_tpl_value texts_added(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b) {
  if (!a->marked && !b->marked)
    return hr_tpl_join_two(m, a, b);
  hr_tpl_value x = hr_tpl_escaped(m, a), y = hr_tpl_escaped(m, b), sum = hr_tpl_join_two(m, &x, &y);
  sum.marked = 1;
  return sum;
}

static hr_tpl_value lists_joined(hr_tpl_machine *m, const hr_tpl_value *a, const hr_tpl_value *b) {
  hr_tpl_value *items = hr_tpl_take_values(m, (uint64_t)a->n + b->n);
  if (!items)
    return *a;
  for (uint32_t i = 0; i < a->n; ++i)
    items[i] = a->items[i];
  for (uint32_t i = 0; i < b->n; ++i)
    items[a->n + i] = b->items[i];
  hr_tpl_value v = hr_tpl_list(items, a->n + b->n);
  v.type = a->type;
  return v;
}

static hr_tpl_value repeated(hr_tpl_machine *m, const hr_tpl_value *v, int64_t times) {
  uint64_t n = times > 0 ? (uint64_t)times : 0;
  if (v->type == HR_T_STRING) {
    size_t mark = m->used;
    hr_tpl_put_repeated(m, v->text, v->n, n);
    hr_tpl_value text = hr_tpl_taken(m, mark);
    text.marked = v->marked;
    return text;
  }
  if (n > UINT32_MAX / 64 || v->n > UINT32_MAX / 64)
    n = v->n ? UINT32_MAX / 64 : 0; /* more memory than there is */
  hr_tpl_value *items = hr_tpl_take_values(m, n * v->n);
  for (uint64_t i = 0; items && i < n * v->n; ++i)
    items[i] = v->items[i % v->n];
  hr_tpl_value list = hr_tpl_list(items, items ? (uint32_t)(n * v->n) : 0);
  list.type = v->type;
  return list;
}

static hr_tpl_value compare(hr_tpl_machine *m, uint32_t op, const hr_tpl_value *a, const hr_tpl_value *b) {
  if (op == HR_TPL_EQ || op == HR_TPL_NE)
    return hr_tpl_bool(hr_tpl_equal(m, a, b) == (op == HR_TPL_EQ));
  if (op == HR_TPL_IN || op == HR_TPL_NOT_IN)
    return hr_tpl_bool(hr_tpl_contains(m, b, a) == (op == HR_TPL_IN));
  int order = hr_tpl_order(m, a, b);
  if (order == 2)
    return hr_tpl_bool(false);
  return hr_tpl_bool(op == HR_TPL_LT   ? order < 0
                     : op == HR_TPL_LE ? order <= 0
                     : op == HR_TPL_GT ? order > 0
                                       : order >= 0);
}

hr_tpl_value hr_tpl_binary(hr_tpl_machine *m, uint32_t op, const hr_tpl_value *a, const hr_tpl_value *b) {
  if (op >= HR_TPL_EQ)
    return compare(m, op, a, b);
  if (a->type == HR_T_UNDEFINED || b->type == HR_T_UNDEFINED) {
    hr_tpl_fail_undefined(m, a->type == HR_T_UNDEFINED ? a : b);
    return *a;
  }
  if (op == HR_TPL_MOD && a->type == HR_T_STRING) {
    size_t mark = m->used;
    if (a->marked)
      hr_tpl_fail_text(m, "% of a safe string is not supported");
    hr_tpl_format_percent(m, a, b);
    return hr_tpl_taken(m, mark);
  }
  if (hr_tpl_is_int(a) && hr_tpl_is_int(b))
    return int_binary(m, op, a->integer, b->integer);
  if (hr_tpl_is_number(a) && hr_tpl_is_number(b))
    return float_binary(m, op, a, b);
  if (op == HR_TPL_ADD && a->type == HR_T_STRING && b->type == HR_T_STRING)
    return texts_added(m, a, b);
  if (op == HR_TPL_ADD && hr_tpl_is_list(a) && a->type == b->type)
    return lists_joined(m, a, b);
  if (op == HR_TPL_MUL && (a->type == HR_T_STRING || hr_tpl_is_list(a)) && hr_tpl_is_int(b))
    return repeated(m, a, b->integer);
  if (op == HR_TPL_MUL && (b->type == HR_T_STRING || hr_tpl_is_list(b)) && hr_tpl_is_int(a))
    return repeated(m, b, a->integer);
  hr_tpl_fail_value(m, "unsupported operand of type '", hr_tpl_is_number(a) || a->type == HR_T_STRING ? b : a,
                    "' of an arithmetic operator");
  return *a;
}

hr_tpl_value hr_tpl_negate(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (v->type == HR_T_FLOAT)
    return hr_tpl_float(v->bits ^ 0x8000000000000000u);
  if (hr_tpl_is_int(v))
    return v->integer == INT64_MIN ? too_large(m) : hr_tpl_int(-v->integer);
  hr_tpl_fail_value(m, "bad operand of type '", v, "' for unary -");
  return *v;
}

HR_SMALL_END
