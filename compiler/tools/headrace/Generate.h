// Generate.h - one answer of a session: ids in, text and ids out, whoever asks (chat, requests of --jsonl).
#ifndef HEADRACE_TOOLS_GENERATE_H
#define HEADRACE_TOOLS_GENERATE_H

#include "compiler/tools/headrace/Bundle.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace headrace {

/// What run, chat and --jsonl draw with unless told otherwise.
inline hr_sampling defaultSampling() {
  hr_sampling sampling = {};
  sampling.temperature = 0.8f;
  sampling.top_k = 40;
  sampling.top_p = 0.95f;
  return sampling;
}

struct GenerateRequest {
  std::vector<int32_t> ids; ///< all of the prompt; what the session has in common with it is not computed
  hr_sampling sampling = defaultSampling();
  uint32_t tokens = 128;
  std::vector<std::string> stop;
  std::vector<int32_t> endIds; ///< beside the library's
  /// Text as soon as it is certain; may be empty.
  std::function<void(std::string_view)> onText;
};

struct Answer {
  std::vector<int32_t> ids; ///< with the end id
  std::string text;         ///< without it, and without a stop string
  std::string finish;       ///< "end", "length", "context", "stop", "cancelled"
  hr_timings timings = {};
};

/// Does this id end an answer: one of the library's, or of `more`?
bool isEndId(const hr_library &library, const std::vector<int32_t> &more, int32_t id);

/// An error also where the prompt does not fit into the context. A full context ends the answer, no more.
Result<Answer> generateAnswer(const OpenBundle &bundle, hr_session *session, const GenerateRequest &request);

/// The timings of `run --json`, under the same names.
nlohmann::ordered_json timingsJson(const hr_timings &timings);

} // namespace headrace
#endif
