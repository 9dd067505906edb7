/* hr_template_filter.c - `value | filter(arguments)`: filters of one value; those of sequences are in
 * hr_template_sequence.c. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

static bool given(const hr_tpl_value *v) { return v->type != HR_T_ABSENT; }

static int64_t int_or(hr_tpl_machine *m, const hr_tpl_value *v, int64_t absent) {
  if (!given(v))
    return absent;
  if (hr_tpl_is_int(v))
    return v->integer;
  hr_tpl_fail_value(m, "expected int, found ", v, "");
  return absent;
}

static hr_tpl_value default_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (v[0].type == HR_T_UNDEFINED && v[0].sub == HR_TPL_MISSING_UNSAFE)
    hr_tpl_fail_undefined(m, &v[0]);
  if (v[0].type == HR_T_UNDEFINED || (given(&v[2]) && hr_tpl_truth(&v[2]) && !hr_tpl_truth(&v[0])))
    return given(&v[1]) ? v[1] : hr_tpl_string("", 0);
  return v[0];
}

/* ---- numbers ---- */
/* Text as int() reads it: white space around, underscores between digits. */
static bool int_of_text(hr_tpl_machine *m, const hr_tpl_value *v, uint32_t base, int64_t *x) {
  hr_tpl_value text = hr_tpl_strip(m, v, 0, HR_TPL_LEFT | HR_TPL_RIGHT);
  bool negative = text.n && text.text[0] == '-', digit = false;
  uint32_t at = text.n && (negative || text.text[0] == '+');
  uint32_t mark = base == 16 ? 'x' : base == 8 ? 'o' : base == 2 ? 'b' : 0;
  uint64_t value = 0;
  if (mark && at + 1 < text.n && text.text[at] == '0' && (text.text[at + 1] | 32u) == mark)
    at += 2;
  for (; at < text.n; ++at) {
    uint32_t c = text.text[at], d = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
    if (c == '_' && digit) {
      digit = false;
      continue;
    }
    if (c < '0' || (c > '9' && (c | 32) < 'a') || d >= base)
      return false;
    digit = true;
    if (value > ((uint64_t)INT64_MAX - d) / base) {
      hr_tpl_fail_text(m, "an integer becomes too large: it has to fit into 64 bits");
      return false;
    }
    value = value * base + d;
  }
  *x = negative ? -(int64_t)value : (int64_t)value;
  return digit;
}

/* Text as float() reads it. */
static bool float_of_text(hr_tpl_machine *m, const hr_tpl_value *v, uint64_t *bits) {
  hr_tpl_value text = hr_tpl_strip(m, v, 0, HR_TPL_LEFT | HR_TPL_RIGHT);
  if (hr_f64_parse(text.text, text.n, bits))
    return true;
  text = hr_tpl_cased(m, &text, HR_TPL_LOWER);
  uint32_t sign = text.n && (text.text[0] == '-' || text.text[0] == '+');
  hr_tpl_value rest = hr_tpl_string(text.text + sign, text.n - sign);
  bool infinite =
      (rest.n == 3 && memcmp(rest.text, "inf", 3) == 0) || (rest.n == 8 && memcmp(rest.text, "infinity", 8) == 0);
  *bits = infinite ? 0x7ff0000000000000u : 0x7ff8000000000000u;
  if (sign && text.text[0] == '-')
    *bits |= 0x8000000000000000u;
  return infinite || (rest.n == 3 && memcmp(rest.text, "nan", 3) == 0);
}

static hr_tpl_value float_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  uint64_t bits;
  if (v->type == HR_T_UNDEFINED)
    hr_tpl_fail_undefined(m, v);
  if (v->type == HR_T_FLOAT)
    return *v;
  if (hr_tpl_is_int(v))
    return hr_tpl_float(hr_f64_from_int(v->integer));
  if (v->type == HR_T_STRING && float_of_text(m, v, &bits))
    return hr_tpl_float(bits);
  return given(&v[1]) ? v[1] : hr_tpl_float(0);
}

/* A float as a whole number; false for what is none. */
static bool int_of_float(hr_tpl_machine *m, uint64_t bits, int64_t *x) {
  bool finite = (bits << 1) < 0xffe0000000000000u;
  if (hr_f64_to_int(bits, x))
    return true;
  if (finite)
    hr_tpl_fail_text(m, "int: a number is too large: it has to fit into 64 bits");
  return false;
}

static hr_tpl_value int_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  int64_t x = 0, base = int_or(m, &v[2], 10);
  uint64_t bits = v->bits;
  if (v->type == HR_T_UNDEFINED)
    hr_tpl_fail_undefined(m, v);
  if (hr_tpl_is_int(v))
    return hr_tpl_int(v->integer);
  if (v->type == HR_T_STRING && base >= 2 && base <= 36) {
    if (int_of_text(m, v, (uint32_t)base, &x))
      return hr_tpl_int(x);
    if (!m->status && float_of_text(m, v, &bits) && int_of_float(m, bits, &x))
      return hr_tpl_int(x);
  } else if (v->type == HR_T_FLOAT) {
    if (int_of_float(m, bits, &x))
      return hr_tpl_int(x);
    if (bits << 1 == 0xffe0000000000000u)
      hr_tpl_fail_text(m, "cannot convert float infinity to integer");
  }
  return given(&v[1]) ? v[1] : hr_tpl_int(0);
}

static hr_tpl_value round_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  int64_t digits = int_or(m, &v[1], 0);
  bool common = !given(&v[2]) || (v[2].type == HR_T_STRING && v[2].n == 6), up = !common && v[2].n == 4;
  if (!hr_tpl_is_number(v) || digits < -400 || digits > 400 || (!common && v[2].type != HR_T_STRING)) {
    hr_tpl_fail_value(m, "cannot round a value of type ", v, "");
    return *v;
  }
  if (common && v->type == HR_T_FLOAT)
    return hr_tpl_float(hr_f64_round(v->bits, (int32_t)digits));
  if (common && digits >= 0)
    return hr_tpl_int(v->integer);
  hr_tpl_value ten = hr_tpl_int(10), power = hr_tpl_int(digits), scale = hr_tpl_binary(m, HR_TPL_POW, &ten, &power);
  if (common) {
    hr_tpl_fail_text(m, "round of an integer to a negative precision is not supported");
    return *v;
  }
  hr_tpl_value scaled_value = hr_tpl_binary(m, HR_TPL_MUL, v, &scale);
  if (m->status)
    return *v;
  if (scaled_value.type == HR_T_FLOAT) {
    scaled_value.bits = hr_f64_whole(scaled_value.bits, up);
    scaled_value.bits = scaled_value.bits << 1 ? scaled_value.bits : 0; /* a whole number has no -0 */
  }
  return hr_tpl_binary(m, HR_TPL_DIV, &scaled_value, &scale);
}

static hr_tpl_value abs_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (v->type == HR_T_FLOAT)
    return hr_tpl_float(v->bits & (UINT64_MAX >> 1));
  if (!hr_tpl_is_int(v))
    hr_tpl_fail_value(m, "bad operand type for abs(): '", v, "'");
  hr_tpl_value x = hr_tpl_int(v->integer);
  return m->status || x.integer >= 0 ? x : hr_tpl_negate(m, &x);
}

/* ---- text ---- */
static hr_tpl_value indent_filter(hr_tpl_machine *m, const hr_tpl_value *text, const hr_tpl_value *v) {
  size_t mark = m->used;
  if (v->type != HR_T_STRING) {
    hr_tpl_fail_value(m, "indent: expected str, found ", v, "");
    return *text;
  }
  hr_tpl_value indent = v[1], end = hr_tpl_string("\n", 1);
  bool first = given(&v[2]) && hr_tpl_truth(&v[2]), blank = given(&v[3]) && hr_tpl_truth(&v[3]);
  if (indent.type != HR_T_STRING) {
    hr_tpl_put_repeated(m, " ", 1, (uint64_t)(int_or(m, &v[1], 4) > 0 ? int_or(m, &v[1], 4) : 0));
    indent = hr_tpl_taken(m, mark);
  }
  hr_tpl_value whole = hr_tpl_join_two(m, text, &end), lines = hr_tpl_split_lines(m, &whole, false);
  if (first)
    hr_tpl_put(m, indent.text, indent.n);
  for (uint32_t i = 0; i < lines.n && !m->status; ++i) {
    if (i)
      hr_tpl_put_text(m, "\n");
    if (i && (blank || lines.items[i].n))
      hr_tpl_put(m, indent.text, indent.n);
    hr_tpl_put(m, lines.items[i].text, lines.items[i].n);
  }
  return hr_tpl_taken(m, mark);
}

static hr_tpl_value word_count(const hr_tpl_value *text) {
  const uint8_t *at = text->text, *end = at + text->n;
  int64_t words = 0;
  bool inside = false;
  while (at < end) {
    uint32_t n, c = hr_utf8_read(at, end, &n);
    bool word = c == '_' || (c >= '0' && c <= '9') || hr_tpl_is_letter(c);
    words += word && !inside;
    inside = word;
    at += n;
  }
  return hr_tpl_int(words);
}

static hr_tpl_value json_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  hr_tpl_json_style style = {0};
  size_t mark = m->used;
  style.ascii = given(&v[1]) && hr_tpl_truth(&v[1]);
  style.sorted = given(&v[4]) && hr_tpl_truth(&v[4]);
  style.lines = given(&v[2]) && v[2].type != HR_T_NONE;
  style.indent = v[2].type == HR_T_STRING ? v[2] : hr_tpl_string("", 0);
  if (style.lines && v[2].type != HR_T_STRING) {
    int64_t n = int_or(m, &v[2], 0);
    hr_tpl_put_repeated(m, " ", 1, n > 0 ? (uint64_t)n : 0);
    style.indent = hr_tpl_taken(m, mark);
  }
  style.between = style.lines ? hr_tpl_string(",", 1) : hr_tpl_string(", ", 2);
  style.after_key = hr_tpl_string(": ", 2);
  if (given(&v[3]) && v[3].type != HR_T_NONE) {
    if (!hr_tpl_is_list(&v[3]) || v[3].n != 2 || v[3].items[0].type != HR_T_STRING ||
        v[3].items[1].type != HR_T_STRING) {
      hr_tpl_fail_text(m, "tojson: expected two strings as separators");
      return v[0];
    }
    style.between = v[3].items[0];
    style.after_key = v[3].items[1];
  }
  hr_tpl_json_put(m, &v[0], &style, 0);
  return hr_tpl_taken(m, mark);
}

static hr_tpl_value format_filter(hr_tpl_machine *m, const hr_tpl_value *text, const hr_tpl_value *v, uint32_t n) {
  hr_tpl_value values = hr_tpl_list((hr_tpl_value *)v + 1, n - 1);
  size_t mark = m->used;
  values.type = HR_T_TUPLE;
  hr_tpl_format_percent(m, text, &values);
  return hr_tpl_taken(m, mark);
}

static hr_tpl_value filter_text(hr_tpl_machine *m, uint32_t filter, hr_tpl_value text, const hr_tpl_value *v,
                                uint32_t n) {
  switch ((enum hr_tpl_filter)filter) {
  case HR_TPL_FILTER_capitalize:
    return hr_tpl_cased(m, &text, HR_TPL_CAPITALIZE);
  case HR_TPL_FILTER_escape:
    return hr_tpl_escaped(m, &text);
  case HR_TPL_FILTER_format:
    return format_filter(m, &text, v, n);
  case HR_TPL_FILTER_indent:
    return indent_filter(m, &text, v);
  case HR_TPL_FILTER_lower:
    return hr_tpl_cased(m, &text, HR_TPL_LOWER);
  case HR_TPL_FILTER_replace: {
    hr_tpl_value old = hr_tpl_text_of(m, &v[1]), with = hr_tpl_text_of(m, &v[2]);
    if (!given(&v[1]) || !given(&v[2]))
      hr_tpl_fail_text(m, "replace: expected what to replace and by what");
    return hr_tpl_replace(m, &text, &old, &with, v[3].type == HR_T_NONE ? -1 : int_or(m, &v[3], -1));
  }
  case HR_TPL_FILTER_title:
    return hr_tpl_cased(m, &text, HR_TPL_TITLE_FILTER);
  case HR_TPL_FILTER_trim:
    return hr_tpl_strip(m, &text, &v[1], HR_TPL_LEFT | HR_TPL_RIGHT);
  case HR_TPL_FILTER_upper:
    return hr_tpl_cased(m, &text, HR_TPL_UPPER);
  case HR_TPL_FILTER_wordcount:
    return word_count(&text);
  default: /* string, safe */
    return text;
  }
}

/* Filters that answer with a part or another form of their text leave it as safe as it was. */
static hr_tpl_value text_filter(hr_tpl_machine *m, uint32_t filter, const hr_tpl_value *v, uint32_t n) {
  hr_tpl_value text = hr_tpl_text_of(m, v);
  if (m->status)
    return text;
  hr_tpl_work(m, text.n / 16);
  hr_tpl_value result = filter_text(m, filter, text, v, n);
  if (result.type == HR_T_STRING)
    result.marked = filter == HR_TPL_FILTER_safe || filter == HR_TPL_FILTER_escape ||
                    (text.marked && filter != HR_TPL_FILTER_replace && filter != HR_TPL_FILTER_title);
  return result;
}

static hr_tpl_value length_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  int64_t n = hr_tpl_length(m, v);
  if (n < 0)
    hr_tpl_fail_value(m, "object of type '", v, "' has no length");
  return hr_tpl_int(n);
}

static uint32_t parameters_of(uint32_t filter) {
  static const char *const parameters[] = {
#define HR_TPL_PARAMETERS(name, text) text,
      HR_TPL_FILTERS(HR_TPL_PARAMETERS)
#undef HR_TPL_PARAMETERS
  };
  const char *at = parameters[filter];
  uint32_t n = *at != 0;
  for (; *at; ++at)
    n += *at == ' ';
  return parameters[filter][0] == '*' ? UINT32_MAX : n;
}

hr_tpl_value hr_tpl_filter(hr_tpl_machine *m, uint32_t filter, const hr_tpl_value *v, uint32_t n) {
  uint32_t parameters = filter < HR_TPL_FILTER_COUNT ? parameters_of(filter) : 0;
  if (!hr_tpl_enter(m))
    return v[0];
  --m->nesting;
  if (n < 1 || (parameters != UINT32_MAX && n != 1 + parameters)) {
    hr_tpl_fail_text(m, "a filter is given another number of arguments than it takes");
    return v[0];
  }
  switch ((enum hr_tpl_filter)filter) {
  case HR_TPL_FILTER_abs:
    return abs_filter(m, v);
  case HR_TPL_FILTER_default:
    return default_filter(m, v);
  case HR_TPL_FILTER_float:
    return float_filter(m, v);
  case HR_TPL_FILTER_int:
    return int_filter(m, v);
  case HR_TPL_FILTER_length:
    return length_filter(m, v);
  case HR_TPL_FILTER_round:
    return round_filter(m, v);
  case HR_TPL_FILTER_tojson:
    return json_filter(m, v);
  case HR_TPL_FILTER_capitalize:
  case HR_TPL_FILTER_escape:
  case HR_TPL_FILTER_format:
  case HR_TPL_FILTER_indent:
  case HR_TPL_FILTER_lower:
  case HR_TPL_FILTER_replace:
  case HR_TPL_FILTER_safe:
  case HR_TPL_FILTER_string:
  case HR_TPL_FILTER_title:
  case HR_TPL_FILTER_trim:
  case HR_TPL_FILTER_upper:
  case HR_TPL_FILTER_wordcount:
    return text_filter(m, filter, v, n);
  default:
    return hr_tpl_sequence_filter(m, filter, v, n);
  }
}

HR_SMALL_END
