// Requests.h - one line of `headrace run --jsonl`: what is asked, checked.
#ifndef HEADRACE_TOOLS_REQUESTS_H
#define HEADRACE_TOOLS_REQUESTS_H

#include "compiler/tools/headrace/Generate.h"

#include <optional>

namespace headrace {

struct LineRequest {
  nlohmann::ordered_json id; ///< given back; null when there is none
  std::string session;       ///< "": the one that has no name
  std::optional<std::string> prompt;
  nlohmann::ordered_json messages; ///< null: none
  GenerateRequest generate;        ///< ids: of the request, if it gives some
};

/// Reads a line. `id` is filled as soon as it is known, also when the rest is refused.
Result<LineRequest> parseRequest(const std::string &line, nlohmann::ordered_json &id);

/// The fields that a request may have, for --help.
const char *requestHelp();

} // namespace headrace
#endif
