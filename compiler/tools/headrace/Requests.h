// Requests.h - one line of `headrace run --jsonl`: what is asked, checked.
#ifndef HEADRACE_TOOLS_REQUESTS_H
#define HEADRACE_TOOLS_REQUESTS_H

#include "compiler/tools/headrace/Generate.h"

#include <optional>

namespace headrace {

struct LineRequest {
  std::string session; ///< "": the one that has no name
  std::optional<std::string> prompt;
  nlohmann::ordered_json messages;                                   ///< null: none
  nlohmann::ordered_json context = nlohmann::ordered_json::object(); ///< what else the chat template looks at
  GenerateRequest generate;                                          ///< ids: of the request, if it gives some
};

/// Reads a line. `id` is filled as soon as it is known, also when the rest is refused: JSON as the line has it, so that
/// no number changes; "null" when there is none.
Result<LineRequest> parseRequest(const std::string &line, std::string &id);

/// The fields that a request may have, for --help.
const char *requestHelp();

} // namespace headrace
#endif
