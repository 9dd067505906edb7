// Feeds arbitrary bytes to the tokenizer.json compiler; what it accepts must open, and encode and decode some text.
#include "use_tokenizer.h"

#include "compiler/import/tokenizer/Tokenizer.h"
#include "headrace.h"

#include <cstdlib>
#include <cstring>

/// The Unicode tables are made on first use, which takes a while here; no input should have to answer for it.
extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  auto section = headrace::compileTokenizerText(
      R"json({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "normalizer": {"type": "NFC"},
              "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(?i:\\p{L})"}, "behavior": "Isolated"}})json",
      "start.json");
  if (!section)
    std::abort();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view json(reinterpret_cast<const char *>(data), size);
  auto section = headrace::compileTokenizerText(json, "fuzz.json");
  if (!section) {
    if (section.error().message().find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  useTokenizer(*section, "It's 12 <x> e\xcc\x81\n");
  return 0;
}
