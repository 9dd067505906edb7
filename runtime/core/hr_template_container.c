/* hr_template_container.c - lists, dicts and what else templates look into or go through. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

/* ---- sequences ---- */
static hr_tpl_sequence of_items(const hr_tpl_value *items, uint32_t n) {
  static const hr_tpl_value nothing;
  return (hr_tpl_sequence){items ? items : &nothing, 0, 0, n};
}

static bool characters_of(hr_tpl_machine *m, const hr_tpl_value *v, hr_tpl_sequence *sequence) {
  uint32_t n = hr_tpl_characters(v);
  hr_tpl_value *items = hr_tpl_take_values(m, n);
  if (!items)
    return false;
  const uint8_t *at = v->text, *end = at + v->n;
  for (uint32_t i = 0; i < n && at < end; ++i) {
    uint32_t bytes;
    hr_utf8_read(at, end, &bytes);
    items[i] = hr_tpl_string(at, bytes);
    at += bytes;
  }
  *sequence = of_items(items, n);
  return true;
}

bool hr_tpl_sequence_of(hr_tpl_machine *m, const hr_tpl_value *v, hr_tpl_sequence *sequence) {
  *sequence = of_items(0, 0);
  switch ((enum hr_tpl_type)v->type) {
  case HR_T_UNDEFINED:
    if (v->sub == HR_TPL_MISSING_UNSAFE)
      hr_tpl_fail_undefined(m, v);
    return !m->status;
  case HR_T_STRING:
    return characters_of(m, v, sequence);
  case HR_T_LIST:
  case HR_T_TUPLE:
  case HR_T_VIEW:
    *sequence = of_items(v->items, v->n);
    return true;
  case HR_T_DICT: {
    hr_tpl_value keys = hr_tpl_dict_view(m, v->dict, HR_TPL_M_keys);
    *sequence = of_items(keys.items, keys.n);
    return !m->status;
  }
  case HR_T_GENERATOR:
    *sequence = of_items(v->cursor->items + v->cursor->at, v->cursor->n - v->cursor->at);
    v->cursor->at = v->cursor->n;
    return true;
  case HR_T_RANGE:
    *sequence = (hr_tpl_sequence){0, v->range->start, v->range->step, v->n};
    return true;
  default:
    hr_tpl_fail_value(m, "'", v, "' object is not iterable");
    return false;
  }
}

hr_tpl_value hr_tpl_element(const hr_tpl_sequence *sequence, uint32_t i) {
  return sequence->items ? sequence->items[i] : hr_tpl_int(sequence->start + (int64_t)i * sequence->step);
}

hr_tpl_value hr_tpl_list_of(hr_tpl_machine *m, const hr_tpl_value *v) {
  hr_tpl_sequence sequence;
  if (!hr_tpl_sequence_of(m, v, &sequence))
    return hr_tpl_list(0, 0);
  if (v->type != HR_T_RANGE)
    return hr_tpl_list((hr_tpl_value *)sequence.items, sequence.n);
  hr_tpl_value *items = hr_tpl_take_values(m, sequence.n);
  for (uint32_t i = 0; items && i < sequence.n; ++i)
    items[i] = hr_tpl_element(&sequence, i);
  return hr_tpl_list(items, items ? sequence.n : 0);
}

hr_tpl_value hr_tpl_generator(hr_tpl_machine *m, hr_tpl_value *items, uint32_t n) {
  hr_tpl_value v = hr_tpl_plain(HR_T_GENERATOR);
  v.cursor = hr_tpl_take(m, sizeof *v.cursor);
  if (!v.cursor)
    return hr_tpl_list(0, 0);
  *v.cursor = (hr_tpl_cursor){items, n, 0};
  return v;
}

/* ---- dicts ---- */
hr_tpl_value hr_tpl_dict_new(hr_tpl_machine *m, uint32_t room, enum hr_tpl_type type) {
  hr_tpl_value v = hr_tpl_plain(type);
  v.dict = hr_tpl_take(m, sizeof *v.dict + (uint64_t)room * sizeof(hr_tpl_pair));
  if (!v.dict)
    return hr_tpl_plain(HR_T_NONE);
  *v.dict = (hr_tpl_dict){(hr_tpl_pair *)(v.dict + 1), 0, room};
  return v;
}

const hr_tpl_value *hr_tpl_dict_find(const hr_tpl_dict *dict, const void *text, size_t n) {
  for (uint32_t i = 0; i < dict->n; ++i) {
    const hr_tpl_pair *pair = &dict->pairs[i];
    if (pair->key.type == HR_T_STRING && pair->key.n == n && (!n || memcmp(pair->key.text, text, n) == 0))
      return &pair->value;
  }
  return 0;
}

/* Whether a value may be a key. */
bool hr_tpl_hashable(const hr_tpl_value *v) {
  if (v->type == HR_T_TUPLE) {
    for (uint32_t i = 0; i < v->n; ++i)
      if (v->items[i].type == HR_T_TUPLE || !hr_tpl_hashable(&v->items[i]))
        return false;
    return true;
  }
  return v->type != HR_T_LIST && v->type != HR_T_DICT && v->type != HR_T_VIEW;
}

const hr_tpl_value *hr_tpl_dict_get(hr_tpl_machine *m, const hr_tpl_dict *dict, const hr_tpl_value *key) {
  hr_tpl_work(m, 1 + dict->n / 4);
  if (key->type == HR_T_STRING)
    return hr_tpl_dict_find(dict, key->text, key->n);
  if (!hr_tpl_hashable(key)) {
    hr_tpl_fail_value(m, "unhashable type: '", key, "'");
    return 0;
  }
  for (uint32_t i = 0; i < dict->n && !m->status; ++i)
    if (dict->pairs[i].key.type != HR_T_STRING && hr_tpl_equal(m, &dict->pairs[i].key, key))
      return &dict->pairs[i].value;
  return 0;
}

void hr_tpl_dict_set(hr_tpl_machine *m, hr_tpl_dict *dict, const hr_tpl_value *key, const hr_tpl_value *value) {
  if (m->status)
    return;
  hr_tpl_value *old = (hr_tpl_value *)hr_tpl_dict_get(m, dict, key);
  if (old)
    *old = *value;
  if (old || m->status)
    return;
  if (dict->n == dict->room) {
    uint32_t room = dict->room < 4 ? 4 : dict->room * 2;
    hr_tpl_pair *pairs = hr_tpl_take(m, (uint64_t)room * sizeof *pairs);
    if (!pairs)
      return;
    memcpy(pairs, dict->pairs, dict->n * sizeof *pairs);
    dict->pairs = pairs;
    dict->room = room;
  }
  dict->pairs[dict->n++] = (hr_tpl_pair){*key, *value};
}

/* As dict(from): another mapping, or pairs. */
void hr_tpl_dict_update(hr_tpl_machine *m, hr_tpl_dict *dict, const hr_tpl_value *from) {
  if (from->type == HR_T_DICT) {
    for (uint32_t i = 0; i < from->dict->n; ++i)
      hr_tpl_dict_set(m, dict, &from->dict->pairs[i].key, &from->dict->pairs[i].value);
    return;
  }
  hr_tpl_sequence pairs, pair;
  if (!hr_tpl_sequence_of(m, from, &pairs))
    return;
  for (uint32_t i = 0; i < pairs.n && !m->status; ++i) {
    hr_tpl_value element = hr_tpl_element(&pairs, i);
    if (!hr_tpl_sequence_of(m, &element, &pair))
      return;
    if (pair.n != 2) {
      hr_tpl_fail_text(m, "a dict is made of pairs; an element has another length");
      return;
    }
    hr_tpl_value key = hr_tpl_element(&pair, 0), value = hr_tpl_element(&pair, 1);
    hr_tpl_dict_set(m, dict, &key, &value);
  }
}

hr_tpl_value hr_tpl_dict_view(hr_tpl_machine *m, const hr_tpl_dict *dict, enum hr_tpl_method which) {
  bool both = which == HR_TPL_M_items;
  hr_tpl_value *items = hr_tpl_take_values(m, (uint64_t)dict->n * (both ? 3 : 1));
  hr_tpl_value v = hr_tpl_list(items, items ? dict->n : 0);
  v.type = HR_T_VIEW;
  v.sub = (uint8_t)which;
  for (uint32_t i = 0; i < v.n; ++i) {
    const hr_tpl_pair *pair = &dict->pairs[i];
    items[i] = which == HR_TPL_M_keys ? pair->key : pair->value;
    if (!both)
      continue;
    hr_tpl_value *two = &items[dict->n + 2 * i];
    two[0] = pair->key;
    two[1] = pair->value;
    items[i] = hr_tpl_list(two, 2);
    items[i].type = HR_T_TUPLE;
  }
  return v;
}

/* ---- attributes ---- */
static hr_tpl_value loop_attribute(const hr_tpl_loop *loop, const hr_tpl_value *name, bool *found) {
  static const char names[] =
      "index\0index0\0first\0last\0length\0revindex\0revindex0\0depth\0depth0\0previtem\0nextitem\0";
  int64_t index = (int64_t)loop->next - 1, n = loop->over.n;
  int which = 0;
  *found = true;
  for (const char *at = names; *at; ++which) {
    hr_tpl_value candidate = hr_tpl_text_value(at);
    if (candidate.n == name->n && memcmp(at, name->text, name->n) == 0)
      break;
    at += candidate.n + 1;
  }
  switch (which) {
  case 0:
  case 1:
    return hr_tpl_int(index + 1 - which);
  case 2:
    return hr_tpl_bool(index == 0);
  case 3:
    return hr_tpl_bool(index + 1 == n);
  case 4:
    return hr_tpl_int(n);
  case 5:
  case 6:
    return hr_tpl_int(n - index - (which - 5));
  case 7:
  case 8:
    return hr_tpl_int((int64_t)loop->depth + 8 - which);
  case 9:
    if (index < 1)
      return hr_tpl_undefined(HR_TPL_MISSING_HINT, "there is no previous item", 25, 0);
    return hr_tpl_element(&loop->over, (uint32_t)index - 1);
  case 10:
    if (index + 1 >= n)
      return hr_tpl_undefined(HR_TPL_MISSING_HINT, "there is no next item", 21, 0);
    return hr_tpl_element(&loop->over, (uint32_t)index + 1);
  default:
    *found = false;
    return hr_tpl_plain(HR_T_NONE);
  }
}

enum { M_NOT = 0, M_HAS = 1, M_UNSAFE = 2 };
static int has_method(const hr_tpl_value *v, uint32_t method) {
  switch ((enum hr_tpl_type)v->type) {
  case HR_T_STRING:
    return method >= HR_TPL_M_capitalize && method <= HR_TPL_M_zfill;
  case HR_T_DICT:
    if (method >= HR_TPL_M_get && method <= HR_TPL_M_copy)
      return M_HAS;
    return method >= HR_TPL_M_update && method <= HR_TPL_M_setdefault ? M_UNSAFE : M_NOT;
  case HR_T_LIST:
    if (method == HR_TPL_M_copy)
      return M_HAS;
    if (method == HR_TPL_M_pop || method == HR_TPL_M_clear)
      return M_UNSAFE;
    if (method >= HR_TPL_M_append && method <= HR_TPL_M_sort)
      return M_UNSAFE;
    return method == HR_TPL_M_count || method == HR_TPL_M_index;
  case HR_T_TUPLE:
  case HR_T_RANGE:
    return method == HR_TPL_M_count || method == HR_TPL_M_index;
  case HR_T_LOOP:
    return method == HR_TPL_M_cycle || method == HR_TPL_M_changed;
  case HR_T_CYCLER:
    return method == HR_TPL_M_next || method == HR_TPL_M_reset;
  default:
    return M_NOT;
  }
}

static hr_tpl_value method_of(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value *name, uint32_t method,
                              int kind) {
  if (kind == M_UNSAFE)
    return hr_tpl_undefined(HR_TPL_MISSING_UNSAFE, name->text, name->n, v);
  hr_tpl_value bound = hr_tpl_plain(HR_T_METHOD);
  bound.sub = (uint8_t)method;
  bound.cell = hr_tpl_take_values(m, 1);
  if (bound.cell)
    *bound.cell = *v;
  return bound.cell ? bound : hr_tpl_plain(HR_T_NONE);
}

static bool is_named(const hr_tpl_value *name, const char *text) {
  hr_tpl_value other = hr_tpl_text_value(text);
  return name->n == other.n && memcmp(name->text, other.text, other.n) == 0;
}

/* What is neither a method nor an entry. */
static hr_tpl_value other_attribute(const hr_tpl_value *v, const hr_tpl_value *name) {
  bool found = false;
  if (v->type == HR_T_LOOP) {
    hr_tpl_value value = loop_attribute(v->loop, name, &found);
    if (found)
      return value;
  }
  if (v->type == HR_T_CYCLER && is_named(name, "current"))
    return v->cursor->items[v->cursor->at];
  return hr_tpl_undefined(HR_TPL_MISSING_ATTRIBUTE, name->text, name->n, v);
}

/* v.name: attributes before entries. */
hr_tpl_value hr_tpl_attribute(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value *name, uint32_t method) {
  if (v->type == HR_T_UNDEFINED) {
    hr_tpl_fail_undefined(m, v);
    return *v;
  }
  int kind = method ? has_method(v, method) : M_NOT;
  if (kind)
    return method_of(m, v, name, method, kind);
  if (v->type == HR_T_DICT || v->type == HR_T_NAMESPACE) {
    const hr_tpl_value *found = hr_tpl_dict_get(m, v->dict, name);
    if (found)
      return *found;
  }
  return other_attribute(v, name);
}

static hr_tpl_value no_element(const hr_tpl_value *v) {
  return hr_tpl_undefined(HR_TPL_MISSING_ATTRIBUTE, "element", 7, v);
}

static hr_tpl_value element_at(const hr_tpl_value *v, int64_t index) {
  int64_t n = v->type == HR_T_STRING ? (int64_t)hr_tpl_characters(v) : (int64_t)v->n;
  if (index < 0)
    index += n;
  if (index < 0 || index >= n)
    return no_element(v);
  if (v->type == HR_T_STRING) {
    uint32_t bytes, at = hr_tpl_offset(v, (uint32_t)index);
    hr_utf8_read(v->text + at, v->text + v->n, &bytes);
    hr_tpl_value character = hr_tpl_string(v->text + at, bytes);
    character.marked = v->marked;
    return character;
  }
  if (v->type == HR_T_RANGE)
    return hr_tpl_int(v->range->start + index * v->range->step);
  return v->items[index];
}

/* v[key]: entries before attributes. */
hr_tpl_value hr_tpl_item(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value *key) {
  if (v->type == HR_T_UNDEFINED) {
    hr_tpl_fail_undefined(m, v);
    return *v;
  }
  if (v->type == HR_T_DICT) {
    if (!hr_tpl_hashable(key))
      return no_element(v);
    const hr_tpl_value *found = hr_tpl_dict_get(m, v->dict, key);
    if (found)
      return *found;
  }
  if (key->type == HR_T_STRING)
    return hr_tpl_attribute(m, v, key, hr_tpl_method_named(key));
  if (hr_tpl_is_int(key) && (v->type == HR_T_STRING || hr_tpl_is_list(v) || v->type == HR_T_RANGE)) {
    hr_tpl_work(m, v->type == HR_T_STRING ? v->n / 16 : 0);
    return element_at(v, key->integer);
  }
  return no_element(v);
}

/* ---- slices ---- */
/* A bound as Python reads it: negative counts from the end, and what is outside becomes the end. */
static int64_t bound(const hr_tpl_value *v, int64_t absent, int64_t n, int64_t low, int64_t high) {
  if (v->type == HR_T_ABSENT || v->type == HR_T_NONE)
    return absent;
  int64_t x = v->integer < 0 ? (v->integer < -n ? low : v->integer + n) : v->integer;
  return x < low ? low : x > high ? high : x;
}

static hr_tpl_value text_slice(hr_tpl_machine *m, const hr_tpl_value *v, int64_t start, int64_t step, int64_t count) {
  hr_tpl_work(m, v->n / 16);
  if (count <= 0)
    return hr_tpl_string("", 0);
  if (step == 1) {
    uint32_t from = hr_tpl_offset(v, (uint32_t)start);
    hr_tpl_value rest = hr_tpl_string(v->text + from, v->n - from);
    return hr_tpl_string(rest.text, hr_tpl_offset(&rest, (uint32_t)count));
  }
  hr_tpl_sequence characters;
  size_t mark = m->used;
  if (!characters_of(m, v, &characters))
    return *v;
  for (int64_t i = 0; i < count && !m->status; ++i) {
    const hr_tpl_value *c = &characters.items[start + i * step];
    hr_tpl_put(m, c->text, c->n);
  }
  return hr_tpl_taken(m, mark);
}

hr_tpl_value hr_tpl_slice(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value bounds[3]) {
  if (v->type == HR_T_UNDEFINED) {
    hr_tpl_fail_undefined(m, v);
    return *v;
  }
  bool text = v->type == HR_T_STRING;
  if (!text && !hr_tpl_is_list(v) && v->type != HR_T_RANGE)
    hr_tpl_fail_value(m, "'", v, "' object has no slices");
  for (int i = 0; i < 3; ++i)
    if (bounds[i].type != HR_T_ABSENT && bounds[i].type != HR_T_NONE && !hr_tpl_is_int(&bounds[i]))
      hr_tpl_fail_value(m, "slice indices must be integers or None, not ", &bounds[i], "");
  if (m->status)
    return *v;
  int64_t n = text ? (int64_t)hr_tpl_characters(v) : (int64_t)v->n;
  int64_t step = hr_tpl_is_int(&bounds[2]) ? bounds[2].integer : 1;
  if (step == 0) {
    hr_tpl_fail_text(m, "slice step cannot be zero");
    return *v;
  }
  step = step > n + 1 ? n + 1 : step < -n - 1 ? -n - 1 : step;
  int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
  int64_t start = bound(&bounds[0], step < 0 ? n - 1 : 0, n, low, high);
  int64_t stop = bound(&bounds[1], step < 0 ? -1 : n, n, low, high);
  uint64_t distance = step > 0 ? (uint64_t)(stop - start) : (uint64_t)(start - stop),
           stride = (uint64_t)(step > 0 ? step : -step);
  bool nothing = step > 0 ? stop <= start : stop >= start;
  int64_t count = nothing ? 0 : (int64_t)((distance - 1) / stride + 1);
  if (text) {
    hr_tpl_value part = text_slice(m, v, start, step, count);
    part.marked = v->marked;
    return part;
  }
  hr_tpl_value *items = hr_tpl_take_values(m, (uint64_t)count);
  for (int64_t i = 0; items && i < count; ++i)
    items[i] = element_at(v, start + i * step);
  hr_tpl_value list = hr_tpl_list(items, items ? (uint32_t)count : 0);
  list.type = v->type == HR_T_TUPLE ? HR_T_TUPLE : HR_T_LIST;
  return list;
}

HR_SMALL_END
