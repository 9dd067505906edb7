#include "compiler/tools/headrace/Generate.h"

#include "compiler/support/ErrorText.h"
#include "compiler/tools/headrace/Text.h"

#include <algorithm>

namespace headrace {
namespace {

struct Stream {
  const GenerateRequest &request;
  std::vector<const char *> strings;
  hr_stop stop = {};
  Answer answer;
};

void onPiece(void *user, const char *text, size_t bytes) {
  auto &stream = *static_cast<Stream *>(user);
  if (stream.request.onText)
    stream.request.onText({text, bytes});
}

int onToken(void *user, int32_t id, const char *text, size_t bytes, const float *) {
  auto &stream = *static_cast<Stream *>(user);
  stream.answer.ids.push_back(id);
  return hr_stop_feed(&stream.stop, text, bytes, onPiece, &stream);
}

Result<void> checkPrompt(const hr_library &library, const std::vector<int32_t> &ids) {
  if (ids.empty())
    return expectedFound("prompt", "at least one token", "none");
  if (ids.size() > library.max_positions)
    return promptTooLong(library.max_positions, std::to_string(ids.size()));
  for (int32_t id : ids)
    if (id < 0 || uint32_t(id) >= library.vocab_size)
      return expectedFound("prompt", "ids below " + std::to_string(library.vocab_size), std::to_string(id));
  return {};
}

/// All ids at once, which in rare cases (see hr_detokenize) is not the sum of the streamed pieces.
Result<std::string> textOf(const OpenBundle &bundle, const Stream &stream) {
  hr_tokenizer tokenizer;
  if (bundle.api().model_tokenizer(bundle.model(), &tokenizer) != HR_OK)
    return std::string();
  auto text = decodeIds(bundle.api(), tokenizer, stream.answer.ids, 0);
  if (!text || !stream.stop.found)
    return text;
  size_t end = text->size();
  for (const std::string &s : stream.request.stop)
    end = std::min(end, text->find(s));
  return text->substr(0, end);
}

std::string finishOf(const hr_library &library, const Stream &stream, hr_status status) {
  const std::vector<int32_t> &ids = stream.answer.ids;
  if (stream.stop.found)
    return "stop";
  if (status == HR_CANCELLED)
    return "cancelled";
  if (status == HR_CONTEXT_FULL)
    return "context";
  return !ids.empty() && isEndId(library, stream.request.endIds, ids.back()) ? "end" : "length";
}

double perSecond(uint64_t count, uint64_t ns) { return ns ? double(count) * 1e9 / double(ns) : 0; }

} // namespace

bool isEndId(const hr_library &library, const std::vector<int32_t> &more, int32_t id) {
  const int32_t *end = library.eos_ids + library.eos_count;
  return std::find(library.eos_ids, end, id) != end || std::find(more.begin(), more.end(), id) != more.end();
}

Result<Answer> generateAnswer(const OpenBundle &bundle, hr_session *session, const GenerateRequest &request) {
  HR_TRY(checkPrompt(bundle.library(), request.ids));
  Stream stream = {request, {}, {}, {}};
  for (const std::string &s : request.stop)
    stream.strings.push_back(s.c_str());
  stream.stop.strings = stream.strings.data();
  stream.stop.count = uint32_t(stream.strings.size());
  hr_generate_options options = {};
  options.sampling = request.sampling;
  options.max_tokens = request.tokens;
  options.reuse = 1;
  options.end_ids = request.endIds.data();
  options.end_count = uint32_t(request.endIds.size());
  hr_status status = bundle.api().generate(session, request.ids.data(), uint32_t(request.ids.size()), &options, onToken,
                                           &stream, &stream.answer.timings);
  hr_stop_flush(&stream.stop, onPiece, &stream);
  bool ended = status == HR_OK || status == HR_CANCELLED || status == HR_CONTEXT_FULL || stream.stop.found;
  if (!ended)
    return bundle.statusError(status);
  stream.answer.finish = finishOf(bundle.library(), stream, status);
  auto text = textOf(bundle, stream);
  if (!text)
    return text.error();
  stream.answer.text = text.take();
  return std::move(stream.answer);
}

nlohmann::ordered_json timingsJson(const hr_timings &t) {
  return {{"prompt_tokens", t.prompt_tokens},
          {"cached_tokens", t.cached_tokens},
          {"prefilled_tokens", t.prefilled_tokens},
          {"prefill_steps", t.prefill_steps},
          {"generated_tokens", t.generated_tokens},
          {"steps", t.steps},
          {"prefill_ms", double(t.prefill_ns) * 1e-6},
          {"first_token_ms", double(t.first_token_ns) * 1e-6},
          {"decode_ms", double(t.decode_ns) * 1e-6},
          {"prefill_tokens_per_second", perSecond(t.prefilled_tokens, t.prefill_ns)},
          {"decode_tokens_per_second", perSecond(t.steps, t.decode_ns)}};
}

} // namespace headrace
