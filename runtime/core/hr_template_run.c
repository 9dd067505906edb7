/* hr_template_run.c - the stack machine that a template's code runs on, without recursion in C. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

static hr_tpl_value damaged(hr_tpl_machine *m) {
  hr_tpl_fail_text(m, "the template's code is damaged");
  return hr_tpl_plain(HR_T_NONE);
}

static void push(hr_tpl_machine *m, hr_tpl_value v) {
  if (m->depth < HR_TPL_STACK)
    m->stack[m->depth++] = v;
  else
    hr_tpl_fail_text(m, "an expression is nested too deeply");
}

static hr_tpl_value pop(hr_tpl_machine *m) { return m->depth ? m->stack[--m->depth] : damaged(m); }

/* The top `n` values; 0 when there are fewer. */
static hr_tpl_value *top(hr_tpl_machine *m, uint32_t n) {
  if (n <= m->depth)
    return &m->stack[m->depth - n];
  damaged(m);
  return 0;
}

/* ---- scopes ---- */
static hr_tpl_scope *scope_new(hr_tpl_machine *m, hr_tpl_scope *outer) {
  hr_tpl_scope *scope = hr_tpl_take(m, sizeof *scope);
  if (scope)
    *scope = (hr_tpl_scope){outer, 0, 0, 0};
  return scope;
}

static hr_tpl_variable *variable_in(const hr_tpl_scope *scope, uint32_t name) {
  hr_tpl_variable *v = scope->variables;
  while (v && v->name != name)
    v = v->next;
  return v;
}

void hr_tpl_bind(hr_tpl_machine *m, hr_tpl_scope *scope, uint32_t name, hr_tpl_value value) {
  hr_tpl_variable *v = variable_in(scope, name);
  if (!v) {
    v = scope->spare ? scope->spare : hr_tpl_take(m, sizeof *v);
    if (!v)
      return;
    if (v == scope->spare)
      scope->spare = v->next;
    v->next = scope->variables;
    v->name = name;
    scope->variables = v;
  }
  v->value = value;
}

static hr_tpl_value name_text(const hr_tpl_machine *m, uint32_t index) {
  const hr_tpl_name *name = (const hr_tpl_name *)hr_tpl_part_of(m, HR_TPL_NAMES) + index;
  return hr_tpl_string((const uint8_t *)hr_tpl_part_of(m, HR_TPL_STRINGS) + name->text, name->bytes);
}

static hr_tpl_value load(hr_tpl_machine *m, uint32_t index) {
  uint32_t looked = 0;
  for (const hr_tpl_scope *scope = m->scope; scope; scope = scope->outer, ++looked) {
    const hr_tpl_variable *v = variable_in(scope, index);
    if (v)
      return v->value;
  }
  hr_tpl_work(m, looked);
  if (m->context[index].type != HR_T_ABSENT)
    return m->context[index];
  const hr_tpl_name *name = (const hr_tpl_name *)hr_tpl_part_of(m, HR_TPL_NAMES) + index;
  hr_tpl_value text = name_text(m, index);
  if (!name->function)
    return hr_tpl_undefined(HR_TPL_MISSING_NAME, text.text, text.n, 0);
  hr_tpl_value function = hr_tpl_plain(HR_T_FUNCTION);
  function.sub = (uint8_t)name->function;
  return function;
}

static void store(hr_tpl_machine *m, uint32_t name) {
  hr_tpl_value value = pop(m), text = name_text(m, name);
  if (value.type == HR_T_ABSENT)
    value = hr_tpl_undefined(HR_TPL_MISSING_NAME, text.text, text.n, 0);
  hr_tpl_bind(m, m->scope, name, value);
}

static void set_attribute(hr_tpl_machine *m, uint32_t name) {
  hr_tpl_value space = pop(m), value = pop(m), text = name_text(m, name);
  if (space.type != HR_T_NAMESPACE)
    hr_tpl_fail_text(m, "cannot assign attribute on non-namespace object");
  else
    hr_tpl_dict_set(m, space.dict, &text, &value);
}

/* ---- loops ---- */
static void loop_begin(hr_tpl_machine *m) {
  hr_tpl_value over = pop(m), v = hr_tpl_plain(HR_T_LOOP);
  hr_tpl_loop *loop = hr_tpl_take(m, sizeof *loop);
  if (!loop)
    return;
  *loop = (hr_tpl_loop){.outer = m->loop, .changed = hr_tpl_plain(HR_T_ABSENT)};
  if (!hr_tpl_sequence_of(m, &over, &loop->over))
    return;
  v.loop = loop;
  m->loop = loop;
  push(m, v);
}

static hr_tpl_loop *loop_on_top(hr_tpl_machine *m) {
  const hr_tpl_value *v = top(m, 1);
  if (v && v->type == HR_T_LOOP && v->loop == m->loop)
    return v->loop;
  damaged(m);
  return 0;
}

/* Rounds share a scope, unless a macro of an earlier round may come back to it. */
static void loop_next(hr_tpl_machine *m, uint32_t end) {
  hr_tpl_loop *loop = loop_on_top(m);
  if (!loop)
    return;
  if (loop->next == loop->over.n) {
    m->pc = end;
    return;
  }
  hr_tpl_scope *scope = loop->scope;
  if (!scope || scope->held || scope->outer != m->scope) {
    scope = scope_new(m, m->scope);
  } else {
    while (scope->variables) {
      hr_tpl_variable *v = scope->variables;
      scope->variables = v->next;
      v->next = scope->spare;
      scope->spare = v;
    }
  }
  if (!scope)
    return;
  loop->scope = m->scope = scope;
  push(m, hr_tpl_element(&loop->over, loop->next++));
}

static void loop_end(hr_tpl_machine *m) {
  hr_tpl_loop *loop = loop_on_top(m);
  if (!loop)
    return;
  pop(m);
  m->loop = loop->outer;
  push(m, hr_tpl_bool(loop->done));
}

/* An iterator is a generator: what is left of it is what is to come. */
static void iterate(hr_tpl_machine *m) {
  hr_tpl_value over = pop(m), list = hr_tpl_list_of(m, &over);
  push(m, hr_tpl_generator(m, list.items, list.n));
}

static void next(hr_tpl_machine *m, uint32_t end) {
  const hr_tpl_value *v = top(m, 1);
  if (!v || v->type != HR_T_GENERATOR) {
    damaged(m);
  } else if (v->cursor->at == v->cursor->n) {
    pop(m);
    m->pc = end;
  } else {
    push(m, v->cursor->items[v->cursor->at++]);
  }
}

/* The list has room for what its iterator has. */
static void append_if(hr_tpl_machine *m) {
  hr_tpl_value *v = top(m, 4);
  if (!v)
    return;
  if (v[0].type != HR_T_LIST || v[1].type != HR_T_GENERATOR) {
    damaged(m);
    return;
  }
  if (hr_tpl_truth(&v[3])) {
    if (!v[0].n)
      v[0].items = hr_tpl_take_values(m, v[1].cursor->n);
    if (v[0].items && v[0].n < v[1].cursor->n)
      v[0].items[v[0].n++] = v[2];
  }
  m->depth -= 2;
}

static void unpack(hr_tpl_machine *m, uint32_t n) {
  hr_tpl_value v = pop(m);
  hr_tpl_sequence sequence;
  if (!hr_tpl_sequence_of(m, &v, &sequence))
    return;
  if (sequence.n != n) {
    hr_tpl_fail_text(m, sequence.n < n ? "not enough values to unpack" : "too many values to unpack");
    return;
  }
  while (n-- > 0)
    push(m, hr_tpl_element(&sequence, n));
}

/* ---- captures and calls ---- */
static void capture(hr_tpl_machine *m) {
  if (m->captures < HR_TPL_CAPTURES)
    m->capture[m->captures++] = m->used;
  else
    hr_tpl_fail_text(m, "too many blocks in blocks");
}

static void capture_end(hr_tpl_machine *m) {
  uint32_t least = m->calls ? m->call[m->calls - 1].captures : 0;
  if (m->captures > least)
    push(m, hr_tpl_taken(m, m->capture[--m->captures]));
  else
    damaged(m);
}

static const hr_tpl_macro *macro_at(const hr_tpl_machine *m, uint32_t index) {
  return (const hr_tpl_macro *)hr_tpl_part_of(m, HR_TPL_MACROS) + index;
}

static void make_macro(hr_tpl_machine *m, uint32_t index) {
  hr_tpl_value v = hr_tpl_plain(HR_T_MACRO);
  v.closure = hr_tpl_take(m, sizeof *v.closure);
  if (!v.closure)
    return;
  *v.closure = (hr_tpl_closure){index, m->scope};
  for (hr_tpl_scope *scope = m->scope; scope && !scope->held; scope = scope->outer)
    scope->held = 1;
  push(m, v);
}

/* A macro that the body's names ask for beyond its parameters: varargs, kwargs, caller. */
static void bind_rest(hr_tpl_machine *m, const hr_tpl_macro *macro, const uint32_t *names, hr_tpl_scope *scope,
                      const hr_tpl_args *args, const hr_tpl_value *rest) {
  if (macro->flags & HR_TPL_VARARGS) {
    uint32_t n = args->n > macro->params ? args->n - macro->params : 0;
    hr_tpl_value *items = hr_tpl_take_values(m, n);
    for (uint32_t i = 0; items && i < n; ++i)
      items[i] = args->values[macro->params + i];
    hr_tpl_value v = hr_tpl_list(items, items ? n : 0);
    v.type = HR_T_TUPLE;
    hr_tpl_bind(m, scope, *names++, v);
  }
  if (macro->flags & HR_TPL_KWARGS)
    hr_tpl_bind(m, scope, *names++, *rest);
  if (macro->flags & HR_TPL_CALLER) {
    const hr_tpl_value *caller = hr_tpl_named(args, "caller");
    hr_tpl_bind(m, scope, *names, caller ? *caller : hr_tpl_undefined(HR_TPL_MISSING_HINT, "No caller defined", 17, 0));
  }
}

/* Values and pairs of a call to the macro's names. */
static void bind_arguments(hr_tpl_machine *m, const hr_tpl_macro *macro, hr_tpl_scope *scope, const hr_tpl_args *args) {
  const uint32_t *params = (const uint32_t *)hr_tpl_part_of(m, HR_TPL_PARAMS) + macro->first_param;
  hr_tpl_value rest = hr_tpl_dict_new(m, 0, HR_T_DICT);
  if (args->n > macro->params && !(macro->flags & HR_TPL_VARARGS))
    hr_tpl_fail_text(m, "a macro is called with more arguments than it takes");
  for (uint32_t i = 0; i < macro->params && i < args->n; ++i)
    hr_tpl_bind(m, scope, params[i], args->values[i]);
  for (uint32_t i = 0; i < args->pairs && !m->status; ++i) {
    const hr_tpl_value *key = &args->named[2 * i];
    uint32_t p = 0;
    for (; p < macro->params; ++p) {
      hr_tpl_value name = name_text(m, params[p]);
      if (hr_tpl_equal(m, &name, key))
        break;
    }
    if (p < macro->params && p < args->n)
      hr_tpl_fail(m, "a macro got several values for its argument '", key->text, key->n, "'");
    else if (p < macro->params)
      hr_tpl_bind(m, scope, params[p], key[1]);
    else if ((macro->flags & HR_TPL_CALLER) && &key[1] == hr_tpl_named(args, "caller"))
      continue;
    else if (macro->flags & HR_TPL_KWARGS)
      hr_tpl_dict_set(m, rest.dict, key, &key[1]);
    else
      hr_tpl_fail(m, "a macro takes no keyword argument '", key->text, key->n, "'");
  }
  if (!m->status)
    bind_rest(m, macro, params + macro->params, scope, args, &rest);
}

static void call_macro(hr_tpl_machine *m, const hr_tpl_closure *closure, const hr_tpl_args *args, uint32_t depth) {
  const hr_tpl_macro *macro = macro_at(m, closure->macro);
  hr_tpl_scope *scope = scope_new(m, closure->scope);
  if (!scope)
    return;
  if (m->calls == HR_TPL_CALLS) {
    hr_tpl_fail_text(m, "macros call one another too deeply");
    return;
  }
  bind_arguments(m, macro, scope, args);
  m->call[m->calls++] = (hr_tpl_call){m->pc, m->captures, depth, m->used, m->scope, m->loop};
  m->scope = scope;
  m->loop = 0;
  m->depth = depth;
  m->pc = macro->code;
}

static void return_from(hr_tpl_machine *m) {
  if (!m->calls) {
    damaged(m);
    return;
  }
  const hr_tpl_call *call = &m->call[--m->calls];
  m->pc = call->back;
  m->captures = call->captures;
  m->depth = call->depth;
  m->scope = call->scope;
  m->loop = call->loop;
  push(m, hr_tpl_taken(m, call->mark));
}

static void call(hr_tpl_machine *m, uint32_t n, uint32_t pairs) {
  const hr_tpl_value *function = top(m, 1 + n + 2 * pairs);
  if (!function)
    return;
  hr_tpl_args args = {function + 1, n, function + 1 + n, pairs};
  uint32_t depth = m->depth - 1 - n - 2 * pairs;
  for (uint32_t i = 0; i < pairs; ++i)
    if (args.named[2 * i].type != HR_T_STRING) {
      damaged(m);
      return;
    }
  if (function->type == HR_T_MACRO) {
    call_macro(m, function->closure, &args, depth);
    return;
  }
  hr_tpl_value result = hr_tpl_plain(HR_T_NONE);
  if (function->type == HR_T_METHOD) {
    result = hr_tpl_call_method(m, function->cell, function->sub, &args);
  } else if (function->type == HR_T_FUNCTION) {
    result = hr_tpl_call_function(m, function->sub, &args);
  } else if (function->type == HR_T_JOINER) {
    hr_tpl_cursor *joiner = function->cursor;
    result = joiner->at ? joiner->items[0] : hr_tpl_string("", 0);
    joiner->at = 1;
  } else {
    hr_tpl_fail_value(m, "'", function, "' object is not callable");
  }
  m->depth = depth;
  push(m, result);
}

/* ---- instructions ---- */
static void make_list(hr_tpl_machine *m, uint32_t n, enum hr_tpl_type type) {
  const hr_tpl_value *values = top(m, n);
  hr_tpl_value *items = values ? hr_tpl_take_values(m, n) : 0;
  if (!items)
    return;
  for (uint32_t i = 0; i < n; ++i)
    items[i] = values[i];
  m->depth -= n;
  hr_tpl_value v = hr_tpl_list(items, n);
  v.type = (uint8_t)type;
  push(m, v);
}

static void make_dict(hr_tpl_machine *m, uint32_t n) {
  const hr_tpl_value *values = n <= HR_TPL_STACK ? top(m, 2 * n) : top(m, n);
  hr_tpl_value dict = hr_tpl_dict_new(m, n <= HR_TPL_STACK ? n : 0, HR_T_DICT);
  if (!values || m->status)
    return;
  for (uint32_t i = 0; i < n; ++i)
    hr_tpl_dict_set(m, dict.dict, &values[2 * i], &values[2 * i + 1]);
  m->depth -= 2 * n;
  push(m, dict);
}

static void join(hr_tpl_machine *m, uint32_t n) {
  const hr_tpl_value *values = top(m, n);
  if (!values)
    return;
  hr_tpl_value text = hr_tpl_string("", 0);
  for (uint32_t i = 0; i < n && !m->status; ++i) {
    hr_tpl_value next_text = hr_tpl_text_of(m, &values[i]);
    text = hr_tpl_join_two(m, &text, &next_text);
  }
  text.marked = 0;
  m->depth -= n;
  push(m, text);
}

static void binary(hr_tpl_machine *m, uint32_t op, bool chain) {
  hr_tpl_value b = pop(m), a = pop(m);
  if (m->status)
    return;
  hr_tpl_value result = hr_tpl_binary(m, op, &a, &b);
  if (chain)
    push(m, b);
  push(m, result);
}

static void apply(hr_tpl_machine *m, uint32_t n, bool is_test) {
  uint32_t count = n >> 8;
  const hr_tpl_value *values = top(m, count);
  if (!values)
    return;
  hr_tpl_value result =
      is_test ? hr_tpl_bool(hr_tpl_test(m, n & 0xffu, values, count)) : hr_tpl_filter(m, n & 0xffu, values, count);
  m->depth -= count;
  push(m, result);
}

static void jump_if(hr_tpl_machine *m, bool wanted, uint32_t to, bool keep) {
  hr_tpl_value v = pop(m);
  if (v.type == HR_T_UNDEFINED && v.sub == HR_TPL_MISSING_UNSAFE)
    hr_tpl_fail_undefined(m, &v);
  if (hr_tpl_truth(&v) != wanted)
    return;
  m->pc = to;
  if (keep)
    push(m, v);
}

static void attribute(hr_tpl_machine *m, uint32_t index) {
  hr_tpl_value v = pop(m), name = name_text(m, index);
  push(m, hr_tpl_attribute(m, &v, &name, ((const hr_tpl_name *)hr_tpl_part_of(m, HR_TPL_NAMES))[index].method));
}

static void run_flow(hr_tpl_machine *m, enum hr_tpl_op op, uint32_t n) {
  switch (op) {
  case HR_TPL_OP_JUMP:
    m->pc = n;
    break;
  case HR_TPL_OP_IF_FALSE:
  case HR_TPL_OP_FALSE_OR_POP:
    jump_if(m, false, n, op == HR_TPL_OP_FALSE_OR_POP);
    break;
  case HR_TPL_OP_TRUE_OR_POP:
    jump_if(m, true, n, true);
    break;
  case HR_TPL_OP_IF_UNBOUND: {
    uint32_t name = ((const uint32_t *)hr_tpl_part_of(m, HR_TPL_CODE))[m->pc++] >> 8;
    if (variable_in(m->scope, name))
      m->pc = n;
    break;
  }
  case HR_TPL_OP_CALL:
    call(m, n & 0xffu, n >> 8);
    break;
  case HR_TPL_OP_MACRO:
    make_macro(m, n);
    break;
  case HR_TPL_OP_RETURN:
    return_from(m);
    break;
  case HR_TPL_OP_ITERATE:
    iterate(m);
    break;
  case HR_TPL_OP_NEXT:
    next(m, n);
    break;
  case HR_TPL_OP_LOOP:
    loop_begin(m);
    break;
  case HR_TPL_OP_LOOP_NEXT:
    loop_next(m, n);
    break;
  case HR_TPL_OP_LOOP_END:
    loop_end(m);
    break;
  case HR_TPL_OP_LOOP_DONE:
    if (m->loop)
      m->loop->done = 1;
    break;
  case HR_TPL_OP_SCOPE:
    m->scope = scope_new(m, m->scope);
    break;
  case HR_TPL_OP_SCOPE_END:
    if (m->scope->outer)
      m->scope = m->scope->outer;
    else
      damaged(m);
    break;
  case HR_TPL_OP_CAPTURE:
    capture(m);
    break;
  default:
    capture_end(m);
  }
}

static void run_expression(hr_tpl_machine *m, enum hr_tpl_op op, uint32_t n) {
  hr_tpl_value v = hr_tpl_plain(HR_T_NONE);
  switch (op) {
  case HR_TPL_OP_ATTRIBUTE:
    attribute(m, n);
    break;
  case HR_TPL_OP_ITEM: {
    hr_tpl_value key = pop(m);
    v = pop(m);
    push(m, hr_tpl_item(m, &v, &key));
    break;
  }
  case HR_TPL_OP_SLICE: {
    const hr_tpl_value *values = top(m, 4);
    if (!values)
      break;
    v = hr_tpl_slice(m, &values[0], &values[1]);
    m->depth -= 4;
    push(m, v);
    break;
  }
  case HR_TPL_OP_NIP:
    v = pop(m);
    pop(m);
    push(m, v);
    break;
  case HR_TPL_OP_BINARY:
  case HR_TPL_OP_CHAIN:
    binary(m, n, op == HR_TPL_OP_CHAIN);
    break;
  case HR_TPL_OP_NEGATE:
    v = pop(m);
    push(m, hr_tpl_negate(m, &v));
    break;
  case HR_TPL_OP_POSITIVE:
    v = pop(m);
    if (!hr_tpl_is_number(&v))
      hr_tpl_fail_value(m, "bad operand of type '", &v, "' for unary +");
    push(m, v.type == HR_T_BOOL ? hr_tpl_int(v.integer) : v);
    break;
  case HR_TPL_OP_NOT:
    v = pop(m);
    push(m, hr_tpl_bool(!hr_tpl_truth(&v)));
    break;
  case HR_TPL_OP_JOIN:
    join(m, n);
    break;
  case HR_TPL_OP_LIST:
  case HR_TPL_OP_TUPLE:
    make_list(m, n, op == HR_TPL_OP_LIST ? HR_T_LIST : HR_T_TUPLE);
    break;
  case HR_TPL_OP_DICT:
    make_dict(m, n);
    break;
  case HR_TPL_OP_FILTER:
  case HR_TPL_OP_TEST:
    apply(m, n, op == HR_TPL_OP_TEST);
    break;
  default:
    run_flow(m, op, n);
  }
}

static void run_one(hr_tpl_machine *m, enum hr_tpl_op op, uint32_t n) {
  switch (op) {
  case HR_TPL_OP_TEXT:
    hr_tpl_put_value(m, &m->constants[n]);
    break;
  case HR_TPL_OP_OUTPUT: {
    hr_tpl_value v = pop(m);
    hr_tpl_put_value(m, &v);
    break;
  }
  case HR_TPL_OP_CONST:
    push(m, m->constants[n]);
    break;
  case HR_TPL_OP_LOAD:
    push(m, load(m, n));
    break;
  case HR_TPL_OP_STORE:
    store(m, n);
    break;
  case HR_TPL_OP_SET_ATTRIBUTE:
    set_attribute(m, n);
    break;
  case HR_TPL_OP_POP:
    pop(m);
    break;
  case HR_TPL_OP_DUP: {
    const hr_tpl_value *v = top(m, 1);
    if (v)
      push(m, *v);
    break;
  }
  case HR_TPL_OP_APPEND_IF:
    append_if(m);
    break;
  case HR_TPL_OP_UNPACK:
    unpack(m, n);
    break;
  default:
    run_expression(m, op, n);
  }
}

void hr_tpl_run(hr_tpl_machine *m) {
  const uint32_t *code = hr_tpl_part_of(m, HR_TPL_CODE);
  m->scope = scope_new(m, 0);
  while (!m->status) {
    uint32_t word = code[m->pc];
    if ((word & 0xffu) == HR_TPL_OP_END)
      return;
    hr_tpl_work(m, 1);
    ++m->pc;
    run_one(m, (enum hr_tpl_op)(word & 0xffu), word >> 8);
  }
}

HR_SMALL_END
