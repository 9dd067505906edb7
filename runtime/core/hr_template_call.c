/* hr_template_call.c - functions that every template knows, and methods of values. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

static bool text_is(const hr_tpl_value *v, const char *text) {
  hr_tpl_value other = hr_tpl_text_value(text);
  return v->n == other.n && memcmp(v->text, other.text, other.n) == 0;
}

const hr_tpl_value *hr_tpl_named(const hr_tpl_args *args, const char *name) {
  for (uint32_t i = 0; i < args->pairs; ++i)
    if (text_is(&args->named[2 * i], name))
      return &args->named[2 * i + 1];
  return 0;
}

/* The i-th argument, also by its name (may be 0); 0: not given. */
static const hr_tpl_value *argument(const hr_tpl_args *args, uint32_t i, const char *name) {
  if (i < args->n)
    return &args->values[i];
  return name ? hr_tpl_named(args, name) : 0;
}

static bool takes(hr_tpl_machine *m, const hr_tpl_args *args, uint32_t least, uint32_t most) {
  if (args->n + args->pairs >= least && args->n + args->pairs <= most)
    return true;
  hr_tpl_fail_text(m, "a function is called with another number of arguments than it takes");
  return false;
}

static int64_t int_argument(hr_tpl_machine *m, const hr_tpl_value *v, int64_t absent) {
  if (!v || v->type == HR_T_ABSENT)
    return absent;
  if (!hr_tpl_is_int(v)) {
    hr_tpl_fail_value(m, "'", v, "' object cannot be interpreted as an integer");
    return absent;
  }
  return v->integer;
}

static bool needs_text(hr_tpl_machine *m, const hr_tpl_value *v) {
  if (v && v->type != HR_T_STRING)
    hr_tpl_fail_value(m, "expected str, found ", v, "");
  return v && v->type == HR_T_STRING;
}

/* ---- functions ---- */
static hr_tpl_value make_range(hr_tpl_machine *m, const hr_tpl_args *args) {
  hr_tpl_value v = hr_tpl_plain(HR_T_RANGE);
  if (!takes(m, args, 1, 3) || args->pairs)
    return v;
  hr_tpl_range *range = v.range = hr_tpl_take(m, sizeof *range);
  if (!range)
    return hr_tpl_plain(HR_T_NONE);
  range->start = args->n > 1 ? int_argument(m, &args->values[0], 0) : 0;
  range->stop = int_argument(m, &args->values[args->n > 1], 0);
  range->step = args->n > 2 ? int_argument(m, &args->values[2], 1) : 1;
  if (range->step == 0)
    hr_tpl_fail_text(m, "range() arg 3 must not be zero");
  if (m->status)
    return v;
  bool down = range->step < 0;
  if (down ? range->start <= range->stop : range->start >= range->stop)
    return v;
  uint64_t distance =
      down ? (uint64_t)range->start - (uint64_t)range->stop : (uint64_t)range->stop - (uint64_t)range->start;
  uint64_t step = down ? 0 - (uint64_t)range->step : (uint64_t)range->step, n = (distance - 1) / step + 1;
  if (n > HR_TPL_RANGE)
    hr_tpl_fail_text(m, "range too big: at most 100000 elements");
  else
    v.n = (uint32_t)n;
  return v;
}

static bool private_name(hr_tpl_machine *m, const hr_tpl_value *name) {
  if (name->type != HR_T_STRING || !name->n || name->text[0] != '_')
    return false;
  hr_tpl_fail(m, "templates cannot store underscore-prefixed attributes on a namespace, but got '", name->text, name->n,
              "'");
  return true;
}

static hr_tpl_value make_mapping(hr_tpl_machine *m, const hr_tpl_args *args, enum hr_tpl_type type) {
  hr_tpl_value v = hr_tpl_dict_new(m, 4, type);
  if (m->status || (args->n > 1 && !takes(m, args, 0, 0)))
    return v;
  if (args->n)
    hr_tpl_dict_update(m, v.dict, &args->values[0]);
  for (uint32_t i = 0; i < args->pairs; ++i)
    hr_tpl_dict_set(m, v.dict, &args->named[2 * i], &args->named[2 * i + 1]);
  for (uint32_t i = 0; type == HR_T_NAMESPACE && i < v.dict->n; ++i)
    if (private_name(m, &v.dict->pairs[i].key))
      break;
  return v;
}

static hr_tpl_value make_cursor(hr_tpl_machine *m, enum hr_tpl_type type, const hr_tpl_value *values, uint32_t n) {
  hr_tpl_value *items = hr_tpl_take_values(m, n);
  for (uint32_t i = 0; items && i < n; ++i)
    items[i] = values[i];
  hr_tpl_value v = hr_tpl_generator(m, items, items ? n : 0);
  v.type = m->status ? v.type : (uint8_t)type;
  return v;
}

static hr_tpl_value strftime_now(hr_tpl_machine *m, const hr_tpl_value *format) {
  size_t mark = m->used, n = 0;
  if (!needs_text(m, format))
    return hr_tpl_string("", 0);
  if (!m->now) {
    hr_tpl_fail_text(m, "strftime_now: the time is not known; \"now\" in the context gives it");
    return hr_tpl_string("", 0);
  }
  while (m->now[n])
    ++n;
  hr_tpl_strftime(m, format, m->now, n);
  return hr_tpl_taken(m, mark);
}

static hr_tpl_value raise_exception(hr_tpl_machine *m, const hr_tpl_value *message) {
  hr_tpl_value text = hr_tpl_text_of(m, message);
  if (m->status)
    return text;
  hr_tpl_fail_text(m, "");
  m->error.raised = 1;
  m->error.message = (const char *)text.text; /* as long as it is */
  m->error.message_bytes = text.n;
  return text;
}

hr_tpl_value hr_tpl_call_function(hr_tpl_machine *m, uint32_t function, const hr_tpl_args *args) {
  hr_tpl_value separator = hr_tpl_string(", ", 2);
  switch ((enum hr_tpl_function)function) {
  case HR_TPL_F_range:
    return make_range(m, args);
  case HR_TPL_F_namespace:
    return make_mapping(m, args, HR_T_NAMESPACE);
  case HR_TPL_F_dict:
    return make_mapping(m, args, HR_T_DICT);
  case HR_TPL_F_cycler:
    if (!args->n)
      hr_tpl_fail_text(m, "at least one item has to be provided");
    return make_cursor(m, HR_T_CYCLER, args->values, args->n);
  case HR_TPL_F_joiner:
    if (argument(args, 0, "sep"))
      separator = *argument(args, 0, "sep");
    return make_cursor(m, HR_T_JOINER, &separator, 1);
  case HR_TPL_F_raise_exception:
    return takes(m, args, 1, 1) ? raise_exception(m, args->n ? &args->values[0] : &args->named[1]) : separator;
  default:
    return takes(m, args, 1, 1) ? strftime_now(m, args->n ? &args->values[0] : &args->named[1]) : separator;
  }
}

/* ---- methods of str ---- */
/* Bytes of the separator that begins at `at`; 0: none does. */
static uint32_t separator_at(const hr_tpl_value *text, const hr_tpl_value *sep, uint32_t at) {
  uint32_t n;
  if (sep)
    return text->n - at >= sep->n && memcmp(text->text + at, sep->text, sep->n) == 0 ? sep->n : 0;
  if ((text->text[at] & 0xc0) == 0x80)
    return 0;
  return hr_tpl_is_space(hr_utf8_read(text->text + at, text->text + text->n, &n)) ? n : 0;
}

/* The most pieces that there can be. */
static uint64_t count_pieces(const hr_tpl_value *text, const hr_tpl_value *sep, int64_t most) {
  uint64_t n = 1;
  for (uint32_t at = 0; at < text->n; ++at)
    n += separator_at(text, sep, at) != 0;
  return most >= 0 && (uint64_t)most < n ? (uint64_t)most + 1 : n;
}

/* Pieces between separators; sep 0: runs of white space. From the right with `right`; most < 0: all. */
static hr_tpl_value split_text(hr_tpl_machine *m, hr_tpl_value text, const hr_tpl_value *sep, int64_t most,
                               bool right) {
  hr_tpl_value *items = hr_tpl_take_values(m, count_pieces(&text, sep, most));
  uint32_t n = 0;
  if (!items)
    return hr_tpl_list(0, 0);
  for (;; ++n) {
    hr_tpl_work(m, 1);
    if (!sep)
      text = hr_tpl_strip(m, &text, 0, right ? HR_TPL_RIGHT : HR_TPL_LEFT);
    if (m->status || (!sep && !text.n))
      break;
    uint32_t cut = 0, width = 0;
    for (uint32_t i = 0; most != 0 && i < text.n && !width; ++i) {
      cut = right ? text.n - 1 - i : i;
      width = separator_at(&text, sep, cut);
    }
    if (!width) {
      items[n++] = text;
      break;
    }
    hr_tpl_value before = hr_tpl_string(text.text, cut);
    hr_tpl_value after = hr_tpl_string(text.text + cut + width, text.n - cut - width);
    items[n] = right ? after : before;
    text = right ? before : after;
    most -= most > 0;
    hr_tpl_work(m, cut / 16);
  }
  for (uint32_t i = 0; right && i < n / 2; ++i) {
    hr_tpl_value swap = items[i];
    items[i] = items[n - 1 - i];
    items[n - 1 - i] = swap;
  }
  return hr_tpl_list(items, n);
}

static hr_tpl_value split_method(hr_tpl_machine *m, const hr_tpl_value *self, bool right, const hr_tpl_args *args) {
  const hr_tpl_value *sep = argument(args, 0, "sep");
  int64_t most = int_argument(m, argument(args, 1, "maxsplit"), -1);
  if (sep && sep->type == HR_T_NONE)
    sep = 0;
  if (sep && needs_text(m, sep) && !sep->n)
    hr_tpl_fail_text(m, "empty separator");
  return m->status ? hr_tpl_list(0, 0) : split_text(m, *self, sep, most, right);
}

static hr_tpl_value partition_method(hr_tpl_machine *m, const hr_tpl_value *self, const hr_tpl_value *sep, bool right) {
  hr_tpl_value *items = hr_tpl_take_values(m, 3);
  if (!items || !needs_text(m, sep) || !sep->n) {
    hr_tpl_fail_text(m, "empty separator");
    return *self;
  }
  hr_tpl_value pieces = split_text(m, *self, sep, 1, right), tuple = hr_tpl_list(items, 3);
  tuple.type = HR_T_TUPLE;
  for (int i = 0; i < 3; ++i)
    items[i] = hr_tpl_string("", 0);
  if (pieces.n < 2) {
    items[right ? 2 : 0] = *self;
    return tuple;
  }
  items[0] = pieces.items[0];
  items[1] = *sep;
  items[2] = pieces.items[1];
  return tuple;
}

static bool begins_or_ends(const hr_tpl_value *text, const hr_tpl_value *part, bool begins) {
  return part->n <= text->n && memcmp(text->text + (begins ? 0 : text->n - part->n), part->text, part->n) == 0;
}

static bool with_any(hr_tpl_machine *m, const hr_tpl_value *self, const hr_tpl_value *part, bool begins) {
  if (part->type != HR_T_TUPLE)
    return needs_text(m, part) && begins_or_ends(self, part, begins);
  for (uint32_t i = 0; i < part->n; ++i)
    if (needs_text(m, &part->items[i]) && begins_or_ends(self, &part->items[i], begins))
      return true;
  return false;
}

/* find, rfind, index, rindex, count in the slice that the arguments give. */
static hr_tpl_value find_method(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method, const hr_tpl_args *args) {
  hr_tpl_value bounds[3] = {hr_tpl_plain(HR_T_ABSENT), hr_tpl_plain(HR_T_ABSENT), hr_tpl_plain(HR_T_ABSENT)};
  const hr_tpl_value *part = &args->values[0];
  if (!needs_text(m, part))
    return hr_tpl_int(0);
  for (uint32_t i = 1; i < args->n && i < 3; ++i)
    bounds[i - 1] = args->values[i];
  hr_tpl_value text = hr_tpl_slice(m, self, bounds), empty = hr_tpl_string("", 0);
  if (m->status)
    return text;
  uint32_t skipped = text.n ? (uint32_t)(text.text - self->text) : 0, found = UINT32_MAX, at = 0;
  int64_t count = 0;
  bool last = method == HR_TPL_M_rfind || method == HR_TPL_M_rindex;
  if (method == HR_TPL_M_count && !part->n)
    return hr_tpl_int(hr_tpl_characters(&text) + 1);
  while (!m->status && (at = hr_tpl_find(m, &text, part, at)) != UINT32_MAX) {
    found = last || found == UINT32_MAX ? at : found;
    at += part->n && !last ? part->n : 1;
    ++count;
    if ((method == HR_TPL_M_find || method == HR_TPL_M_index) || at > text.n)
      break;
  }
  if (method == HR_TPL_M_count)
    return hr_tpl_int(count);
  if (found == UINT32_MAX && (method == HR_TPL_M_index || method == HR_TPL_M_rindex))
    hr_tpl_fail_text(m, "substring not found");
  if (found == UINT32_MAX)
    return hr_tpl_int(-1);
  empty = hr_tpl_string(self->text, skipped + found);
  return hr_tpl_int(hr_tpl_characters(&empty));
}

static hr_tpl_value join_method(hr_tpl_machine *m, const hr_tpl_value *self, const hr_tpl_value *over) {
  hr_tpl_sequence sequence;
  size_t mark = m->used;
  if (!hr_tpl_sequence_of(m, over, &sequence))
    return *self;
  for (uint32_t i = 0; i < sequence.n && !m->status; ++i) {
    hr_tpl_value element = hr_tpl_element(&sequence, i);
    if (i)
      hr_tpl_put(m, self->text, self->n);
    if (needs_text(m, &element) && self->marked)
      element = hr_tpl_escaped(m, &element);
    if (!m->status)
      hr_tpl_put(m, element.text, element.n);
  }
  return hr_tpl_taken(m, mark);
}

static hr_tpl_value pad_method(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method, const hr_tpl_args *args) {
  hr_tpl_value space = hr_tpl_string(method == HR_TPL_M_zfill ? "0" : " ", 1);
  const hr_tpl_value *fill = args->n > 1 ? &args->values[1] : &space;
  int64_t width = int_argument(m, &args->values[0], 0), n = hr_tpl_characters(self), gap = width > n ? width - n : 0;
  size_t mark = m->used;
  if (!needs_text(m, fill) || hr_tpl_characters(fill) != 1) {
    hr_tpl_fail_text(m, "The fill character must be exactly one character long");
    return *self;
  }
  uint32_t sign = method == HR_TPL_M_zfill && self->n && (self->text[0] == '-' || self->text[0] == '+');
  int64_t before = method == HR_TPL_M_ljust ? 0 : method == HR_TPL_M_center ? (gap >> 1) + (gap & width & 1) : gap;
  hr_tpl_put(m, self->text, sign);
  hr_tpl_put_repeated(m, fill->text, fill->n, (uint64_t)before);
  hr_tpl_put(m, self->text + sign, self->n - sign);
  hr_tpl_put_repeated(m, fill->text, fill->n, (uint64_t)(gap - before));
  return hr_tpl_taken(m, mark);
}

static bool is_kind(const hr_tpl_value *self, uint32_t method) {
  const uint8_t *at = self->text, *end = at + self->n;
  if (at == end)
    return method == HR_TPL_M_isascii;
  while (at < end) {
    uint32_t n, c = hr_utf8_read(at, end, &n);
    bool digit = c >= '0' && c <= '9', letter = hr_tpl_is_letter(c);
    at += n;
    if (!(method == HR_TPL_M_isascii   ? c < 0x80
          : method == HR_TPL_M_isspace ? hr_tpl_is_space(c)
          : method == HR_TPL_M_isalpha ? letter
          : method == HR_TPL_M_isalnum ? letter || digit
                                       : digit))
      return false;
  }
  return true;
}

static hr_tpl_value call_without(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method) {
  switch ((enum hr_tpl_method)method) {
  case HR_TPL_M_capitalize:
    return hr_tpl_cased(m, self, HR_TPL_CAPITALIZE);
  case HR_TPL_M_casefold:
    return hr_tpl_cased(m, self, HR_TPL_FOLD);
  case HR_TPL_M_lower:
    return hr_tpl_cased(m, self, HR_TPL_LOWER);
  case HR_TPL_M_upper:
    return hr_tpl_cased(m, self, HR_TPL_UPPER);
  case HR_TPL_M_title:
    return hr_tpl_cased(m, self, HR_TPL_TITLE);
  case HR_TPL_M_swapcase:
    return hr_tpl_cased(m, self, HR_TPL_SWAP);
  case HR_TPL_M_islower:
    return hr_tpl_bool(hr_tpl_is_cased(m, self, HR_TPL_LOWER));
  case HR_TPL_M_isupper:
    return hr_tpl_bool(hr_tpl_is_cased(m, self, HR_TPL_UPPER));
  case HR_TPL_M_istitle:
    return hr_tpl_bool(hr_tpl_is_cased(m, self, HR_TPL_TITLE));
  default:
    return hr_tpl_bool(is_kind(self, method));
  }
}

static hr_tpl_value call_with_text(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method,
                                   const hr_tpl_args *args) {
  const hr_tpl_value *first = &args->values[0];
  bool prefix = method == HR_TPL_M_removeprefix;
  switch ((enum hr_tpl_method)method) {
  case HR_TPL_M_startswith:
  case HR_TPL_M_endswith:
    if (args->n > 1)
      hr_tpl_fail_text(m, "startswith and endswith with bounds are not supported");
    return hr_tpl_bool(with_any(m, self, first, method == HR_TPL_M_startswith));
  case HR_TPL_M_join:
    return join_method(m, self, first);
  case HR_TPL_M_partition:
  case HR_TPL_M_rpartition:
    return partition_method(m, self, first, method == HR_TPL_M_rpartition);
  case HR_TPL_M_removeprefix:
  case HR_TPL_M_removesuffix:
    if (!needs_text(m, first) || !begins_or_ends(self, first, prefix))
      return *self;
    return hr_tpl_string(self->text + (prefix ? first->n : 0), self->n - first->n);
  case HR_TPL_M_replace:
    if (args->n < 2 || !needs_text(m, first) || !needs_text(m, &args->values[1])) {
      takes(m, args, 2, 1);
      return *self;
    }
    return hr_tpl_replace(m, self, first, &args->values[1], int_argument(m, argument(args, 2, "count"), -1));
  case HR_TPL_M_count:
  case HR_TPL_M_find:
  case HR_TPL_M_rfind:
  case HR_TPL_M_index:
  case HR_TPL_M_rindex:
    return find_method(m, self, method, args);
  default:
    return pad_method(m, self, method, args);
  }
}

static hr_tpl_value method_of_text(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method,
                                   const hr_tpl_args *args) {
  size_t mark = m->used;
  const hr_tpl_value *first = argument(args, 0, "keepends");
  hr_tpl_work(m, self->n / 16);
  switch ((enum hr_tpl_method)method) {
  case HR_TPL_M_format:
    hr_tpl_format_braces(m, self, args->values, args->n, args->named, args->pairs);
    return hr_tpl_taken(m, mark);
  case HR_TPL_M_split:
  case HR_TPL_M_rsplit:
    return takes(m, args, 0, 2) ? split_method(m, self, method == HR_TPL_M_rsplit, args) : *self;
  case HR_TPL_M_splitlines:
    return takes(m, args, 0, 1) ? hr_tpl_split_lines(m, self, first && hr_tpl_truth(first)) : *self;
  case HR_TPL_M_strip:
  case HR_TPL_M_lstrip:
  case HR_TPL_M_rstrip:
    if (!takes(m, args, 0, 1) || args->pairs > args->n)
      return *self;
    return hr_tpl_strip(m, self, args->n ? first : 0,
                        (method != HR_TPL_M_rstrip ? HR_TPL_LEFT : 0) | (method != HR_TPL_M_lstrip ? HR_TPL_RIGHT : 0));
  case HR_TPL_M_capitalize:
  case HR_TPL_M_casefold:
  case HR_TPL_M_lower:
  case HR_TPL_M_upper:
  case HR_TPL_M_title:
  case HR_TPL_M_swapcase:
    return takes(m, args, 0, 0) ? call_without(m, self, method) : *self;
  default:
    if (method >= HR_TPL_M_isalnum && method <= HR_TPL_M_isupper)
      return takes(m, args, 0, 0) ? call_without(m, self, method) : *self;
    return takes(m, args, 1, 3) && args->n ? call_with_text(m, self, method, args) : *self;
  }
}

/* What comes of a safe string is safe. */
static hr_tpl_value call_text(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method, const hr_tpl_args *args) {
  hr_tpl_value replaced[2];
  hr_tpl_args escaped = {replaced, 2, args->named, args->pairs};
  if (self->marked && method == HR_TPL_M_format)
    hr_tpl_fail_text(m, "format of a safe string is not supported");
  if (self->marked && method == HR_TPL_M_replace && args->n == 2 && args->values[1].type == HR_T_STRING) {
    replaced[0] = args->values[0];
    replaced[1] = hr_tpl_escaped(m, &args->values[1]);
    args = &escaped;
  }
  if (m->status)
    return *self;
  hr_tpl_value result = method_of_text(m, self, method, args);
  bool texts = hr_tpl_is_list(&result);
  if (!self->marked || m->status)
    return result;
  result.marked = result.type == HR_T_STRING;
  for (uint32_t i = 0; texts && i < result.n; ++i)
    result.items[i].marked = 1;
  return result;
}

/* ---- methods of others ---- */
static hr_tpl_value call_dict(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method, const hr_tpl_args *args) {
  bool get = method == HR_TPL_M_get;
  if (args->pairs || !takes(m, args, get, get ? 2 : 0))
    return *self;
  if (method == HR_TPL_M_copy)
    return *self; /* nothing can tell */
  if (!get)
    return hr_tpl_dict_view(m, self->dict, (enum hr_tpl_method)method);
  const hr_tpl_value *found = hr_tpl_dict_get(m, self->dict, &args->values[0]);
  return found ? *found : args->n > 1 ? args->values[1] : hr_tpl_plain(HR_T_NONE);
}

static hr_tpl_value call_list(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method, const hr_tpl_args *args) {
  hr_tpl_sequence sequence;
  int64_t count = 0;
  if (method == HR_TPL_M_copy)
    return *self;
  if (!takes(m, args, 1, 1) || !args->n || !hr_tpl_sequence_of(m, self, &sequence))
    return *self;
  for (uint32_t i = 0; i < sequence.n && !m->status; ++i) {
    hr_tpl_value element = hr_tpl_element(&sequence, i);
    if (!hr_tpl_equal(m, &element, &args->values[0]))
      continue;
    if (method == HR_TPL_M_index)
      return hr_tpl_int(i);
    ++count;
  }
  if (method == HR_TPL_M_index)
    hr_tpl_fail_text(m, "the value is not in the list");
  return hr_tpl_int(count);
}

static hr_tpl_value call_loop(hr_tpl_machine *m, hr_tpl_loop *loop, uint32_t method, const hr_tpl_args *args) {
  if (method == HR_TPL_M_cycle) {
    if (!args->n)
      hr_tpl_fail_text(m, "no items for cycling given");
    return args->n ? args->values[(loop->next - 1) % args->n] : hr_tpl_plain(HR_T_NONE);
  }
  hr_tpl_value now = make_cursor(m, HR_T_GENERATOR, args->values, args->n);
  if (m->status)
    return now;
  now = hr_tpl_list(now.cursor->items, now.cursor->n);
  bool changed = !hr_tpl_equal(m, &loop->changed, &now);
  loop->changed = now;
  return hr_tpl_bool(changed);
}

hr_tpl_value hr_tpl_call_method(hr_tpl_machine *m, const hr_tpl_value *self, uint32_t method, const hr_tpl_args *args) {
  switch ((enum hr_tpl_type)self->type) {
  case HR_T_STRING:
    return call_text(m, self, method, args);
  case HR_T_DICT:
    return call_dict(m, self, method, args);
  case HR_T_LOOP:
    return call_loop(m, self->loop, method, args);
  case HR_T_CYCLER: {
    hr_tpl_value current = self->cursor->items[self->cursor->at];
    self->cursor->at = method == HR_TPL_M_reset ? 0 : (self->cursor->at + 1) % self->cursor->n;
    return method == HR_TPL_M_reset ? hr_tpl_plain(HR_T_NONE) : current;
  }
  default:
    return call_list(m, self, method, args);
  }
}

static const char *const method_names[] = {
#define HR_TPL_TEXT_OF(name) #name,
    HR_TPL_METHODS(HR_TPL_TEXT_OF)
#undef HR_TPL_TEXT_OF
};

uint32_t hr_tpl_method_named(const hr_tpl_value *name) {
  for (uint32_t i = 0; i < sizeof method_names / sizeof *method_names; ++i)
    if (text_is(name, method_names[i]))
      return i + 1;
  return HR_TPL_M_none;
}

HR_SMALL_END
