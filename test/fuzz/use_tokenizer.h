// use_tokenizer.h - what a fuzzer does with a tokenizer that was compiled.
#ifndef HEADRACE_FUZZ_USE_TOKENIZER_H
#define HEADRACE_FUZZ_USE_TOKENIZER_H

#include "headrace.h"

#include <cstdlib>
#include <cstring>
#include <vector>

/// Opens the section, and sends `text` to ids and back: everything must work, whatever was compiled.
inline void useTokenizer(const std::vector<uint8_t> &section, const char *text) {
  hr_tokenizer tokenizer;
  if (hr_tokenizer_open(&tokenizer, section.data(), section.size()) != HR_OK)
    std::abort();
  size_t n = 0, needed = hr_tokenizer_scratch(&tokenizer, strlen(text));
  if (needed > size_t(1) << 24) // text may become longer; nobody has to have that much memory
    return;
  std::vector<uint64_t> scratch(needed / 8 + 1);
  std::vector<int32_t> ids(needed);
  if (hr_encode(&tokenizer, text, strlen(text), HR_WITH_SPECIAL, ids.data(), ids.size(), &n, scratch.data(), needed) !=
      HR_OK)
    std::abort();
  size_t bytes = 0;
  std::vector<char> out(hr_decode_max(&tokenizer) * (n + 1));
  if (hr_detokenize(&tokenizer, ids.data(), n, HR_KEEP_SPECIAL, out.data(), out.size(), &bytes) != HR_OK)
    std::abort();
}

#endif
