# Sources of the chat template's interpreter, which hr_core includes; also a library of its own, for the compiler's tests and the
# fuzzers. It reads UTF-8 with the tokenizer's functions.
set(HR_TEMPLATE_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/hr_template.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_call.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_container.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_filter.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_float.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_json.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_print.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_run.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_sequence.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_test.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_text.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_template_value.c)
