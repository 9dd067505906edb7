#include "compiler/tools/headrace/Options.h"

#include "compiler/support/ErrorText.h"
#include "compiler/tools/headrace/Commands.h"

#include <charconv>

namespace headrace {
namespace {

/// Whether the whole text is a number in that range. NaN is in none.
template <typename T> bool reads(const std::string &text, T least, T most) {
  T value = {};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
}

template <typename T> CLI::Validator inRange(const std::string &expected, T least, T most) {
  return CLI::Validator(
      [=](const std::string &text) {
        return reads(text, least, most) ? "" : "expected " + expected + ", found " + inQuotes(text);
      },
      "");
}

std::string shortText(double value) {
  char text[32];
  auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
  return std::string(text, end);
}

} // namespace

CLI::Validator wholeNumber(uint64_t least, uint64_t most) {
  return inRange("a whole number from " + std::to_string(least) + " to " + std::to_string(most), least, most);
}

CLI::Validator number(double least, double most) {
  return inRange("a number from " + shortText(least) + " to " + shortText(most), least, most);
}

CLI::Validator tokenIds() {
  return CLI::Validator(
      [](const std::string &text) {
        return parseIds(text) ? "" : "expected token ids such as 1,2,3, found " + inQuotes(text);
      },
      "");
}

} // namespace headrace
