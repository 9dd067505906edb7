/* hr_template_sequence.c - filters of sequences: map, select, sort, join and the like. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

static bool is_given(const hr_tpl_value *v) { return v->type != HR_T_ABSENT && v->type != HR_T_NONE; }
static bool is_on(const hr_tpl_value *v) { return is_given(v) && hr_tpl_truth(v); }

/* Digits are an index, everything else a name. */
static hr_tpl_value path_key(const hr_tpl_value *part) {
  int64_t index = 0;
  for (uint32_t i = 0; i < part->n; ++i) {
    if (part->text[i] < '0' || part->text[i] > '9' || index > INT32_MAX)
      return *part;
    index = index * 10 + part->text[i] - '0';
  }
  return part->n ? hr_tpl_int(index) : *part;
}

hr_tpl_value hr_tpl_path(hr_tpl_machine *m, hr_tpl_value v, const hr_tpl_value *path, const hr_tpl_value *missing) {
  if (path->type != HR_T_STRING)
    return hr_tpl_item(m, &v, path);
  for (uint32_t at = 0; at <= path->n && !m->status; ++at) {
    uint32_t end = at;
    while (end < path->n && path->text[end] != '.')
      ++end;
    hr_tpl_value part = hr_tpl_string(path->text + at, end - at), key = path_key(&part);
    v = hr_tpl_item(m, &v, &key);
    if (v.type == HR_T_UNDEFINED && is_given(missing))
      v = *missing;
    at = end;
  }
  return v;
}

/* What filters compare: the attribute, in lower case if that is not to matter. */
static hr_tpl_value key_of(hr_tpl_machine *m, hr_tpl_value v, const hr_tpl_value *attribute, bool case_sensitive) {
  hr_tpl_value none = hr_tpl_plain(HR_T_ABSENT);
  if (is_given(attribute))
    v = hr_tpl_path(m, v, attribute, &none);
  return v.type == HR_T_STRING && !case_sensitive ? hr_tpl_cased(m, &v, HR_TPL_LOWER) : v;
}

/* Keys of a list; with commas in the attribute, lists of keys. */
static hr_tpl_value *keys_of(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *attribute,
                             bool case_sensitive) {
  hr_tpl_value *keys = hr_tpl_take_values(m, list->n), comma = hr_tpl_string(",", 1);
  if (!keys || attribute->type != HR_T_STRING || hr_tpl_find(m, attribute, &comma, 0) == UINT32_MAX) {
    for (uint32_t i = 0; keys && i < list->n && !m->status; ++i)
      keys[i] = key_of(m, list->items[i], attribute, case_sensitive);
    return keys;
  }
  hr_tpl_args args = {&comma, 1, 0, 0};
  hr_tpl_value parts = hr_tpl_call_method(m, attribute, HR_TPL_M_split, &args);
  for (uint32_t i = 0; i < list->n && !m->status; ++i) {
    hr_tpl_value *several = hr_tpl_take_values(m, parts.n);
    for (uint32_t k = 0; several && k < parts.n; ++k)
      several[k] = key_of(m, list->items[i], &parts.items[k], case_sensitive);
    keys[i] = hr_tpl_list(several, several ? parts.n : 0);
  }
  return keys;
}

/* A stable merge_runs of order[low .. middle) and order[middle .. high) through `room`. */
static void merge_runs(hr_tpl_machine *m, const hr_tpl_value *keys, uint32_t *order, uint32_t *room, uint32_t low,
                       uint32_t middle, uint32_t high, bool reverse, bool as_lists) {
  uint32_t a = low, b = middle;
  for (uint32_t i = low; i < high && !m->status; ++i) {
    bool second = a == middle;
    if (!second && b < high) {
      const hr_tpl_value *first = &keys[order[reverse ? a : b]], *other = &keys[order[reverse ? b : a]];
      second = !(as_lists && hr_tpl_equal(m, first, other)) && hr_tpl_order(m, first, other) < 0;
    }
    room[i] = order[second ? b++ : a++];
  }
  for (uint32_t i = low; i < high && !m->status; ++i)
    order[i] = room[i];
}

hr_tpl_value hr_tpl_sort(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *attribute,
                         bool case_sensitive, bool reverse, bool as_lists) {
  hr_tpl_value *keys = keys_of(m, list, attribute, case_sensitive), *items = hr_tpl_take_values(m, list->n);
  uint32_t n = list->n, *order = hr_tpl_take(m, 8 * (uint64_t)n), *room = order + n;
  if (m->status)
    return *list;
  for (uint32_t i = 0; i < n; ++i)
    order[i] = i;
  for (uint64_t width = 1; width < n; width *= 2)
    for (uint64_t low = 0; low + width < n && !m->status; low += 2 * width)
      merge_runs(m, keys, order, room, (uint32_t)low, (uint32_t)(low + width),
                 (uint32_t)(low + 2 * width < n ? low + 2 * width : n), reverse, as_lists);
  for (uint32_t i = 0; i < n; ++i)
    items[i] = list->items[order[i]];
  return hr_tpl_list(items, n);
}

static hr_tpl_value dictsort_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  hr_tpl_value by = hr_tpl_int(v[2].type == HR_T_STRING && v[2].n == 5);
  if (v->type != HR_T_DICT || (is_given(&v[2]) && (v[2].type != HR_T_STRING || (v[2].n != 3 && v[2].n != 5)))) {
    hr_tpl_fail_value(m, "dictsort: expected a mapping, and by 'key' or 'value', found ", v, "");
    return *v;
  }
  hr_tpl_value items = hr_tpl_dict_view(m, v->dict, HR_TPL_M_items);
  items.type = HR_T_LIST;
  return hr_tpl_sort(m, &items, &by, is_on(&v[1]), is_on(&v[3]), false);
}

static hr_tpl_value unique_filter(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *v) {
  hr_tpl_value *keys = keys_of(m, list, &v[2], is_on(&v[1])), *items = hr_tpl_take_values(m, list->n);
  uint32_t n = 0;
  for (uint32_t i = 0; items && i < list->n && !m->status; ++i) {
    uint32_t k = 0;
    if (!hr_tpl_hashable(&keys[i]))
      hr_tpl_fail_value(m, "unhashable type: '", &keys[i], "'");
    while (k < n && !hr_tpl_equal(m, &keys[k], &keys[i]))
      ++k;
    if (k < n)
      continue;
    keys[n] = keys[i];
    items[n++] = list->items[i];
  }
  return hr_tpl_generator(m, items, n);
}

static hr_tpl_value extreme_filter(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *v, bool least) {
  hr_tpl_value *keys = keys_of(m, list, &v[2], is_on(&v[1]));
  uint32_t best = 0;
  if (!list->n)
    return hr_tpl_undefined(HR_TPL_MISSING_HINT, "No aggregated item, sequence was empty.", 39, 0);
  for (uint32_t i = 1; keys && i < list->n && !m->status; ++i) {
    int order = hr_tpl_order(m, &keys[i], &keys[best]);
    if (order != 2 && (least ? order < 0 : order > 0))
      best = i;
  }
  return list->items[best];
}

static hr_tpl_value sum_filter(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *v) {
  hr_tpl_value sum = v[2].type == HR_T_ABSENT ? hr_tpl_int(0) : v[2];
  if (sum.type == HR_T_STRING)
    hr_tpl_fail_text(m, "sum() can't sum strings");
  for (uint32_t i = 0; i < list->n && !m->status; ++i) {
    hr_tpl_value element = key_of(m, list->items[i], &v[1], true);
    sum = hr_tpl_binary(m, HR_TPL_ADD, &sum, &element);
  }
  return sum;
}

static hr_tpl_value join_filter(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *v) {
  size_t mark = m->used;
  for (uint32_t i = 0; i < list->n && !m->status; ++i) {
    hr_tpl_value element = key_of(m, list->items[i], &v[2], true);
    if (i)
      hr_tpl_put_value(m, &v[1]);
    hr_tpl_put_value(m, &element);
  }
  return hr_tpl_taken(m, mark);
}

static hr_tpl_value batch_filter(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *v) {
  int64_t size = hr_tpl_is_int(&v[1]) ? v[1].integer : 0;
  if (size < 1 || size > UINT32_MAX / 64) {
    hr_tpl_fail_text(m, "batch: expected a positive number of elements");
    return *list;
  }
  uint32_t n = (uint32_t)size, rows = list->n / n + (list->n % n != 0);
  hr_tpl_value *items = hr_tpl_take_values(m, rows);
  for (uint32_t i = 0; items && i < rows; ++i) {
    bool fill = is_given(&v[2]);
    uint32_t have = list->n - i * n < n ? list->n - i * n : n;
    hr_tpl_value *row = hr_tpl_take_values(m, fill ? n : have);
    for (uint32_t k = 0; row && k < (fill ? n : have); ++k)
      row[k] = k < have ? list->items[i * n + k] : v[2];
    items[i] = hr_tpl_list(row, row ? (fill ? n : have) : 0);
  }
  return hr_tpl_generator(m, items, items ? rows : 0);
}

/* ---- map, select ---- */
/* values: the sequence, the number of the filter or test, its arguments; attributes before that of a test. */
static hr_tpl_value map_filter(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *v, uint32_t n) {
  hr_tpl_value call[8], *items = hr_tpl_take_values(m, list->n);
  if (!items || n < 2 || n > 9 || v[1].type != HR_T_INT || v[1].integer < 0 || v[1].integer >= HR_TPL_FILTER_COUNT) {
    hr_tpl_fail_text(m, "map: expected a filter with at most 7 arguments");
    return *list;
  }
  for (uint32_t i = 2; i < n; ++i)
    call[i - 1] = v[i];
  if (!hr_tpl_enter(m))
    return *list;
  for (uint32_t i = 0; i < list->n && !m->status; ++i) {
    call[0] = list->items[i];
    items[i] = hr_tpl_filter(m, (uint32_t)v[1].integer, call, n - 1);
  }
  --m->nesting;
  return hr_tpl_generator(m, items, list->n);
}

static hr_tpl_value map_attribute(hr_tpl_machine *m, const hr_tpl_value *list, const hr_tpl_value *v) {
  hr_tpl_value *items = hr_tpl_take_values(m, list->n);
  for (uint32_t i = 0; items && i < list->n && !m->status; ++i)
    items[i] = hr_tpl_path(m, list->items[i], &v[1], &v[2]);
  return hr_tpl_generator(m, items, items ? list->n : 0);
}

static hr_tpl_value select_filter(hr_tpl_machine *m, uint32_t filter, const hr_tpl_value *list, const hr_tpl_value *v,
                                  uint32_t n) {
  bool by_attribute = filter == HR_TPL_FILTER_selectattr || filter == HR_TPL_FILTER_rejectattr;
  bool wanted = filter == HR_TPL_FILTER_select || filter == HR_TPL_FILTER_selectattr;
  uint32_t at = 1 + by_attribute, count = 0;
  hr_tpl_value call[2], none = hr_tpl_plain(HR_T_ABSENT), *items = hr_tpl_take_values(m, list->n);
  if (!items || n < at + 1 || n > at + 2 || v[at].type != HR_T_INT || v[at].integer < 0 ||
      v[at].integer >= HR_TPL_TEST_COUNT) {
    hr_tpl_fail_text(m, "select: expected a test with at most one argument");
    return *list;
  }
  call[1] = v[n - 1];
  for (uint32_t i = 0; i < list->n && !m->status; ++i) {
    call[0] = by_attribute ? hr_tpl_path(m, list->items[i], &v[1], &none) : list->items[i];
    if (!m->status && hr_tpl_test(m, (uint32_t)v[at].integer, call, n - at) == wanted)
      items[count++] = list->items[i];
  }
  return hr_tpl_generator(m, items, count);
}

/* ---- ends, order ---- */
static hr_tpl_value end_filter(hr_tpl_machine *m, const hr_tpl_value *v, bool last) {
  hr_tpl_sequence sequence;
  if (last && v->type == HR_T_GENERATOR) {
    hr_tpl_fail_text(m, "'generator' object is not reversible");
    return *v;
  }
  if (v->type == HR_T_GENERATOR && v->cursor->at < v->cursor->n)
    return v->cursor->items[v->cursor->at++];
  if (!hr_tpl_sequence_of(m, v, &sequence) || !sequence.n)
    return hr_tpl_undefined(HR_TPL_MISSING_HINT, "No first or last item, sequence was empty.", 42, 0);
  return hr_tpl_element(&sequence, last ? sequence.n - 1 : 0);
}

static hr_tpl_value reverse_filter(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value *list) {
  hr_tpl_value *items = hr_tpl_take_values(m, list->n);
  size_t mark = m->used;
  for (uint32_t i = 0; items && i < list->n; ++i)
    items[i] = list->items[list->n - 1 - i];
  if (v->type != HR_T_STRING)
    return hr_tpl_generator(m, items, items ? list->n : 0);
  for (uint32_t i = 0; items && i < list->n; ++i)
    hr_tpl_put(m, items[i].text, items[i].n);
  hr_tpl_value text = hr_tpl_taken(m, mark);
  text.marked = v->marked;
  return text;
}

static hr_tpl_value items_filter(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (v->type == HR_T_UNDEFINED)
    return hr_tpl_generator(m, 0, 0);
  if (v->type != HR_T_DICT) {
    hr_tpl_fail_text(m, "Can only get item pairs from a mapping.");
    return *v;
  }
  hr_tpl_value items = hr_tpl_dict_view(m, v->dict, HR_TPL_M_items);
  return hr_tpl_generator(m, items.items, items.n);
}

hr_tpl_value hr_tpl_sequence_filter(hr_tpl_machine *m, uint32_t filter, const hr_tpl_value *v, uint32_t n) {
  if (filter == HR_TPL_FILTER_first || filter == HR_TPL_FILTER_last)
    return end_filter(m, v, filter == HR_TPL_FILTER_last);
  if (filter == HR_TPL_FILTER_items)
    return items_filter(m, v);
  if (filter == HR_TPL_FILTER_dictsort)
    return dictsort_filter(m, v);
  bool lazy = filter == HR_TPL_FILTER_map || filter == HR_TPL_FILTER_map_attribute || filter == HR_TPL_FILTER_select ||
              filter == HR_TPL_FILTER_selectattr || filter == HR_TPL_FILTER_reject ||
              filter == HR_TPL_FILTER_rejectattr;
  if (lazy && !hr_tpl_truth(v)) /* None, for one, which cannot be gone through */
    return hr_tpl_generator(m, 0, 0);
  hr_tpl_value list = hr_tpl_list_of(m, v);
  if (m->status)
    return list;
  hr_tpl_work(m, list.n);
  switch ((enum hr_tpl_filter)filter) {
  case HR_TPL_FILTER_batch:
    return batch_filter(m, &list, v);
  case HR_TPL_FILTER_join:
    return join_filter(m, &list, v);
  case HR_TPL_FILTER_map:
    return map_filter(m, &list, v, n);
  case HR_TPL_FILTER_map_attribute:
    return map_attribute(m, &list, v);
  case HR_TPL_FILTER_max:
  case HR_TPL_FILTER_min:
    return extreme_filter(m, &list, v, filter == HR_TPL_FILTER_min);
  case HR_TPL_FILTER_select:
  case HR_TPL_FILTER_selectattr:
  case HR_TPL_FILTER_reject:
  case HR_TPL_FILTER_rejectattr:
    return select_filter(m, filter, &list, v, n);
  case HR_TPL_FILTER_reverse:
    return reverse_filter(m, v, &list);
  case HR_TPL_FILTER_sort:
    return hr_tpl_sort(m, &list, &v[3], is_on(&v[2]), is_on(&v[1]), true);
  case HR_TPL_FILTER_sum:
    return sum_filter(m, &list, v);
  case HR_TPL_FILTER_unique:
    return unique_filter(m, &list, v);
  default:
    return list;
  }
}

HR_SMALL_END
