/* hr_template_test.c - `value is test(arguments)`. */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

static bool is_text_cased(hr_tpl_machine *m, const hr_tpl_value *v, enum hr_tpl_casing casing) {
  hr_tpl_value text = hr_tpl_text_of(m, v);
  return hr_tpl_is_cased(m, &text, casing);
}

static bool is_divisible(hr_tpl_machine *m, const hr_tpl_value *v, const hr_tpl_value *by, int64_t rest) {
  hr_tpl_value mod = hr_tpl_binary(m, HR_TPL_MOD, v, by), wanted = hr_tpl_int(rest);
  return !m->status && hr_tpl_equal(m, &mod, &wanted);
}

static bool is_same(const hr_tpl_value *a, const hr_tpl_value *b) {
  if (a->type != b->type)
    return false;
  if (a->type <= HR_T_NONE)
    return a->type == HR_T_NONE;
  return a->bits == b->bits && a->n == b->n;
}

static bool is_iterable(const hr_tpl_value *v) {
  return v->type == HR_T_UNDEFINED || (v->type >= HR_T_STRING && v->type <= HR_T_RANGE) || v->type == HR_T_LOOP;
}

static bool is_sequence(const hr_tpl_value *v) {
  return v->type == HR_T_UNDEFINED || (v->type >= HR_T_STRING && v->type <= HR_T_DICT) || v->type == HR_T_RANGE;
}

/* Tests of the value's type; no argument. */
static bool test_type(hr_tpl_machine *m, uint32_t test, const hr_tpl_value *v) {
  hr_tpl_value two = hr_tpl_int(2);
  switch ((enum hr_tpl_test)test) {
  case HR_TPL_TEST_boolean:
    return v->type == HR_T_BOOL;
  case HR_TPL_TEST_callable:
    return v->type == HR_T_UNDEFINED || (v->type >= HR_T_MACRO && v->type <= HR_T_FUNCTION) || v->type == HR_T_JOINER;
  case HR_TPL_TEST_defined:
    return v->type != HR_T_UNDEFINED;
  case HR_TPL_TEST_undefined:
    return v->type == HR_T_UNDEFINED;
  case HR_TPL_TEST_odd:
  case HR_TPL_TEST_even:
    return is_divisible(m, v, &two, test == HR_TPL_TEST_odd);
  case HR_TPL_TEST_true:
  case HR_TPL_TEST_false:
    return v->type == HR_T_BOOL && v->integer == (test == HR_TPL_TEST_true);
  case HR_TPL_TEST_escaped:
    return v->type == HR_T_STRING && v->marked;
  case HR_TPL_TEST_float:
    return v->type == HR_T_FLOAT;
  case HR_TPL_TEST_integer:
    return v->type == HR_T_INT;
  case HR_TPL_TEST_number:
    return hr_tpl_is_number(v);
  case HR_TPL_TEST_iterable:
    return is_iterable(v);
  case HR_TPL_TEST_lower:
  case HR_TPL_TEST_upper:
    return is_text_cased(m, v, test == HR_TPL_TEST_lower ? HR_TPL_LOWER : HR_TPL_UPPER);
  case HR_TPL_TEST_mapping:
    return v->type == HR_T_DICT;
  case HR_TPL_TEST_none:
    return v->type == HR_T_NONE;
  case HR_TPL_TEST_sequence:
    return is_sequence(v);
  case HR_TPL_TEST_string:
    return v->type == HR_T_STRING;
  case HR_TPL_TEST_truthy:
    return hr_tpl_truth(v);
  default:
    return false;
  }
}

bool hr_tpl_test(hr_tpl_machine *m, uint32_t test, const hr_tpl_value *values, uint32_t n) {
  static const uint8_t arguments[] = {
#define HR_TPL_COUNT(name, count) count,
      HR_TPL_TESTS(HR_TPL_COUNT)
#undef HR_TPL_COUNT
  };
  static const struct {
    uint8_t test, op;
  } comparisons[] = {{HR_TPL_TEST_eq, HR_TPL_EQ}, {HR_TPL_TEST_ne, HR_TPL_NE}, {HR_TPL_TEST_lt, HR_TPL_LT},
                     {HR_TPL_TEST_le, HR_TPL_LE}, {HR_TPL_TEST_gt, HR_TPL_GT}, {HR_TPL_TEST_ge, HR_TPL_GE},
                     {HR_TPL_TEST_in, HR_TPL_IN}};
  if (test >= HR_TPL_TEST_COUNT || n != 1u + arguments[test]) {
    hr_tpl_fail_text(m, "a test is given another number of arguments than it takes");
    return false;
  }
  for (uint32_t i = 0; i < sizeof comparisons / sizeof *comparisons; ++i)
    if (comparisons[i].test == test) {
      hr_tpl_value result = hr_tpl_binary(m, comparisons[i].op, &values[0], &values[1]);
      return hr_tpl_truth(&result);
    }
  if (test == HR_TPL_TEST_divisibleby)
    return is_divisible(m, &values[0], &values[1], 0);
  if (test == HR_TPL_TEST_sameas)
    return is_same(&values[0], &values[1]);
  return test_type(m, test, &values[0]);
}

HR_SMALL_END
