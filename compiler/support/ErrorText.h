// ErrorText.h - the vocabulary of error messages, so that all of them read alike: "WHERE: expected X, found Y".
#ifndef HEADRACE_SUPPORT_ERRORTEXT_H
#define HEADRACE_SUPPORT_ERRORTEXT_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

/// 'text' in single quotes, fit for one line of a terminal: control characters and bytes that are not UTF-8 become
/// \xNN, and what is longer than 80 bytes is cut. Names in errors come from files that may hold anything.
std::string inQuotes(std::string_view text);

/// "[192, 64]"
std::string shapeText(const std::vector<int64_t> &shape);

/// "7 bytes", "1 byte"
std::string bytesText(uint64_t bytes);

/// "WHERE: expected EXPECTED, found FOUND"
Error expectedFound(std::string_view where, std::string_view expected, std::string_view found);

/// The text of an errno value, lower-case: "no such file or directory".
std::string systemErrorText(int errorNumber);

/// The last component of a path, which is how errors and the IR name files.
std::string fileNameOf(const std::string &path);

} // namespace headrace
#endif
