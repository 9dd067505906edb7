// Format.h - numbers in the text of reports.
#ifndef HEADRACE_SUPPORT_FORMAT_H
#define HEADRACE_SUPPORT_FORMAT_H
#include <cstdint>
#include <string>

namespace headrace {

/// printf into a string; what goes beyond 511 bytes is cut.
__attribute__((format(printf, 1, 2))) std::string format(const char *pattern, ...);

/// Bytes in MiB.
inline double mebibytes(uint64_t bytes) { return double(bytes) / (1 << 20); }

} // namespace headrace
#endif
