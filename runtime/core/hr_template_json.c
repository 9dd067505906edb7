/* hr_template_json.c - JSON for templates: the context is read, the filter tojson writes (as Python's json.dumps). */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

typedef struct reader {
  hr_tpl_machine *m;
  const uint8_t *start, *at, *end;
} reader;

static void fail_json(reader *r, const char *expected) {
  char place[24];
  uint32_t n = 0;
  uint64_t offset = (uint64_t)(r->at - r->start);
  do
    place[sizeof place - ++n] = (char)('0' + offset % 10);
  while ((offset /= 10) != 0);
  hr_tpl_fail(r->m, "context: byte ", place + sizeof place - n, n, expected);
}

static void skip_space(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
    ++r->at;
}

/* Whether the next byte is c, which is then behind us. */
static bool eat(reader *r, char c) {
  skip_space(r);
  if (r->at == r->end || *r->at != (uint8_t)c)
    return false;
  ++r->at;
  return true;
}

static uint32_t hex_digits(reader *r) {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++r->at) {
    uint32_t c = r->at < r->end ? *r->at : 0, letter = c | 32;
    if (c >= '0' && c <= '9')
      code = code << 4 | (c - '0');
    else if (letter >= 'a' && letter <= 'f')
      code = code << 4 | (letter - 'a' + 10);
    else {
      fail_json(r, ": expected four hexadecimal digits");
      return 0;
    }
  }
  return code;
}

static void read_unicode(reader *r) {
  uint32_t code = hex_digits(r);
  if (code >= 0xd800 && code < 0xdc00 && r->end - r->at > 1 && r->at[0] == '\\' && r->at[1] == 'u') {
    r->at += 2;
    uint32_t low = hex_digits(r);
    code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xd800;
  }
  if (code >= 0xd800 && code < 0xe000)
    fail_json(r, ": expected a character, found half of a surrogate pair");
  hr_tpl_put_code(r->m, code);
}

static void read_escape(reader *r) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  char c = r->at < r->end ? (char)*r->at++ : 0;
  if (c == 'u') {
    read_unicode(r);
    return;
  }
  for (int i = 0; i < 8; ++i)
    if (from[i] == c) {
      hr_tpl_put(r->m, &to[i], 1);
      return;
    }
  fail_json(r, ": expected an escape of JSON");
}

/* Behind the opening quotation mark. Strings without escapes stay where they are. */
static hr_tpl_value read_string(reader *r) {
  const uint8_t *from = r->at;
  size_t mark = r->m->used;
  bool escaped = false;
  while (r->at < r->end && *r->at != '"' && !r->m->status) {
    if (*r->at < 0x20) {
      fail_json(r, ": expected no control character in a string");
    } else if (*r->at == '\\') {
      hr_tpl_put(r->m, from, (size_t)(r->at++ - from));
      read_escape(r);
      from = r->at;
      escaped = true;
    } else {
      ++r->at;
    }
  }
  if (r->at == r->end)
    fail_json(r, ": expected the end of a string");
  const uint8_t *to = r->at++;
  if (!escaped)
    return hr_tpl_string(from, r->m->status ? 0 : (size_t)(to - from));
  hr_tpl_put(r->m, from, (size_t)(to - from));
  return hr_tpl_taken(r->m, mark);
}

static hr_tpl_value read_number(reader *r) {
  const uint8_t *from = r->at;
  bool whole = true;
  while (r->at < r->end && ((*r->at >= '0' && *r->at <= '9') || *r->at == '+' || *r->at == '-' || *r->at == '.' ||
                            (*r->at | 32) == 'e')) {
    whole &= (*r->at >= '0' && *r->at <= '9') || *r->at == '-';
    ++r->at;
  }
  size_t n = (size_t)(r->at - from), sign = n && from[0] == '-';
  uint64_t bits = 0, value = 0, most = (uint64_t)INT64_MAX + sign;
  if (n <= sign || from[sign] < '0' || from[sign] > '9' || (from[sign] == '0' && n > sign + 1 && whole) ||
      !hr_f64_parse(from, n, &bits)) {
    r->at = from;
    fail_json(r, ": expected a JSON value");
    return hr_tpl_plain(HR_T_NONE);
  }
  if (!whole)
    return hr_tpl_float(bits);
  for (size_t i = sign; i < n; ++i) {
    uint64_t digit = (uint64_t)(from[i] - '0');
    if (value > (most - digit) / 10) {
      fail_json(r, ": expected an integer of 64 bits");
      return hr_tpl_int(0);
    }
    value = value * 10 + digit;
  }
  return hr_tpl_int((int64_t)(sign ? 0 - value : value));
}

static hr_tpl_value read_value(reader *r);

/* Elements lie in pieces, doubled as they fill, so that a list is in one piece at its end. */
static hr_tpl_value read_list(reader *r) {
  hr_tpl_value *items = 0;
  uint32_t n = 0, room = 0;
  if (eat(r, ']'))
    return hr_tpl_list(0, 0);
  do {
    if (n == room) {
      hr_tpl_value *more = hr_tpl_take_values(r->m, room ? 2 * (uint64_t)room : 4);
      if (!more)
        break;
      if (n)
        memcpy(more, items, n * sizeof *items);
      items = more;
      room = room ? 2 * room : 4;
    }
    items[n++] = read_value(r);
  } while (!r->m->status && eat(r, ','));
  if (!r->m->status && !eat(r, ']'))
    fail_json(r, ": expected , or ]");
  return hr_tpl_list(items, n);
}

static hr_tpl_value read_object(reader *r) {
  hr_tpl_value dict = hr_tpl_dict_new(r->m, 4, HR_T_DICT);
  if (r->m->status || eat(r, '}'))
    return dict;
  do {
    if (!eat(r, '"')) {
      fail_json(r, ": expected a key");
      break;
    }
    hr_tpl_value key = read_string(r);
    if (!r->m->status && !eat(r, ':'))
      fail_json(r, ": expected :");
    hr_tpl_value value = r->m->status ? hr_tpl_plain(HR_T_NONE) : read_value(r);
    hr_tpl_dict_set(r->m, dict.dict, &key, &value);
  } while (!r->m->status && eat(r, ','));
  if (!r->m->status && !eat(r, '}'))
    fail_json(r, ": expected , or }");
  return dict;
}

static bool eat_word(reader *r, const char *word) {
  size_t n = 0;
  while (word[n])
    ++n;
  if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
    return false;
  r->at += n;
  return true;
}

static hr_tpl_value read_value(reader *r) {
  hr_tpl_value v = hr_tpl_plain(HR_T_NONE);
  if (!hr_tpl_enter(r->m))
    return v;
  skip_space(r);
  if (eat(r, '{'))
    v = read_object(r);
  else if (eat(r, '['))
    v = read_list(r);
  else if (eat(r, '"'))
    v = read_string(r);
  else if (eat_word(r, "true"))
    v = hr_tpl_bool(true);
  else if (eat_word(r, "false"))
    v = hr_tpl_bool(false);
  else if (!eat_word(r, "null"))
    v = read_number(r);
  --r->m->nesting;
  return v;
}

hr_tpl_value hr_tpl_json_read(hr_tpl_machine *m, const uint8_t *text, size_t n) {
  static const uint8_t nothing[1];
  if (!n)
    text = nothing;
  reader r = {m, text, text, text + n};
  if (n > UINT32_MAX / 2) {
    hr_tpl_fail_text(m, "context: expected less than 2 GiB");
    return hr_tpl_plain(HR_T_NONE);
  }
  hr_tpl_value v = read_value(&r);
  skip_space(&r);
  if (!m->status && r.at != r.end)
    fail_json(&r, ": expected the end");
  return v;
}

/* ---- writing ---- */
static void put_hex(hr_tpl_machine *m, uint32_t code) {
  char text[6] = {'\\', 'u'};
  for (int i = 0; i < 4; ++i)
    text[2 + i] = "0123456789abcdef"[code >> (12 - 4 * i) & 15];
  hr_tpl_put(m, text, 6);
}

static void put_escaped(hr_tpl_machine *m, uint32_t code) {
  static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
  for (int i = 0; i < 7; ++i)
    if ((uint32_t)from[i] == code) {
      char text[2] = {'\\', to[i]};
      hr_tpl_put(m, text, 2);
      return;
    }
  if (code >= 0x10000) {
    put_hex(m, 0xd800 + ((code - 0x10000) >> 10));
    code = 0xdc00 + ((code - 0x10000) & 0x3ff);
  }
  put_hex(m, code);
}

static void put_string(hr_tpl_machine *m, const hr_tpl_value *v, bool ascii) {
  const uint8_t *at = v->text, *end = at + v->n, *from = at;
  hr_tpl_put_text(m, "\"");
  while (at < end && !m->status) {
    uint32_t n, code = hr_utf8_read(at, end, &n);
    if (code < 0x20 || code == '"' || code == '\\' || (ascii && code > 0x7e)) {
      hr_tpl_put(m, from, (size_t)(at - from));
      put_escaped(m, code);
      from = at + n;
    }
    at += n;
  }
  hr_tpl_put(m, from, (size_t)(end - from));
  hr_tpl_put_text(m, "\"");
}

static void put_scalar(hr_tpl_machine *m, const hr_tpl_value *v, bool ascii) {
  char text[HR_F64_TEXT];
  if (v->type == HR_T_STRING)
    put_string(m, v, ascii);
  else if (v->type == HR_T_NONE)
    hr_tpl_put_text(m, "null");
  else if (v->type == HR_T_BOOL)
    hr_tpl_put_text(m, v->integer ? "true" : "false");
  else if (v->type == HR_T_INT)
    hr_tpl_put_int(m, v->integer);
  else if (v->type == HR_T_FLOAT && (v->bits << 1) > 0xffe0000000000000u)
    hr_tpl_put_text(m, "NaN");
  else if (v->type == HR_T_FLOAT && (v->bits << 1) == 0xffe0000000000000u)
    hr_tpl_put_text(m, v->bits >> 63 ? "-Infinity" : "Infinity");
  else if (v->type == HR_T_FLOAT)
    hr_tpl_put(m, text, hr_f64_repr(v->bits, text));
  else
    hr_tpl_fail_value(m, "Object of type ", v, " is not JSON serializable");
}

static void put_key(hr_tpl_machine *m, const hr_tpl_value *key, bool ascii) {
  if (key->type == HR_T_STRING) {
    put_string(m, key, ascii);
    return;
  }
  if (key->type != HR_T_NONE && !hr_tpl_is_number(key)) {
    hr_tpl_fail_value(m, "keys must be str, int, float, bool or None, not ", key, "");
    return;
  }
  hr_tpl_put_text(m, "\"");
  put_scalar(m, key, ascii);
  hr_tpl_put_text(m, "\"");
}

static void new_line(hr_tpl_machine *m, const hr_tpl_json_style *style, uint32_t level) {
  if (!style->lines)
    return;
  hr_tpl_put_text(m, "\n");
  hr_tpl_put_repeated(m, style->indent.text, style->indent.n, level);
}

static void put_list(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_json_style *style, uint32_t level) {
  hr_tpl_put_text(m, "[");
  for (uint32_t i = 0; i < v->n && !m->status; ++i) {
    if (i)
      hr_tpl_put(m, style->between.text, style->between.n);
    new_line(m, style, level + 1);
    hr_tpl_json_put(m, &v->items[i], style, level + 1);
  }
  if (v->n)
    new_line(m, style, level);
  hr_tpl_put_text(m, "]");
}

static void put_dict(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_json_style *style, uint32_t level) {
  hr_tpl_value items = hr_tpl_dict_view(m, v->dict, HR_TPL_M_items);
  if (style->sorted) {
    hr_tpl_value first = hr_tpl_int(0);
    items.type = HR_T_LIST;
    items = hr_tpl_sort(m, &items, &first, true, false, false);
  }
  hr_tpl_put_text(m, "{");
  for (uint32_t i = 0; i < items.n && !m->status; ++i) {
    if (i)
      hr_tpl_put(m, style->between.text, style->between.n);
    new_line(m, style, level + 1);
    put_key(m, &items.items[i].items[0], style->ascii);
    hr_tpl_put(m, style->after_key.text, style->after_key.n);
    hr_tpl_json_put(m, &items.items[i].items[1], style, level + 1);
  }
  if (items.n)
    new_line(m, style, level);
  hr_tpl_put_text(m, "}");
}

void hr_tpl_json_put(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_json_style *style, uint32_t level) {
  if (!hr_tpl_enter(m))
    return;
  if (hr_tpl_is_list(v))
    put_list(m, v, style, level);
  else if (v->type == HR_T_DICT)
    put_dict(m, v, style, level);
  else
    put_scalar(m, v, style->ascii);
  --m->nesting;
}

HR_SMALL_END
