#include "compiler/support/Format.h"

#include <cstdarg>
#include <cstdio>

namespace headrace {

std::string format(const char *pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

} // namespace headrace
