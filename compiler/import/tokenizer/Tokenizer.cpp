#include "compiler/import/tokenizer/Tokenizer.h"
#include "compiler/import/gguf/Gguf.h"
#include "compiler/import/tokenizer/GgufSpec.h"
#include "compiler/import/tokenizer/Section.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/MappedFile.h"

namespace headrace {

Result<std::vector<uint8_t>> compileTokenizerText(std::string_view json, std::string_view where) {
  tokenizer::Spec spec;
  HR_TRY(readSpec(json, where, spec));
  return tokenizer::SectionWriter(spec).run();
}

Result<std::vector<uint8_t>> compileTokenizerFromGguf(const GgufMetadata &metadata) {
  tokenizer::Spec spec;
  HR_TRY(readGgufSpec(metadata, spec));
  return tokenizer::SectionWriter(spec).run();
}

Result<std::vector<uint8_t>> compileTokenizer(const std::string &path) {
  if (looksLikeGguf(path)) {
    Result<GgufFile> file = openGguf(path);
    if (!file)
      return file.error();
    return compileTokenizerFromGguf(file->metadata);
  }
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  return compileTokenizerText(*text, fileNameOf(path));
}

} // namespace headrace
