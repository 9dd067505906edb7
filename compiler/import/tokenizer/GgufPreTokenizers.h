// GgufPreTokenizers.h - what the names of tokenizer.ggml.pre stand for.
#ifndef HEADRACE_IMPORT_TOKENIZER_GGUFPRETOKENIZERS_H
#define HEADRACE_IMPORT_TOKENIZER_GGUFPRETOKENIZERS_H

#include <nlohmann/json.hpp>
#include <string_view>

namespace headrace::tokenizer {

struct GgufPreTokenizer {
  nlohmann::json preTokenizer; // as in tokenizer.json; null: the name is not known
  bool ignoreMerges = false, addBos = false, nfc = false, addSep = false;
};
GgufPreTokenizer ggufPreTokenizer(std::string_view name);

} // namespace headrace::tokenizer
#endif
