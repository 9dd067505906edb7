# Sources of the tokenizer, which hr_core includes; also a library of its own, for the compiler's tests and the fuzzers.
set(HR_TOKENIZER_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_added.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_bpe.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_charsmap.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_decode.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_match.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_models.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_nfc.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_normalize.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_split.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_tokenizer_vocab.c
  ${CMAKE_CURRENT_LIST_DIR}/hr_utf8.c)
