// Section.h - lays out the tokenizer section of a Spec (runtime/abi/hr_tokenizer_format.h).
#ifndef HEADRACE_IMPORT_TOKENIZER_SECTION_H
#define HEADRACE_IMPORT_TOKENIZER_SECTION_H

#include "compiler/import/tokenizer/Regex.h"
#include "compiler/import/tokenizer/Spec.h"

#include <cstring>
#include <map>

namespace headrace::tokenizer {

/// Writes the parts one after the other. Used once.
class SectionWriter {
public:
  explicit SectionWriter(const Spec &spec) : spec(spec) {}
  Result<std::vector<uint8_t>> run();

private:
  template <typename T> void setPart(hr_tok_part part, const std::vector<T> &elements) {
    bytes[part].resize(elements.size() * sizeof(T));
    if (!elements.empty())
      std::memcpy(bytes[part].data(), elements.data(), bytes[part].size());
    header.parts[part].count = uint32_t(elements.size());
  }
  /// A part with the bytes of an earlier one takes no room.
  void share(hr_tok_part part, hr_tok_part other);
  uint32_t addString(const std::string &text) {
    strings.insert(strings.end(), text.begin(), text.end());
    return uint32_t(strings.size() - text.size());
  }
  uint32_t addProgram(const std::vector<uint32_t> &program) {
    code.insert(code.end(), program.begin(), program.end());
    return uint32_t(code.size() - program.size());
  }
  void needSpaceAndWord();

  void writeHeader();
  // SectionModel.cpp: tokens and the model
  Result<void> writeTokens();
  Result<void> writeTexts(bool first, std::vector<uint8_t> &kinds);
  void writeVocabulary();
  void writeSymbols();
  void writeMerges();
  void writeScores();
  // Section.cpp: what is done with text before
  Result<void> writeAdded();
  void writeAddedList(hr_tok_part part, bool ofNormalized, const std::vector<std::string> &contents);
  Result<void> writeNormalizers();
  Result<void> writeNormalizer(const Normalizer &step);
  Result<void> writeSplits();
  Result<void> writeClasses();
  Result<std::vector<uint32_t>> programOf(const Split &split);
  std::vector<uint8_t> assemble();

  const Spec &spec;
  hr_tok_header header = {};
  std::vector<uint8_t> bytes[HR_TOK_PART_COUNT];
  std::map<uint32_t, uint32_t> sharedWith;
  std::map<uint32_t, std::string> normalizedTokens; // by id: what added tokens decode to
  std::vector<uint8_t> strings;
  std::vector<uint32_t> code;
  std::vector<hr_tok_map> maps;
  std::vector<hr_tok_normalizer> normalizers;
  ClassTable classes;
};

} // namespace headrace::tokenizer
#endif
