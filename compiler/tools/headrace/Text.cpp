#include "compiler/tools/headrace/Text.h"

#include "compiler/support/ErrorText.h"

namespace headrace {

Result<std::vector<int32_t>> encodeText(const hr_api &api, const hr_tokenizer &tokenizer, std::string_view text,
                                        bool special) {
  const size_t needed = api.tokenizer_scratch(&tokenizer, text.size());
  if (needed == SIZE_MAX)
    return Error("text: too long for this tokenizer: " + std::to_string(text.size()) + " bytes");
  std::vector<char> scratch(needed);
  std::vector<int32_t> ids(text.size() + 16);
  while (true) {
    size_t count = 0;
    hr_status status = api.encode(&tokenizer, text.data(), text.size(), special ? HR_WITH_SPECIAL : 0, ids.data(),
                                  ids.size(), &count, scratch.data(), scratch.size());
    if (status == HR_OUT_OF_MEMORY && count > ids.size()) {
      ids.resize(count);
      continue;
    }
    if (status != HR_OK)
      return Error(std::string("text: ") + hr_status_text(status));
    ids.resize(count);
    return ids;
  }
}

/// Where the beginning of a text is twice too long, what follows cannot make it short enough.
bool isFarTooLong(const hr_api &api, const hr_tokenizer &tokenizer, std::string_view text, size_t most) {
  size_t bytes = 64 * most;
  if (text.size() / 4 < bytes)
    return false;
  while (bytes && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80)
    --bytes;
  auto ids = encodeText(api, tokenizer, text.substr(0, bytes), false);
  return ids && ids->size() > 2 * most;
}

Error promptTooLong(size_t most, const std::string &found) {
  return expectedFound("prompt", "at most " + std::to_string(most) + " tokens, the context", found);
}

Result<std::string> decodeIds(const hr_api &api, const hr_tokenizer &tokenizer, const std::vector<int32_t> &ids,
                              uint32_t flags) {
  size_t bytes = 0;
  api.detokenize(&tokenizer, ids.data(), ids.size(), flags, nullptr, 0, &bytes);
  std::string text(bytes, '\0');
  hr_status status = api.detokenize(&tokenizer, ids.data(), ids.size(), flags, text.data(), text.size(), &bytes);
  if (status != HR_OK)
    return Error(std::string("ids: ") + hr_status_text(status));
  return text;
}

std::string jsonLine(const nlohmann::ordered_json &value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace headrace
