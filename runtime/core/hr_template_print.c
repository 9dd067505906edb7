/* hr_template_print.c - formatting: Python's % and str.format as far as templates go, and strftime. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

/* One conversion, of either kind. */
typedef struct print_spec {
  uint32_t fill;
  char align;               /* '<', '>', '^', '=' or 0: by the type */
  char sign;                /* '+', ' ' or 0 */
  int32_t width, precision; /* -1: none */
  char kind;                /* 0: as str() */
  bool alternate;           /* '#' */
} print_spec;

typedef struct print_reader {
  hr_tpl_machine *m;
  const uint8_t *at, *end;
} print_reader;

static char next_char(const print_reader *r) { return r->at < r->end ? (char)*r->at : 0; }

/* Digits; -1: none. */
static int32_t read_count(print_reader *r) {
  int64_t value = -1;
  for (; next_char(r) >= '0' && next_char(r) <= '9'; ++r->at) {
    value = (value < 0 ? 0 : value) * 10 + next_char(r) - '0';
    if (value > INT32_MAX) {
      hr_tpl_fail_text(r->m, "format: expected numbers of at most 31 bits");
      value = 0;
    }
  }
  return (int32_t)value;
}

static hr_tpl_value fail_print(hr_tpl_machine *m, char kind) {
  hr_tpl_fail(m, "format '", &kind, kind != 0, "' is not supported for this value");
  return hr_tpl_string("", 0);
}

/* At least so many digits. */
static void put_based(hr_tpl_machine *m, uint64_t value, uint32_t base, bool upper, int32_t digits) {
  char text[64];
  uint32_t n = 0;
  do
    text[sizeof text - ++n] = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[value % base];
  while ((value /= base) != 0);
  for (; digits > (int32_t)n && !m->status; --digits)
    hr_tpl_put(m, "0", 1);
  hr_tpl_put(m, text + sizeof text - n, n);
}

static void put_sign(hr_tpl_machine *m, bool negative, char sign) {
  if (negative || sign)
    hr_tpl_put(m, negative ? "-" : &sign, 1);
}

static void put_number(hr_tpl_machine *m, const hr_tpl_value *v, const print_spec *spec) {
  char lower = (char)(spec->kind | 32);
  if (lower == 'f') {
    uint64_t bits = v->type == HR_T_FLOAT ? v->bits : hr_f64_from_int(v->integer);
    if (spec->precision > HR_F64_PLACES)
      hr_tpl_fail_text(m, "format: expected at most 60 digits behind the point");
    put_sign(m, bits >> 63, spec->sign);
    hr_f64_put_fixed(m, bits & (UINT64_MAX >> 1), spec->precision);
    return;
  }
  int64_t x = v->integer;
  if (v->type == HR_T_FLOAT && (lower != 'd' || !hr_f64_to_int(v->bits, &x))) {
    fail_print(m, spec->kind);
    return;
  }
  put_sign(m, x < 0, spec->sign);
  put_based(m, x < 0 ? 0 - (uint64_t)x : (uint64_t)x,
            lower == 'x'   ? 16
            : lower == 'o' ? 8
                           : 10,
            spec->kind == 'X', spec->precision);
}

/* The text, filled up to the width; with '=' behind a sign. */
static void put_filled(hr_tpl_machine *m, const hr_tpl_value *text, const print_spec *spec, char align) {
  uint32_t n = hr_tpl_characters(text),
           gap = spec->width > 0 && (uint32_t)spec->width > n ? (uint32_t)spec->width - n : 0;
  uint32_t sign = align == '=' && text->n && (text->text[0] == '-' || text->text[0] == '+' || text->text[0] == ' ');
  uint32_t before = align == '<' ? 0 : gap;
  hr_tpl_put(m, text->text, sign);
  for (uint32_t i = 0; i < before && !m->status; ++i)
    hr_tpl_put_code(m, spec->fill);
  hr_tpl_put(m, text->text + sign, text->n - sign);
  for (uint32_t i = before; i < gap && !m->status; ++i)
    hr_tpl_put_code(m, spec->fill);
}

static bool is_number_kind(char kind) {
  return kind == 'd' || kind == 'f' || kind == 'F' || kind == 'x' || kind == 'X' || kind == 'o';
}

static void put_printed(hr_tpl_machine *m, const hr_tpl_value *v, const print_spec *spec, char align) {
  size_t mark = m->used;
  if (is_number_kind(spec->kind)) {
    if (!hr_tpl_is_number(v)) {
      hr_tpl_fail_value(m, "a number is required to format, not ", v, "");
      return;
    }
    put_number(m, v, spec);
  } else if (spec->kind == 'r') {
    hr_tpl_put_repr(m, v);
  } else {
    hr_tpl_put_value(m, v);
  }
  hr_tpl_value text = hr_tpl_taken(m, mark);
  if (!is_number_kind(spec->kind) && spec->precision >= 0)
    text.n = hr_tpl_offset(&text, (uint32_t)spec->precision);
  put_filled(m, &text, spec, spec->align ? spec->align : align);
}

/* ---- % ---- */
static const hr_tpl_value *next_value(print_reader *r, const hr_tpl_value *values, uint32_t *used) {
  bool tuple = values->type == HR_T_TUPLE;
  if (next_char(r) == '(' && values->type == HR_T_DICT) {
    const uint8_t *from = ++r->at;
    while (r->at < r->end && *r->at != ')')
      ++r->at;
    const hr_tpl_value *found = hr_tpl_dict_find(values->dict, from, (size_t)(r->at - from));
    r->at += r->at < r->end;
    return found;
  }
  uint32_t n = tuple ? values->n : 1;
  if (*used >= n)
    return 0;
  return tuple ? &values->items[(*used)++] : ((*used)++, values);
}

static print_spec read_percent(print_reader *r) {
  print_spec spec = {' ', '>', 0, -1, -1, 0, false};
  for (char c = next_char(r); c == '-' || c == '+' || c == ' ' || c == '0' || c == '#'; c = next_char(r)) {
    if (c == '-')
      spec.align = '<';
    else if (c == '0')
      spec.fill = '0';
    else if (c == '#')
      spec.alternate = true;
    else if (spec.sign != '+')
      spec.sign = c;
    ++r->at;
  }
  spec.width = read_count(r);
  if (next_char(r) == '.') {
    ++r->at;
    spec.precision = read_count(r);
    spec.precision = spec.precision < 0 ? 0 : spec.precision;
  }
  spec.kind = next_char(r);
  r->at += spec.kind != 0;
  if (spec.kind == 'i' || spec.kind == 'u')
    spec.kind = 'd';
  if (spec.fill == '0')
    spec.fill = spec.align == '<' || !is_number_kind(spec.kind) ? ' ' : '0';
  if (spec.fill == '0')
    spec.align = '=';
  return spec;
}

void hr_tpl_format_percent(hr_tpl_machine *m, const hr_tpl_value *format, const hr_tpl_value *values) {
  print_reader r = {m, format->text, format->text + format->n};
  uint32_t used = 0;
  while (r.at < r.end && !m->status) {
    if (*r.at != '%') {
      hr_tpl_put(m, r.at++, 1);
      continue;
    }
    ++r.at;
    if (next_char(&r) == '%') {
      hr_tpl_put(m, r.at++, 1);
      continue;
    }
    const uint8_t *spec_at = r.at;
    bool named = next_char(&r) == '(';
    const hr_tpl_value *value = next_value(&r, values, &used);
    if (!value || (named && values->type != HR_T_DICT)) {
      hr_tpl_fail_text(m, "not enough arguments for format string");
      return;
    }
    if (named)
      used = 1;
    print_spec spec = read_percent(&r);
    const bool has_alternate = is_number_kind(spec.kind) && spec.kind != 'd';
    if (has_alternate ? spec.alternate : spec.kind != 's' && spec.kind != 'r' && spec.kind != 'd')
      hr_tpl_fail(m, "format '%", spec_at, (size_t)(r.at - spec_at), "' is not supported");
    else
      put_printed(m, value, &spec, '>');
  }
  if (values->type == HR_T_TUPLE ? used < values->n : !used && values->type != HR_T_DICT && values->type != HR_T_LIST)
    hr_tpl_fail_text(m, "not all arguments converted during string formatting");
}

/* ---- str.format ---- */
/* [<>][0][width][.precision][kind], for a number or for something else. */
static print_spec read_braces_spec(print_reader *r, bool number) {
  print_spec spec = {' ', 0, 0, -1, -1, 0, false};
  if (next_char(r) == '<' || next_char(r) == '>')
    spec.align = (char)*r->at++;
  if (next_char(r) == '0') {
    spec.fill = '0';
    spec.align = spec.align ? spec.align : number ? '=' : '<';
  }
  spec.width = read_count(r);
  if (next_char(r) == '.') {
    ++r->at;
    spec.precision = read_count(r);
  }
  if (next_char(r) != '}')
    spec.kind = r->at < r->end ? (char)*r->at++ : 0;
  return spec;
}

static const hr_tpl_value *named_field(const hr_tpl_value *named, uint32_t pairs, const uint8_t *name, size_t n) {
  for (uint32_t i = 0; i < pairs; ++i)
    if (named[2 * i].n == n && (!n || memcmp(named[2 * i].text, name, n) == 0))
      return &named[2 * i + 1];
  return 0;
}

/* Does a value of this type have the format? */
static bool has_format(const hr_tpl_value *value, const print_spec *spec) {
  switch (value->type) {
  case HR_T_STRING:
    return !spec->kind || spec->kind == 's';
  case HR_T_BOOL:
  case HR_T_INT:
    return (!spec->kind || is_number_kind(spec->kind)) && (spec->precision < 0 || (spec->kind | 32) == 'f');
  case HR_T_FLOAT:
    return spec->kind ? (spec->kind | 32) == 'f' : spec->precision < 0;
  default:
    return false;
  }
}

/* {name:spec}, behind the opening brace. */
static void put_field(print_reader *r, const hr_tpl_value *values, uint32_t n, const hr_tpl_value *named,
                      uint32_t pairs, uint32_t *next) {
  hr_tpl_machine *m = r->m;
  const uint8_t *name = r->at;
  int32_t index = read_count(r);
  while (r->at < r->end && *r->at != '}' && *r->at != ':' && *r->at != '{')
    ++r->at;
  size_t bytes = (size_t)(r->at - name);
  const hr_tpl_value *value = 0;
  if (!bytes)
    value = *next < n ? &values[(*next)++] : 0;
  else if (index >= 0)
    value = (uint32_t)index < n ? &values[index] : 0;
  else
    value = named_field(named, pairs, name, bytes);
  if (!value) {
    hr_tpl_fail(m, "format: no value for '{", name, bytes, "}'");
    return;
  }
  print_spec spec = {' ', 0, 0, -1, -1, 0, false};
  const bool number = hr_tpl_is_number(value), has_spec = next_char(r) == ':';
  r->at += has_spec;
  if (has_spec && next_char(r) != '}') {
    spec = read_braces_spec(r, number);
    if (next_char(r) == '}' && !has_format(value, &spec)) {
      fail_print(m, spec.kind);
      return;
    }
    if (!spec.kind && number && value->type != HR_T_FLOAT)
      spec.kind = 'd';
  }
  if (next_char(r) != '}') {
    fail_print(m, next_char(r));
    return;
  }
  ++r->at;
  put_printed(m, value, &spec, number ? '>' : '<');
}

void hr_tpl_format_braces(hr_tpl_machine *m, const hr_tpl_value *format, const hr_tpl_value *values, uint32_t n,
                          const hr_tpl_value *named, uint32_t pairs) {
  print_reader r = {m, format->text, format->text + format->n};
  uint32_t next = 0;
  while (r.at < r.end && !m->status) {
    char c = (char)*r.at++;
    if ((c == '{' || c == '}') && next_char(&r) == c)
      hr_tpl_put(m, r.at++, 1);
    else if (c == '{')
      put_field(&r, values, n, named, pairs, &next);
    else if (c == '}')
      hr_tpl_fail_text(m, "Single '}' encountered in format string");
    else
      hr_tpl_put(m, &c, 1);
  }
}

/* ---- strftime ---- */
typedef struct print_time {
  uint32_t year, month, day, hour, minute, second, micro;
  uint32_t weekday, yearday; /* Monday is 0; from 1 */
  const char *zone;
  uint32_t zone_bytes;
} print_time;

static bool read_field(const char **at, const char *end, uint32_t digits, uint32_t low, uint32_t high,
                       uint32_t *value) {
  *value = 0;
  for (uint32_t i = 0; i < digits; ++i, ++*at) {
    if (*at == end || **at < '0' || **at > '9')
      return false;
    *value = *value * 10 + (uint32_t)(**at - '0');
  }
  return *value >= low && *value <= high;
}

static bool read_mark(const char **at, const char *end, char a, char b) {
  if (*at == end || (**at != a && **at != b))
    return false;
  ++*at;
  return true;
}

static void read_micro(const char **at, const char *end, print_time *t) {
  uint32_t scale = 100000;
  for (t->micro = 0; *at < end && **at >= '0' && **at <= '9'; ++*at, scale /= 10)
    t->micro += (uint32_t)(**at - '0') * scale;
}

static bool is_leap(uint32_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static bool read_time(const char *at, const char *end, print_time *t) {
  static const uint16_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  *t = (print_time){.year = 0};
  if (!read_field(&at, end, 4, 1, 9999, &t->year) || !read_mark(&at, end, '-', '-') ||
      !read_field(&at, end, 2, 1, 12, &t->month) || !read_mark(&at, end, '-', '-') ||
      !read_field(&at, end, 2, 1, 31, &t->day))
    return false;
  if (at < end && (!read_mark(&at, end, 'T', ' ') || !read_field(&at, end, 2, 0, 23, &t->hour) ||
                   !read_mark(&at, end, ':', ':') || !read_field(&at, end, 2, 0, 59, &t->minute)))
    return false;
  if (read_mark(&at, end, ':', ':') && !read_field(&at, end, 2, 0, 59, &t->second))
    return false;
  if (read_mark(&at, end, '.', ','))
    read_micro(&at, end, t);
  t->zone = at;
  t->zone_bytes = (uint32_t)(end - at);
  if (t->zone_bytes && *at != 'Z' && *at != '+' && *at != '-')
    return false;
  uint32_t leap = is_leap(t->year), y = t->year - 1;
  if (t->day > (uint32_t)before[t->month] - before[t->month - 1] + (leap && t->month == 2))
    return false;
  t->yearday = before[t->month - 1] + t->day + (leap && t->month > 2);
  t->weekday = (y * 365 + y / 4 - y / 100 + y / 400 + t->yearday - 1) % 7;
  return true;
}

static void put_digits(hr_tpl_machine *m, uint32_t value, uint32_t digits, char fill) {
  char text[8];
  uint32_t n = 0;
  do
    text[sizeof text - ++n] = (char)('0' + value % 10);
  while ((value /= 10) != 0 && n < sizeof text);
  while (fill && n < digits)
    text[sizeof text - ++n] = fill;
  hr_tpl_put(m, text + sizeof text - n, n);
}

/* The index-th of names that end in 0; `cut`: its first three letters. */
static void put_name(hr_tpl_machine *m, const char *names, uint32_t index, bool cut) {
  for (; index; --index)
    while (*names++) {
    }
  if (cut)
    hr_tpl_put(m, names, 3);
  else
    hr_tpl_put_text(m, names);
}

static const char weekdays[] = "Monday\0Tuesday\0Wednesday\0Thursday\0Friday\0Saturday\0Sunday";
static const char months[] =
    "January\0February\0March\0April\0May\0June\0July\0August\0September\0October\0November\0December";

/* Names; false: kind is none. */
static bool put_time_name(hr_tpl_machine *m, const print_time *t, char kind) {
  if (kind == 'a' || kind == 'A')
    put_name(m, weekdays, t->weekday, kind == 'a');
  else if (kind == 'b' || kind == 'B' || kind == 'h')
    put_name(m, months, t->month - 1, kind != 'B');
  else if (kind == 'p')
    hr_tpl_put_text(m, t->hour < 12 ? "AM" : "PM");
  else if (kind == '%')
    hr_tpl_put_text(m, "%");
  else
    return false;
  return true;
}

/* Kinds that stand for others; 0: none. */
static const char *composed(char kind) {
  switch (kind) {
  case 'D':
  case 'x':
    return "%m/%d/%y";
  case 'F':
    return "%Y-%m-%d";
  case 'T':
  case 'X':
    return "%H:%M:%S";
  case 'R':
    return "%H:%M";
  case 'c':
    return "%a %b %e %H:%M:%S %Y";
  default:
    return 0;
  }
}

/* Kinds of numbers and how wide they are; %e is filled with a blank. */
static bool put_time_number(hr_tpl_machine *m, const print_time *t, char kind, char flag) {
  static const char kinds[] = "dmYHIMSejyf", widths[] = "22422222326";
  uint32_t hour = t->hour % 12 ? t->hour % 12 : 12;
  const uint32_t values[] = {t->day,    t->month, t->year,    t->hour,       hour,    t->minute,
                             t->second, t->day,   t->yearday, t->year % 100, t->micro};
  for (uint32_t i = 0; i < sizeof kinds - 1; ++i)
    if (kinds[i] == kind) {
      put_digits(m, values[i], (uint32_t)(widths[i] - '0'), flag == '-' ? 0 : kind == 'e' ? ' ' : '0');
      return true;
    }
  return false;
}

/* "+02:00" is +0200 and UTC+02:00; nothing where no zone is given. */
static void put_zone(hr_tpl_machine *m, const print_time *t, bool name) {
  bool zulu = t->zone_bytes && *t->zone == 'Z';
  if (t->zone_bytes && (name || zulu))
    hr_tpl_put_text(m, name ? "UTC" : "+0000");
  for (uint32_t i = 0; i < t->zone_bytes && !zulu; ++i)
    if (name || t->zone[i] != ':')
      hr_tpl_put(m, &t->zone[i], 1);
}

static void put_time(hr_tpl_machine *m, const uint8_t *at, const uint8_t *end, const print_time *t) {
  while (at < end && !m->status) {
    char c = (char)*at++, flag = 0;
    if (c != '%' || at == end) {
      hr_tpl_put(m, &c, 1);
      continue;
    }
    if (at + 1 < end && *at == '-')
      flag = (char)*at++;
    c = (char)*at++;
    const char *parts = composed(c);
    if (parts) {
      hr_tpl_value text = hr_tpl_text_value(parts);
      put_time(m, text.text, text.text + text.n, t);
    } else if (c == 'z' || c == 'Z') {
      put_zone(m, t, c == 'Z');
    } else if (!put_time_name(m, t, c) && !put_time_number(m, t, c, flag)) {
      hr_tpl_fail(m, "strftime_now: '%", &c, 1, "' is not supported here");
    }
  }
}

void hr_tpl_strftime(hr_tpl_machine *m, const hr_tpl_value *format, const char *now, size_t now_bytes) {
  print_time t;
  if (!read_time(now, now + now_bytes, &t)) {
    hr_tpl_fail(m, "now: expected a time of ISO 8601, found '", now, now_bytes, "'");
    return;
  }
  put_time(m, format->text, format->text + format->n, &t);
}

HR_SMALL_END
