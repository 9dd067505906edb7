/* hr_template.c - the chat template: the check of its section, and one render. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

static const uint8_t tpl_element_bytes[HR_TPL_PART_COUNT] = {
    [HR_TPL_CODE] = 4,
    [HR_TPL_LINES] = sizeof(hr_tpl_line),
    [HR_TPL_CONSTANTS] = sizeof(hr_tpl_constant),
    [HR_TPL_NAMES] = sizeof(hr_tpl_name),
    [HR_TPL_MACROS] = sizeof(hr_tpl_macro),
    [HR_TPL_PARAMS] = 4,
    [HR_TPL_DEFAULTS] = sizeof(hr_tpl_default),
    [HR_TPL_CASES] = sizeof(hr_tpl_case),
    [HR_TPL_SPECIALS] = sizeof(hr_tpl_special),
    [HR_TPL_KINDS] = 4,
    [HR_TPL_STRINGS] = 1,
};

static bool range_fits(uint32_t from, uint32_t n, uint32_t count) { return from <= count && n <= count - from; }

static bool parts_fit(const hr_tpl_header *h) {
  for (int i = 0; i < HR_TPL_PART_COUNT; ++i) {
    const hr_tpl_span *p = &h->parts[i];
    if (p->offset % 4 || p->offset < sizeof *h || p->offset > h->bytes)
      return false;
    if (p->count > (h->bytes - p->offset) / tpl_element_bytes[i])
      return false;
  }
  return true;
}

/* Whether an instruction's operand names something that is there. */
static bool word_fits(const hr_tpl_header *h, uint32_t word, uint32_t at) {
  uint32_t n = word >> 8, low = n & 0xffu;
  switch ((enum hr_tpl_op)(word & 0xffu)) {
  case HR_TPL_OP_TEXT:
  case HR_TPL_OP_CONST:
    return n < h->parts[HR_TPL_CONSTANTS].count;
  case HR_TPL_OP_LOAD:
  case HR_TPL_OP_STORE:
  case HR_TPL_OP_SET_ATTRIBUTE:
  case HR_TPL_OP_ATTRIBUTE:
    return n < h->parts[HR_TPL_NAMES].count;
  case HR_TPL_OP_BINARY:
    return n < HR_TPL_BINARY_COUNT;
  case HR_TPL_OP_CHAIN:
    return n >= HR_TPL_EQ && n < HR_TPL_BINARY_COUNT;
  case HR_TPL_OP_FILTER:
    return low < HR_TPL_FILTER_COUNT && n >> 8 >= 1;
  case HR_TPL_OP_TEST:
    return low < HR_TPL_TEST_COUNT && n >> 8 >= 1;
  case HR_TPL_OP_MACRO:
    return n < h->parts[HR_TPL_MACROS].count;
  case HR_TPL_OP_JUMP:
  case HR_TPL_OP_IF_FALSE:
  case HR_TPL_OP_FALSE_OR_POP:
  case HR_TPL_OP_TRUE_OR_POP:
  case HR_TPL_OP_NEXT:
  case HR_TPL_OP_LOOP_NEXT:
    return n < h->parts[HR_TPL_CODE].count;
  case HR_TPL_OP_IF_UNBOUND:
    return n < h->parts[HR_TPL_CODE].count && at + 1 < h->parts[HR_TPL_CODE].count;
  default:
    return (word & 0xffu) < HR_TPL_OP_COUNT;
  }
}

/* The last word does not lead on, so the machine cannot run out of the code. */
static bool code_fits(const hr_tpl_header *h, const uint32_t *code) {
  uint32_t n = h->parts[HR_TPL_CODE].count;
  for (uint32_t i = 0; i < n; ++i) {
    if (!word_fits(h, code[i], i))
      return false;
    if ((code[i] & 0xffu) == HR_TPL_OP_IF_UNBOUND && (code[i + 1] & 0xffu) != HR_TPL_OP_LOAD)
      return false;
  }
  uint32_t last = n ? code[n - 1] & 0xffu : HR_TPL_OP_COUNT;
  return last == HR_TPL_OP_END || last == HR_TPL_OP_RETURN;
}

static bool constants_fit(const hr_tpl_header *h, const hr_tpl_constant *constants) {
  for (uint32_t i = 0; i < h->parts[HR_TPL_CONSTANTS].count; ++i) {
    const hr_tpl_constant *c = &constants[i];
    if (c->kind > HR_TPL_ABSENT)
      return false;
    if (c->kind == HR_TPL_STRING && !range_fits(c->a, c->b, h->parts[HR_TPL_STRINGS].count))
      return false;
  }
  return true;
}

static bool names_fit(const hr_tpl_header *h, const hr_tpl_name *names) {
  for (uint32_t i = 0; i < h->parts[HR_TPL_NAMES].count; ++i)
    if (!range_fits(names[i].text, names[i].bytes, h->parts[HR_TPL_STRINGS].count) ||
        names[i].function >= HR_TPL_F_COUNT || names[i].method >= HR_TPL_M_COUNT)
      return false;
  return true;
}

static bool macros_fit(const hr_tpl_header *h, const hr_tpl_macro *macros, const uint32_t *params) {
  uint32_t names = h->parts[HR_TPL_NAMES].count;
  for (uint32_t i = 0; i < h->parts[HR_TPL_PARAMS].count; ++i)
    if (params[i] >= names)
      return false;
  for (uint32_t i = 0; i < h->parts[HR_TPL_MACROS].count; ++i) {
    const hr_tpl_macro *m = &macros[i];
    if ((m->name != HR_TPL_NO_NAME && m->name >= names) || m->code >= h->parts[HR_TPL_CODE].count || m->flags > 7 ||
        m->params > 255)
      return false;
    uint32_t flagged = (m->flags & 1) + (m->flags >> 1 & 1) + (m->flags >> 2);
    if (!range_fits(m->first_param, m->params + flagged, h->parts[HR_TPL_PARAMS].count))
      return false;
  }
  return true;
}

static bool defaults_fit(const hr_tpl_header *h, const hr_tpl_default *defaults) {
  for (uint32_t i = 0; i < h->parts[HR_TPL_DEFAULTS].count; ++i)
    if (defaults[i].name >= h->parts[HR_TPL_NAMES].count || defaults[i].constant >= h->parts[HR_TPL_CONSTANTS].count)
      return false;
  return true;
}

static bool specials_fit(const hr_tpl_header *h, const hr_tpl_special *specials) {
  for (uint32_t i = 0; i < h->parts[HR_TPL_SPECIALS].count; ++i)
    for (uint32_t way = 0; way < 4; ++way)
      if (!range_fits(specials[i].to[way] >> 8, specials[i].to[way] & 0xffu, h->parts[HR_TPL_STRINGS].count))
        return false;
  return true;
}

hr_status hr_template_open(hr_template *chat_template, const void *section, size_t bytes) {
  if (!chat_template || !section)
    return HR_INVALID_ARGUMENT;
  const uint8_t *data = section;
  const hr_tpl_header *h = section;
  if ((uintptr_t)section % 4 || bytes < sizeof *h || h->magic != HR_TPL_MAGIC || h->version != HR_TPL_VERSION ||
      h->bytes != bytes || bytes > HR_TPL_MAX_BYTES || h->reserved || !parts_fit(h))
    return HR_BAD_BUNDLE;
#define PART(name) ((const void *)(data + h->parts[name].offset))
  if (!code_fits(h, PART(HR_TPL_CODE)) || !constants_fit(h, PART(HR_TPL_CONSTANTS)) ||
      !names_fit(h, PART(HR_TPL_NAMES)) || !macros_fit(h, PART(HR_TPL_MACROS), PART(HR_TPL_PARAMS)) ||
      !defaults_fit(h, PART(HR_TPL_DEFAULTS)) || !specials_fit(h, PART(HR_TPL_SPECIALS)))
    return HR_BAD_BUNDLE;
#undef PART
  *chat_template = (hr_template){data, bytes};
  return HR_OK;
}

/* ---- errors and memory ---- */
static uint32_t line_of(const hr_tpl_machine *m) {
  const hr_tpl_line *lines = hr_tpl_part_of(m, HR_TPL_LINES);
  uint32_t line = 0;
  for (uint32_t i = 0; i < hr_tpl_count_of(m, HR_TPL_LINES) && lines[i].code <= m->pc; ++i)
    line = lines[i].line;
  return line;
}

void hr_tpl_fail(hr_tpl_machine *m, const char *before, const void *text, size_t n, const char *after) {
  if (m->status)
    return;
  m->status = HR_TEMPLATE_ERROR;
  size_t used = 0;
  for (const char *p = before; *p && used < HR_TPL_MESSAGE; ++p)
    m->message[used++] = *p;
  for (size_t i = 0; i < n && used < HR_TPL_MESSAGE; ++i)
    m->message[used++] = ((const char *)text)[i];
  for (const char *p = after; *p && used < HR_TPL_MESSAGE; ++p)
    m->message[used++] = *p;
  m->error = (hr_render_error){line_of(m), 0, 0, m->message, hr_utf8_valid((const uint8_t *)m->message, used)};
}

void hr_tpl_fail_text(hr_tpl_machine *m, const char *message) { hr_tpl_fail(m, message, "", 0, ""); }

void hr_tpl_fail_value(hr_tpl_machine *m, const char *before, const hr_tpl_value *type_of, const char *after) {
  if (type_of->type == HR_T_UNDEFINED) {
    hr_tpl_fail_undefined(m, type_of);
    return;
  }
  const char *name = hr_tpl_type_name(type_of);
  size_t n = 0;
  while (name[n])
    ++n;
  hr_tpl_fail(m, before, name, n, after);
}

static void out_of_memory(hr_tpl_machine *m, uint32_t which, const char *message) {
  if (m->status)
    return;
  hr_tpl_fail_text(m, message);
  m->status = HR_OUT_OF_MEMORY;
  m->error.out_of = which;
}

void hr_tpl_work(hr_tpl_machine *m, uint64_t steps) {
  if (m->steps >= steps) {
    m->steps -= steps;
    return;
  }
  m->steps = 0;
  hr_tpl_fail_text(m, "the template does not come to an end: it has taken all the steps that it may");
}

void *hr_tpl_take(hr_tpl_machine *m, uint64_t bytes) {
  hr_tpl_work(m, 1 + bytes / 64);
  if (m->status)
    return 0;
  size_t skip = (size_t)(-(uintptr_t)m->at & 7u), room = (size_t)(m->end - m->at);
  if (skip > room || bytes > room - skip) {
    out_of_memory(m, HR_OUT_OF_SCRATCH, "the template needs more memory than it was given");
    return 0;
  }
  void *taken = m->at + skip;
  m->at += skip + (size_t)bytes;
  return taken;
}

hr_tpl_value *hr_tpl_take_values(hr_tpl_machine *m, uint64_t count) {
  hr_tpl_value *values = hr_tpl_take(m, count * sizeof *values);
  for (uint64_t i = 0; values && i < count; ++i)
    values[i] = hr_tpl_plain(HR_T_UNDEFINED);
  return values;
}

void hr_tpl_put(hr_tpl_machine *m, const void *text, size_t n) {
  hr_tpl_work(m, 1 + n / 64);
  if (m->status || !n)
    return;
  if (n > m->capacity - m->used) {
    out_of_memory(m, HR_OUT_OF_TEXT, "the text does not fit into the memory for it");
    return;
  }
  memcpy(m->text + m->used, text, n);
  m->used += n;
}

void hr_tpl_put_text(hr_tpl_machine *m, const char *text) {
  size_t n = 0;
  while (text[n])
    ++n;
  hr_tpl_put(m, text, n);
}

void hr_tpl_put_code(hr_tpl_machine *m, uint32_t code) {
  uint8_t bytes[4];
  hr_tpl_put(m, bytes, hr_utf8_write(bytes, code));
}

void hr_tpl_put_repeated(hr_tpl_machine *m, const void *text, size_t n, uint64_t times) {
  for (uint64_t i = 0; i < times && n && !m->status; ++i)
    hr_tpl_put(m, text, n);
}

hr_tpl_value hr_tpl_taken(hr_tpl_machine *m, size_t mark) {
  if (mark > m->used)
    mark = m->used;
  size_t n = m->used - mark;
  hr_tpl_work(m, n / 64);
  if (m->status || !n)
    return hr_tpl_string("", 0);
  if (n > (size_t)(m->end - m->at) || n > UINT32_MAX) {
    out_of_memory(m, HR_OUT_OF_SCRATCH, "the template needs more memory than it was given");
    return hr_tpl_string("", 0);
  }
  uint8_t *text = m->at;
  memcpy(text, m->text + mark, n);
  m->at += n;
  m->used = mark;
  return hr_tpl_string(text, n);
}

/* ---- a render ---- */
static void make_constants(hr_tpl_machine *m) {
  uint32_t n = hr_tpl_count_of(m, HR_TPL_CONSTANTS);
  const hr_tpl_constant *c = hr_tpl_part_of(m, HR_TPL_CONSTANTS);
  const uint8_t *strings = hr_tpl_part_of(m, HR_TPL_STRINGS);
  m->constants = hr_tpl_take_values(m, n);
  for (uint32_t i = 0; m->constants && i < n; ++i, ++c) {
    uint64_t bits = (uint64_t)c->b << 32 | c->a;
    switch ((enum hr_tpl_constant_kind)c->kind) {
    case HR_TPL_NONE:
      m->constants[i] = hr_tpl_plain(HR_T_NONE);
      break;
    case HR_TPL_BOOL:
      m->constants[i] = hr_tpl_bool(c->a & 1u);
      break;
    case HR_TPL_INT:
      m->constants[i] = hr_tpl_int((int64_t)bits);
      break;
    case HR_TPL_FLOAT:
      m->constants[i] = hr_tpl_float(bits);
      break;
    case HR_TPL_STRING:
      m->constants[i] = hr_tpl_string(strings + c->a, c->b);
      break;
    default:
      m->constants[i] = hr_tpl_plain(HR_T_ABSENT);
    }
  }
}

/* Values of names: from the context, else from the section. */
static void make_context(hr_tpl_machine *m, const hr_tpl_dict *dict) {
  uint32_t n = hr_tpl_count_of(m, HR_TPL_NAMES);
  const hr_tpl_name *names = hr_tpl_part_of(m, HR_TPL_NAMES);
  const uint8_t *strings = hr_tpl_part_of(m, HR_TPL_STRINGS);
  const hr_tpl_default *defaults = hr_tpl_part_of(m, HR_TPL_DEFAULTS);
  m->context = hr_tpl_take_values(m, n);
  if (!m->context)
    return;
  for (uint32_t i = 0; i < n; ++i)
    m->context[i] = hr_tpl_plain(HR_T_ABSENT);
  for (uint32_t i = 0; i < hr_tpl_count_of(m, HR_TPL_DEFAULTS); ++i)
    m->context[defaults[i].name] = m->constants[defaults[i].constant];
  for (uint32_t i = 0; i < n && !m->status; ++i) {
    hr_tpl_work(m, dict->n);
    const hr_tpl_value *found = hr_tpl_dict_find(dict, strings + names[i].text, names[i].bytes);
    if (found)
      m->context[i] = *found;
  }
}

/* The context's "now", else the request's. One that is no string is an error, but only of templates that ask. */
static void find_now(hr_tpl_machine *m, const hr_tpl_dict *dict, const char *given) {
  m->now = given;
  const hr_tpl_value *found = hr_tpl_dict_find(dict, "now", 3);
  if (!found || found->type == HR_T_NONE)
    return;
  if (found->type != HR_T_STRING) {
    m->now = hr_tpl_type_name(found);
    return;
  }
  char *now = hr_tpl_take(m, (uint64_t)found->n + 1);
  if (!now)
    return;
  memcpy(now, found->text, found->n);
  now[found->n] = 0;
  m->now = now;
}

static void render(hr_tpl_machine *m, const hr_render_request *r) {
  if (hr_utf8_valid((const uint8_t *)r->context, r->context_bytes) != r->context_bytes) {
    hr_tpl_fail_text(m, "context: expected UTF-8");
    m->status = HR_BAD_TEXT;
    return;
  }
  hr_tpl_value context = hr_tpl_json_read(m, (const uint8_t *)r->context, r->context_bytes);
  if (!m->status && context.type != HR_T_DICT)
    hr_tpl_fail_text(m, "context: expected a JSON object");
  if (m->status) {
    m->error.line = 0;
    if (m->status == HR_TEMPLATE_ERROR)
      m->status = HR_INVALID_ARGUMENT;
    return;
  }
  make_constants(m);
  if (!m->status)
    make_context(m, context.dict);
  find_now(m, context.dict, r->now);
  if (!m->status)
    hr_tpl_run(m);
}

size_t hr_render_scratch(size_t context_bytes) {
  size_t fixed = sizeof(hr_tpl_machine) + (size_t)(256u << 10);
  return context_bytes > (SIZE_MAX - fixed) / 16 ? SIZE_MAX : fixed + 16 * context_bytes;
}

hr_status hr_render(const hr_template *chat_template, const hr_render_request *request, size_t *bytes,
                    hr_render_error *error) {
  static const char small[] = "the template needs more memory than it was given";
  if (error)
    *error = (hr_render_error){0, 0, 0, "", 0};
  if (bytes)
    *bytes = 0;
  if (!chat_template || !chat_template->data || !request || !bytes || (!request->context && request->context_bytes) ||
      (!request->text && request->capacity) || (!request->scratch && request->scratch_bytes))
    return HR_INVALID_ARGUMENT;
  size_t skip = (size_t)(-(uintptr_t)request->scratch & 7u);
  if (request->scratch_bytes < skip + sizeof(hr_tpl_machine)) {
    if (error)
      *error = (hr_render_error){0, 0, HR_OUT_OF_SCRATCH, small, sizeof small - 1};
    return HR_OUT_OF_MEMORY;
  }
  hr_tpl_machine *m = (hr_tpl_machine *)(void *)((uint8_t *)request->scratch + skip);
  memset(m, 0, sizeof *m);
  m->data = chat_template->data;
  m->header = (const hr_tpl_header *)(const void *)chat_template->data;
  m->at = (uint8_t *)(m + 1);
  m->end = (uint8_t *)request->scratch + request->scratch_bytes;
  m->text = (uint8_t *)request->text;
  m->capacity = request->capacity;
  m->steps = request->max_steps ? request->max_steps : HR_RENDER_STEPS;
  render(m, request);
  if (m->status) {
    if (error)
      *error = m->error;
    return m->status;
  }
  *bytes = m->used;
  return HR_OK;
}

HR_SMALL_END
