#include "compiler/import/tokenizer/TokenText.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>

namespace headrace::tokenizer {

static void replaceAll(std::string &text, std::string_view find, std::string_view with) {
  for (size_t at = 0; (at = text.find(find, at)) != std::string::npos; at += with.size())
    text.replace(at, find.size(), with);
}

/// The byte that "<0xNN>" names, as ByteFallback reads it; -1 for any other token.
static int fallbackByte(const std::string &token) {
  if (token.size() != 6 || token.compare(0, 3, "<0x") != 0 || token[5] != '>')
    return -1;
  int value = 0;
  for (size_t i = 3; i < 5; i++) {
    int c = uint8_t(token[i]), lower = c | 32;
    if (i == 3 && c == '+') // a sign is read as one
      continue;
    if (!(c >= '0' && c <= '9') && !(lower >= 'a' && lower <= 'f'))
      return -1;
    value = value * 16 + (c <= '9' ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

static void wordPiece(const DecoderStep &step, bool first, std::string &text) {
  if (!first && text.compare(0, step.find.size(), step.find) == 0)
    text.erase(0, step.find.size());
  else if (!first)
    text.insert(0, 1, ' ');
  if (!step.option)
    return;
  for (auto [find, with] : {std::pair(" .", "."), {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"},
                            {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}})
    replaceAll(text, find, with);
}

static void strip(const DecoderStep &step, std::string &text) {
  size_t begin = 0, end = text.size(), bytes = step.find.size();
  for (uint32_t i = 0; i < step.start && text.compare(begin, bytes, step.find) == 0; i++)
    begin += bytes;
  for (uint32_t i = 0; i < step.stop && end >= begin + bytes && text.compare(end - bytes, bytes, step.find) == 0; i++)
    end -= bytes;
  text = text.substr(begin, end - begin);
}

Result<TokenText> textOfToken(const Spec &spec, const std::string &token, bool first) {
  TokenText result;
  std::string &text = result.text = token;
  for (const DecoderStep &step : spec.decoder.steps) {
    switch (step.kind) {
    case DecoderStep::Replace:
      replaceAll(text, step.find, step.with);
      break;
    case DecoderStep::Metaspace:
      replaceAll(text, step.find, first && step.option ? "" : " ");
      break;
    case DecoderStep::WordPiece:
      wordPiece(step, first, text);
      break;
    case DecoderStep::Strip:
      strip(step, text);
      break;
    case DecoderStep::Suffix: {
      size_t at = text.find(step.find);
      if (at == std::string::npos)
        break;
      if (at + step.find.size() != text.size())
        return expectedFound(spec.where + ": decoder", "the suffix at the end of tokens alone", inQuotes(token));
      text.erase(at);
      result.spaceAfter = true;
    }
    }
  }
  std::string bytes;
  if (spec.decoder.byteLevel && spelledBytes(text, bytes))
    text = bytes;
  int byte = spec.decoder.byteFallback ? fallbackByte(text) : -1;
  result.isByte = byte >= 0;
  if (result.isByte)
    text = std::string(1, char(byte));
  return result;
}

} // namespace headrace::tokenizer
