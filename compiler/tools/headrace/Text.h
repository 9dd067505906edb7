// Text.h - text to token ids and back, by the runtime's tokenizer.
#ifndef HEADRACE_TOOLS_TEXT_H
#define HEADRACE_TOOLS_TEXT_H

#include "compiler/support/Result.h"
#include "headrace.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

/// special: add what the tokenizer's post-processor adds. api: the runtime to do it with, a bundle's or this program's.
Result<std::vector<int32_t>> encodeText(const hr_api &api, const hr_tokenizer &tokenizer, std::string_view text,
                                        bool special);
/// Whether a long text has by far more than `most` tokens, by its beginning alone.
bool isFarTooLong(const hr_api &api, const hr_tokenizer &tokenizer, std::string_view text, size_t most);
/// The error of a prompt that does not fit; found: how many tokens it has.
Error promptTooLong(size_t most, const std::string &found);
/// flags: HR_KEEP_SPECIAL, or 0 for the text without special tokens.
Result<std::string> decodeIds(const hr_api &api, const hr_tokenizer &tokenizer, const std::vector<int32_t> &ids,
                              uint32_t flags);

inline Result<std::vector<int32_t>> encodeText(const hr_tokenizer &tokenizer, std::string_view text, bool special) {
  return encodeText(*hr_api_get(), tokenizer, text, special);
}

/// One line of JSON; bytes that are not UTF-8 become U+FFFD.
std::string jsonLine(const nlohmann::ordered_json &value);

} // namespace headrace
#endif
