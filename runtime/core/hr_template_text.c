/* hr_template_text.c - strings of templates: UTF-8, counted in characters, with the methods of Python's str. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

bool hr_tpl_is_space(uint32_t code) {
  if (code < 0x80)
    return code == ' ' || (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x1f);
  return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
         code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

/* Letters beyond ASCII: what is neither a space nor punctuation. */
bool hr_tpl_is_letter(uint32_t c) {
  if (c < 0x80)
    return (c | 32) >= 'a' && (c | 32) <= 'z';
  return c == 0xaa || c == 0xb5 || c == 0xba || (c >= 0xc0 && c != 0xd7 && c != 0xf7 && c < 0x300) ||
         (c >= 0x370 && c < 0x2000) || (c >= 0x2c00 && c < 0x2e00) || (c >= 0x3041 && c < 0xd800) ||
         (c >= 0xf900 && c < 0xfe00) || (c >= 0x20000 && c < 0x32000);
}

/* ---- case ---- */
/* The last row of a part that begins at `code` or before; 0: none. Rows begin with a code point in 21 bits. */
static const uint32_t *row_at(const hr_tpl_machine *m, enum hr_tpl_part part, uint32_t words, uint32_t code) {
  const uint32_t *rows = hr_tpl_part_of(m, part);
  uint32_t low = 0, high = hr_tpl_count_of(m, part);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if ((rows[middle * words] & 0x1fffffu) <= code)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? rows + (low - 1) * words : 0;
}

/* What to add to the character; by hr_tpl_way, of which only upper or lower counts here. */
static uint32_t shifted(const hr_tpl_machine *m, uint32_t code, uint32_t way) {
  if (code < 0x80)
    return (code | 32) - 'a' < 26 ? (way & 1 ? code & ~32u : code | 32) : code;
  const hr_tpl_case *c = (const hr_tpl_case *)(const void *)row_at(m, HR_TPL_CASES, sizeof *c / 4, code);
  if (!c)
    return code;
  uint32_t distance = code - (c->first_and_count & 0x1fffffu), stride = c->stride ? c->stride : 1;
  if (distance % stride || distance / stride >= c->first_and_count >> 21)
    return code;
  uint32_t to = code + (uint32_t)(way & 1 ? c->upper : c->lower);
  return to < 0x110000 ? to : code;
}

uint32_t hr_tpl_upper_code(const hr_tpl_machine *m, uint32_t code) { return shifted(m, code, HR_TPL_TO_UPPER); }
uint32_t hr_tpl_lower_code(const hr_tpl_machine *m, uint32_t code) { return shifted(m, code, HR_TPL_TO_LOWER); }

static uint32_t kind_of(const hr_tpl_machine *m, uint32_t code) {
  const uint32_t *row = row_at(m, HR_TPL_KINDS, 1, code);
  return row ? *row >> 21 : 0;
}

static void put_cased(hr_tpl_machine *m, uint32_t code, uint32_t way) {
  const hr_tpl_special *row = (const hr_tpl_special *)(const void *)row_at(m, HR_TPL_SPECIALS, sizeof *row / 4, code);
  uint32_t text = row && row->code == code ? row->to[way] ? row->to[way] : row->to[way & 1] : 0;
  if (text)
    hr_tpl_put(m, (const uint8_t *)hr_tpl_part_of(m, HR_TPL_STRINGS) + (text >> 8), text & 0xffu);
  else
    hr_tpl_put_code(m, shifted(m, code, way));
}

/* Whether a cased character comes next, but for such as do not count. */
static bool cased_follows(const hr_tpl_machine *m, const uint8_t *at, const uint8_t *end) {
  uint32_t kind = HR_TPL_KIND_IGNORABLE;
  for (uint32_t n; at < end && (kind & HR_TPL_KIND_IGNORABLE); at += n)
    kind = kind_of(m, hr_utf8_read(at, end, &n));
  return (kind & (HR_TPL_KIND_CASED | HR_TPL_KIND_IGNORABLE)) == HR_TPL_KIND_CASED;
}

/* Whether the next letter is the first of a word. */
static bool word_follows(enum hr_tpl_casing casing, uint32_t code, uint32_t kind) {
  if (casing == HR_TPL_TITLE)
    return !(kind & HR_TPL_KIND_CASED);
  if (casing == HR_TPL_TITLE_FILTER) /* as Jinja splits */
    return hr_tpl_is_space(code) || code == '-' || code == '(' || code == '{' || code == '[' || code == '<';
  return casing == HR_TPL_UPPER;
}

hr_tpl_value hr_tpl_cased(hr_tpl_machine *m, const hr_tpl_value *text, enum hr_tpl_casing casing) {
  size_t mark = m->used;
  const uint8_t *at = text->text, *end = at + text->n;
  bool first = casing != HR_TPL_LOWER && casing != HR_TPL_FOLD, inside = false; /* behind a cased character */
  const uint32_t begin = casing == HR_TPL_TITLE || casing == HR_TPL_CAPITALIZE ? HR_TPL_TO_TITLE : HR_TPL_TO_UPPER;
  while (at < end && !m->status) {
    uint32_t n, code = hr_utf8_read(at, end, &n), kind = kind_of(m, code);
    at += n;
    uint32_t way = first ? begin : casing == HR_TPL_FOLD ? HR_TPL_TO_FOLD : HR_TPL_TO_LOWER;
    if (casing == HR_TPL_SWAP)
      way = hr_tpl_lower_code(m, code) == code;
    if (way == HR_TPL_TO_LOWER && code == 0x3a3 && inside && !cased_follows(m, at, end))
      hr_tpl_put_code(m, 0x3c2);
    else if (casing == HR_TPL_SWAP && (kind & HR_TPL_KIND_TITLE)) /* neither upper nor lower case */
      hr_tpl_put_code(m, code);
    else
      put_cased(m, code, way);
    if (!(kind & HR_TPL_KIND_IGNORABLE))
      inside = kind & HR_TPL_KIND_CASED;
    if (casing == HR_TPL_TITLE_FILTER && first) /* Jinja lowers the rest of a word by itself */
      inside = false;
    first = word_follows(casing, code, kind);
  }
  return hr_tpl_taken(m, mark);
}

/* str.islower, isupper and istitle. */
bool hr_tpl_is_cased(const hr_tpl_machine *m, const hr_tpl_value *text, enum hr_tpl_casing casing) {
  const uint8_t *at = text->text, *end = at + text->n;
  bool any = false, inside = false;
  while (at < end) {
    uint32_t n, code = hr_utf8_read(at, end, &n);
    at += n;
    bool upper = hr_tpl_lower_code(m, code) != code, lower = code == 0xdf || hr_tpl_upper_code(m, code) != code;
    if (casing == HR_TPL_TITLE ? (upper && inside) || (lower && !inside) : casing == HR_TPL_UPPER ? lower : upper)
      return false;
    any |= upper || lower;
    inside = upper || lower;
  }
  return any;
}

/* ---- str() and repr() ---- */
void hr_tpl_put_int(hr_tpl_machine *m, int64_t x) {
  char text[24];
  uint32_t n = 0;
  uint64_t value = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
  do
    text[sizeof text - ++n] = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  if (x < 0)
    text[sizeof text - ++n] = '-';
  hr_tpl_put(m, text + sizeof text - n, n);
}

/* What repr() escapes, of the characters that are not rare. */
static bool is_printable(uint32_t c) {
  if (c < 0x7f)
    return c >= 0x20;
  if (c <= 0xa0 || c == 0xad || (hr_tpl_is_space(c)))
    return false;
  return !((c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           (c >= 0xd800 && c <= 0xf8ff) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe ||
           c >= 0xe0000);
}

static void put_hex_escape(hr_tpl_machine *m, uint32_t code) {
  char text[10] = {'\\'};
  uint32_t digits = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
  text[1] = code < 0x100 ? 'x' : code < 0x10000 ? 'u' : 'U';
  for (uint32_t i = 0; i < digits; ++i)
    text[2 + i] = "0123456789abcdef"[code >> (4 * (digits - 1 - i)) & 15];
  hr_tpl_put(m, text, 2 + digits);
}

static void put_quoted(hr_tpl_machine *m, const hr_tpl_value *v) {
  hr_tpl_value single = hr_tpl_string("'", 1), twice = hr_tpl_string("\"", 1);
  bool other = hr_tpl_find(m, v, &single, 0) != UINT32_MAX && hr_tpl_find(m, v, &twice, 0) == UINT32_MAX;
  const hr_tpl_value *quote = other ? &twice : &single;
  hr_tpl_put(m, quote->text, 1);
  const uint8_t *at = v->text, *end = at + v->n;
  while (at < end && !m->status) {
    uint32_t n, code = hr_utf8_read(at, end, &n);
    if (code == '\\' || code == quote->text[0])
      hr_tpl_put_text(m, "\\");
    if (code == '\n' || code == '\r' || code == '\t')
      hr_tpl_put_text(m, code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t");
    else if (is_printable(code))
      hr_tpl_put(m, at, n);
    else
      put_hex_escape(m, code);
    at += n;
  }
  hr_tpl_put(m, quote->text, 1);
}

static void put_text_repr(hr_tpl_machine *m, const hr_tpl_value *v) {
  hr_tpl_put_text(m, v->marked ? "Markup(" : "");
  put_quoted(m, v);
  hr_tpl_put_text(m, v->marked ? ")" : "");
}

static void put_elements(hr_tpl_machine *m, const hr_tpl_value *v, const char *open, const char *close) {
  hr_tpl_put_text(m, open);
  for (uint32_t i = 0; i < v->n && !m->status; ++i) {
    if (i)
      hr_tpl_put_text(m, ", ");
    hr_tpl_put_repr(m, &v->items[i]);
  }
  hr_tpl_put_text(m, v->type == HR_T_TUPLE && v->n == 1 ? ",)" : close);
}

static void put_dict_repr(hr_tpl_machine *m, const hr_tpl_dict *dict) {
  hr_tpl_put_text(m, "{");
  for (uint32_t i = 0; i < dict->n && !m->status; ++i) {
    if (i)
      hr_tpl_put_text(m, ", ");
    hr_tpl_put_repr(m, &dict->pairs[i].key);
    hr_tpl_put_text(m, ": ");
    hr_tpl_put_repr(m, &dict->pairs[i].value);
  }
  hr_tpl_put_text(m, "}");
}

static void put_range(hr_tpl_machine *m, const hr_tpl_range *range) {
  hr_tpl_put_text(m, "range(");
  hr_tpl_put_int(m, range->start);
  hr_tpl_put_text(m, ", ");
  hr_tpl_put_int(m, range->stop);
  if (range->step != 1) {
    hr_tpl_put_text(m, ", ");
    hr_tpl_put_int(m, range->step);
  }
  hr_tpl_put_text(m, ")");
}

static void put_inner(hr_tpl_machine *m, const hr_tpl_value *v) {
  char text[HR_F64_TEXT];
  switch ((enum hr_tpl_type)v->type) {
  case HR_T_UNDEFINED:
  case HR_T_ABSENT:
    hr_tpl_put_text(m, "Undefined");
    break;
  case HR_T_NONE:
    hr_tpl_put_text(m, "None");
    break;
  case HR_T_BOOL:
    hr_tpl_put_text(m, v->integer ? "True" : "False");
    break;
  case HR_T_INT:
    hr_tpl_put_int(m, v->integer);
    break;
  case HR_T_FLOAT:
    hr_tpl_put(m, text, hr_f64_repr(v->bits, text));
    break;
  case HR_T_STRING:
    put_text_repr(m, v);
    break;
  case HR_T_LIST:
    put_elements(m, v, "[", "]");
    break;
  case HR_T_TUPLE:
    put_elements(m, v, "(", ")");
    break;
  case HR_T_VIEW:
    put_elements(m, v,
                 v->sub == HR_TPL_M_keys     ? "dict_keys(["
                 : v->sub == HR_TPL_M_values ? "dict_values(["
                                             : "dict_items([",
                 "])");
    break;
  case HR_T_DICT:
    put_dict_repr(m, v->dict);
    break;
  case HR_T_NAMESPACE:
    hr_tpl_put_text(m, "<Namespace ");
    put_dict_repr(m, v->dict);
    hr_tpl_put_text(m, ">");
    break;
  case HR_T_RANGE:
    put_range(m, v->range);
    break;
  default:
    hr_tpl_put_text(m, "<");
    hr_tpl_put_text(m, hr_tpl_type_name(v));
    hr_tpl_put_text(m, ">");
  }
}

void hr_tpl_put_repr(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (!hr_tpl_enter(m))
    return;
  put_inner(m, v);
  --m->nesting;
}

void hr_tpl_put_value(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (v->type == HR_T_STRING)
    hr_tpl_put(m, v->text, v->n);
  else if (v->type == HR_T_UNDEFINED && v->sub == HR_TPL_MISSING_UNSAFE)
    hr_tpl_fail_undefined(m, v);
  else if (v->type != HR_T_UNDEFINED && v->type != HR_T_ABSENT)
    hr_tpl_put_repr(m, v);
}

hr_tpl_value hr_tpl_text_of(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (v->type == HR_T_STRING)
    return *v;
  size_t mark = m->used;
  hr_tpl_put_value(m, v);
  return hr_tpl_taken(m, mark);
}

/* ---- characters ---- */
uint32_t hr_tpl_offset(const hr_tpl_value *text, uint32_t index) {
  const uint8_t *at = text->text, *end = at + text->n;
  for (uint32_t n; index && at < end; --index, at += n)
    hr_utf8_read(at, end, &n);
  return (uint32_t)(at - text->text);
}

uint32_t hr_tpl_characters(const hr_tpl_value *text) {
  const uint8_t *at = text->text, *end = at + text->n;
  uint32_t count = 0;
  for (uint32_t n; at < end; ++count, at += n)
    hr_utf8_read(at, end, &n);
  return count;
}

uint32_t hr_tpl_find(hr_tpl_machine *m, const hr_tpl_value *text, const hr_tpl_value *find, uint32_t from) {
  if (!find->n)
    return from <= text->n ? from : UINT32_MAX;
  for (uint32_t i = from; i < text->n && find->n <= text->n - i; ++i)
    if (text->text[i] == find->text[0]) {
      if (memcmp(text->text + i, find->text, find->n) == 0) {
        hr_tpl_work(m, (i - from) / 16);
        return i;
      }
      hr_tpl_work(m, find->n / 64);
      if (m->status)
        return UINT32_MAX;
    }
  hr_tpl_work(m, text->n > from ? (text->n - from) / 16 : 0);
  return UINT32_MAX;
}

static bool strips(const hr_tpl_value *chars, uint32_t code) {
  if (!chars)
    return hr_tpl_is_space(code);
  const uint8_t *at = chars->text, *end = at + chars->n;
  for (uint32_t n; at < end; at += n)
    if (hr_utf8_read(at, end, &n) == code)
      return true;
  return false;
}

/* chars: 0, absent or None: white space. */
hr_tpl_value hr_tpl_strip(hr_tpl_machine *m, const hr_tpl_value *text, const hr_tpl_value *chars, uint32_t sides) {
  const uint8_t *from = text->text, *to = from + text->n;
  if (chars && (chars->type == HR_T_ABSENT || chars->type == HR_T_NONE))
    chars = 0;
  if (chars && chars->type != HR_T_STRING) {
    hr_tpl_fail_value(m, "strip arg must be None or str, not ", chars, "");
    return *text;
  }
  hr_tpl_work(m, text->n / 16);
  uint32_t n;
  while ((sides & HR_TPL_LEFT) && from < to && strips(chars, hr_utf8_read(from, to, &n)))
    from += n;
  while ((sides & HR_TPL_RIGHT) && from < to) {
    const uint8_t *last = to - 1;
    while (last > from && (*last & 0xc0) == 0x80)
      --last;
    if (!strips(chars, hr_utf8_read(last, to, &n)))
      break;
    to = last;
  }
  return hr_tpl_string(from, (size_t)(to - from));
}

/* An empty `old` stands before each character and at the end. */
hr_tpl_value hr_tpl_replace(hr_tpl_machine *m, const hr_tpl_value *text, const hr_tpl_value *old,
                            const hr_tpl_value *with, int64_t count) {
  size_t mark = m->used;
  uint32_t from = 0;
  for (; count != 0 && !m->status; --count) {
    uint32_t at = hr_tpl_find(m, text, old, from);
    if (at == UINT32_MAX)
      break;
    hr_tpl_put(m, text->text + from, at - from);
    hr_tpl_put(m, with->text, with->n);
    from = at + old->n;
    if (old->n)
      continue;
    if (from >= text->n)
      return hr_tpl_taken(m, mark);
    uint32_t n;
    hr_utf8_read(text->text + from, text->text + text->n, &n);
    hr_tpl_put(m, text->text + from, n);
    from += n;
  }
  hr_tpl_put(m, text->text + from, text->n - from);
  return hr_tpl_taken(m, mark);
}

hr_tpl_value hr_tpl_escaped(hr_tpl_machine *m, const hr_tpl_value *text) {
  static const char from[] = "&<>'\"";
  static const char *const to[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
  size_t mark = m->used;
  if (text->marked)
    return *text;
  for (uint32_t i = 0; i < text->n && !m->status; ++i) {
    int k = 0;
    while (k < 5 && from[k] != (char)text->text[i])
      ++k;
    if (k < 5)
      hr_tpl_put_text(m, to[k]);
    else
      hr_tpl_put(m, &text->text[i], 1);
  }
  hr_tpl_value escaped = hr_tpl_taken(m, mark);
  escaped.marked = 1;
  return escaped;
}

static bool ends_line(uint32_t code) {
  return (code >= 10 && code <= 13) || (code >= 0x1c && code <= 0x1e) || code == 0x85 || code == 0x2028 ||
         code == 0x2029;
}

hr_tpl_value hr_tpl_split_lines(hr_tpl_machine *m, const hr_tpl_value *text, bool keep_ends) {
  const uint8_t *end = text->text + text->n;
  hr_tpl_value *lines = 0;
  uint32_t count = 0;
  for (int pass = 0; pass < 2; ++pass) { /* counts, then takes */
    const uint8_t *at = text->text, *from = at;
    hr_tpl_work(m, 1 + text->n / 16);
    if (pass && !(lines = hr_tpl_take_values(m, count)))
      return hr_tpl_list(0, 0);
    count = 0;
    while (at < end) {
      uint32_t n, code = hr_utf8_read(at, end, &n);
      const uint8_t *stop = at;
      at += n;
      if (code == '\r' && at < end && *at == '\n')
        ++at;
      if (!ends_line(code) && at < end)
        continue;
      if (!ends_line(code) || keep_ends)
        stop = at;
      if (pass)
        lines[count] = hr_tpl_string(from, (size_t)(stop - from));
      ++count;
      from = at;
    }
  }
  return hr_tpl_list(lines, count);
}

HR_SMALL_END
