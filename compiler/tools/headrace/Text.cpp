#include "compiler/tools/headrace/Text.h"

namespace headrace {

Result<std::vector<int32_t>> encodeText(const hr_tokenizer &tokenizer, std::string_view text, bool special) {
  std::vector<char> scratch(hr_tokenizer_scratch(&tokenizer, text.size()));
  std::vector<int32_t> ids(text.size() + 16);
  while (true) {
    size_t count = 0;
    hr_status status = hr_encode(&tokenizer, text.data(), text.size(), special ? HR_WITH_SPECIAL : 0, ids.data(),
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

Result<std::string> decodeIds(const hr_tokenizer &tokenizer, const std::vector<int32_t> &ids) {
  hr_decoder decoder = {};
  std::vector<char> piece(hr_decode_max(&tokenizer));
  std::string text;
  auto feed = [&](int32_t id) {
    size_t bytes = 0;
    hr_status status = hr_decode(&tokenizer, &decoder, id, piece.data(), piece.size(), &bytes);
    text.append(piece.data(), status == HR_OK ? bytes : 0);
    return status;
  };
  for (int32_t id : ids)
    if (hr_status status = feed(id); status != HR_OK)
      return Error("id " + std::to_string(id) + ": " + hr_status_text(status));
  if (hr_status status = feed(-1); status != HR_OK)
    return Error(std::string("text: ") + hr_status_text(status));
  return text;
}

std::string jsonLine(const nlohmann::ordered_json &value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace headrace
