#include "compiler/import/tokenizer/NormalizedText.h"
#include "compiler/import/tokenizer/Section.h"
#include "compiler/support/ErrorText.h"
#include "headrace.h"

namespace headrace::tokenizer {

/// A tokenizer of the same normalizers whose tokens are the 256 bytes, each with the byte as its id: ids of a text are
/// then the bytes of the normalized text.
static Spec bytesOnly(const Spec &spec) {
  Spec bytes;
  bytes.where = spec.where;
  bytes.byteLevel = true;
  bytes.normalizers = spec.normalizers;
  bytes.charsmap = spec.charsmap;
  std::string character, spelled;
  for (uint32_t code = 0; code < 0x144; code++) {
    character.clear();
    appendUtf8(character, code);
    if (spelledBytes(character, spelled))
      addToVocabulary(bytes, character, uint8_t(spelled[0]));
  }
  return bytes;
}

static Result<std::string> normalizedText(const hr_tokenizer &tokenizer, const std::string &text,
                                          const std::string &where) {
  size_t needed = hr_tokenizer_scratch(&tokenizer, text.size()), n = 0;
  if (needed > size_t(1) << 28)
    return expectedFound(where + ": added_tokens", "texts that normalizers leave short", inQuotes(text));
  std::vector<uint64_t> scratch(needed / 8 + 1);
  std::vector<int32_t> ids(needed);
  hr_status status =
      hr_encode(&tokenizer, text.data(), text.size(), 0, ids.data(), ids.size(), &n, scratch.data(), needed);
  if (status != HR_OK)
    return expectedFound(where + ": added_tokens", "texts that can be normalized", inQuotes(text));
  std::string result;
  for (size_t i = 0; i < n; i++)
    result.push_back(char(ids[i]));
  return result;
}

Result<std::vector<std::string>> normalizedTexts(const Spec &spec, const std::vector<std::string> &texts) {
  bool any = false;
  for (const std::string &text : texts)
    any |= !text.empty();
  if (!any || spec.normalizers.empty())
    return texts;
  Spec bytes = bytesOnly(spec);
  Result<std::vector<uint8_t>> section = SectionWriter(bytes).run();
  if (!section)
    return section.error();
  hr_tokenizer tokenizer;
  if (hr_tokenizer_open(&tokenizer, section->data(), section->size()) != HR_OK)
    return expectedFound(spec.where + ": normalizer", "one that the runtime accepts", "another");
  std::vector<std::string> results;
  for (const std::string &text : texts) {
    Result<std::string> normalized = text.empty() ? text : normalizedText(tokenizer, text, spec.where);
    if (!normalized)
      return normalized.error();
    results.push_back(normalized.take());
  }
  return results;
}

} // namespace headrace::tokenizer
