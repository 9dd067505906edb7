#include "compiler/support/ErrorText.h"

#include <cctype>
#include <cstdio>
#include <system_error>

namespace headrace {

/// Length of the UTF-8 character at `at`, or 0 if the bytes there are none.
static size_t utf8Length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return at + i < text.size() ? uint8_t(text[at + i]) : uint8_t(0); };
  uint8_t lead = byte(0);
  size_t length = lead < 0x80                   ? 1
                  : lead >= 0xc2 && lead < 0xe0 ? 2
                  : lead >= 0xe0 && lead < 0xf0 ? 3
                  : lead >= 0xf0 && lead < 0xf5 ? 4
                                                : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  return length;
}

std::string inQuotes(std::string_view text) {
  constexpr size_t kLongest = 80;
  std::string out = "'";
  for (size_t at = 0; at < text.size();) {
    if (at >= kLongest) {
      out += "...";
      break;
    }
    size_t length = utf8Length(text, at);
    uint8_t lead = uint8_t(text[at]);
    if (length == 0 || lead < 0x20 || lead == 0x7f || (lead == 0xc2 && uint8_t(text[at + 1]) < 0xa0)) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", lead);
      out += escape;
      at += 1;
      continue;
    }
    out.append(text, at, length);
    at += length;
  }
  return out + "'";
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

std::string bytesText(uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

Error expectedFound(std::string_view where, std::string_view expected, std::string_view found) {
  std::string text(where);
  text += ": expected ";
  text += expected;
  text += ", found ";
  text += found;
  return Error(text);
}

std::string systemErrorText(int errorNumber) {
  std::string text = std::generic_category().message(errorNumber);
  if (!text.empty())
    text[0] = char(std::tolower(uint8_t(text[0])));
  return text;
}

std::string fileNameOf(const std::string &path) {
  size_t end = path.find_last_not_of('/');
  if (end == std::string::npos)
    return path;
  size_t slash = path.find_last_of('/', end);
  return path.substr(slash == std::string::npos ? 0 : slash + 1,
                     end - (slash == std::string::npos ? 0 : slash + 1) + 1);
}

} // namespace headrace
