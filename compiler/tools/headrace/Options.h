// Options.h - checks of option values whose errors read like all others: "--seed: expected X, found 'Y'".
#ifndef HEADRACE_TOOLS_OPTIONS_H
#define HEADRACE_TOOLS_OPTIONS_H

#include <CLI/CLI.hpp>

#include <cstdint>

namespace headrace {

CLI::Validator wholeNumber(uint64_t least, uint64_t most);
CLI::Validator number(double least, double most);
/// Token ids with commas between them.
CLI::Validator tokenIds();

} // namespace headrace
#endif
