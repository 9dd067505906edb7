// headrace run - continues a prompt.
#include "compiler/tools/headrace/Bundle.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Npy.h"
#include "compiler/tools/headrace/Text.h"

#include <cstdio>
#include <memory>

namespace headrace {
namespace {

struct RunArguments {
  std::string bundle, ids, prompt, logits, promptLogits;
  bool hasPrompt = false, json = false, ignoreEnd = false;
  uint32_t count = 128;
  RunOptions options;
  hr_sampling sampling = {0.8f, 0.95f, 0.0f, 0.0f, 40, 0, 0};
};

/// What the callbacks need.
struct Stream {
  bool print;
  std::string text;
  std::vector<int32_t> ids;
  NpyRows *rows;       ///< of the generated tokens; null: not wanted
  NpyRows *promptRows; ///< of the prompt's positions
};

int onToken(void *user, int32_t id, const char *text, size_t bytes, const float *logits) {
  auto &stream = *static_cast<Stream *>(user);
  stream.ids.push_back(id);
  stream.text.append(text, bytes);
  if (stream.rows)
    stream.rows->add(logits);
  if (stream.print) {
    std::fwrite(text, 1, bytes, stdout);
    std::fflush(stdout);
  }
  return 0;
}

hr_status onPromptRows(void *user, uint32_t, uint32_t rows, const float *logits, uint32_t stride) {
  for (uint32_t row = 0; row != rows; ++row)
    static_cast<Stream *>(user)->promptRows->add(logits + size_t(row) * stride);
  return HR_OK;
}

Result<std::vector<int32_t>> promptIds(const RunArguments &arguments, const OpenBundle &bundle) {
  std::vector<int32_t> ids;
  if (arguments.hasPrompt) {
    auto tokenizer = tokenizerOf(bundle.weights(), bundle.folder());
    if (!tokenizer)
      return tokenizer.error();
    auto encoded = encodeText(*tokenizer, arguments.prompt, true);
    if (!encoded)
      return encoded.error();
    ids = encoded.take();
    if (ids.empty() && bundle.library().bos_id >= 0)
      ids.push_back(bundle.library().bos_id);
    if (ids.empty())
      return Error("prompt: expected at least one token, found an empty text");
  } else {
    auto parsed = parseIds(arguments.ids);
    if (!parsed)
      return parsed.error();
    ids = parsed.take();
  }
  for (int32_t id : ids)
    if (uint32_t(id) >= bundle.library().vocab_size)
      return Error("prompt: expected ids below " + std::to_string(bundle.library().vocab_size) + ", found " +
                   std::to_string(id));
  return ids;
}

nlohmann::ordered_json timingsJson(const hr_timings &t) {
  auto ms = [](uint64_t ns) { return double(ns) * 1e-6; };
  auto rate = [](uint32_t tokens, uint64_t ns) { return ns ? double(tokens) * 1e9 / double(ns) : 0.0; };
  uint32_t decoded = t.generated_tokens ? t.generated_tokens - 1 : 0;
  return {{"prompt_tokens", t.prompt_tokens},
          {"cached_tokens", t.cached_tokens},
          {"generated_tokens", t.generated_tokens},
          {"steps", t.steps},
          {"prefill_ms", ms(t.prefill_ns)},
          {"first_token_ms", ms(t.first_token_ns)},
          {"decode_ms", ms(t.decode_ns)},
          {"prefill_tokens_per_second", rate(t.prompt_tokens, t.prefill_ns)},
          {"decode_tokens_per_second", rate(decoded, t.decode_ns)}};
}

void printResult(const RunArguments &arguments, const Stream &stream, const hr_timings &timings, hr_status status) {
  if (arguments.json) {
    const char *finish = status == HR_CONTEXT_FULL              ? "context"
                         : stream.ids.size() == arguments.count ? "length"
                                                                : "end";
    nlohmann::ordered_json result = {
        {"ids", stream.ids}, {"text", stream.text}, {"finish", finish}, {"timings", timingsJson(timings)}};
    std::fputs(jsonLine(result).c_str(), stdout);
    return;
  }
  if (arguments.hasPrompt || !stream.text.empty()) {
    std::fputc('\n', stdout);
  } else {
    for (size_t i = 0; i != stream.ids.size(); ++i)
      std::printf("%s%d", i ? "," : "", stream.ids[i]);
    std::fputc('\n', stdout);
  }
  std::fflush(stdout);
  if (status == HR_CONTEXT_FULL)
    std::fprintf(stderr, "headrace: the context is full\n");
}

Result<void> run(const RunArguments &arguments) {
  auto opened = OpenBundle::open(arguments.bundle, arguments.options);
  if (!opened)
    return opened.error();
  OpenBundle &bundle = **opened;
  auto ids = promptIds(arguments, bundle);
  if (!ids)
    return ids.error();

  NpyRows rows(bundle.library().vocab_size), promptRows(bundle.library().vocab_size);
  bool wantsPrompt = !arguments.promptLogits.empty();
  Stream stream = {!arguments.json, "", {}, arguments.logits.empty() ? nullptr : &rows, &promptRows};
  if (stream.print && arguments.hasPrompt)
    std::fputs(arguments.prompt.c_str(), stdout);
  hr_generate_options options = {arguments.sampling, arguments.count, arguments.ignoreEnd,
                                 wantsPrompt ? onPromptRows : nullptr};
  hr_timings timings = {};
  hr_status status =
      bundle.api().generate(bundle.session(), ids->data(), uint32_t(ids->size()), &options, onToken, &stream, &timings);
  // The context's end is an ordinary end once something was generated; a prompt that does not fit is an error.
  if (status != HR_OK && !(status == HR_CONTEXT_FULL && !stream.ids.empty()))
    return bundle.statusError(status);
  if (!arguments.logits.empty())
    HR_TRY(rows.write(arguments.logits));
  if (wantsPrompt)
    HR_TRY(promptRows.write(arguments.promptLogits));
  printResult(arguments, stream, timings, status);
  return {};
}

} // namespace

void addRun(CLI::App &app, int &exitCode) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App *command = app.add_subcommand("run", "continue a prompt");
  command->add_option("bundle", arguments->bundle, "the bundle")->required();
  auto *source = command->add_option_group("prompt", "what to continue");
  source->add_option("--ids", arguments->ids, "token ids: 1,2,3")->check(checkIds);
  auto *prompt = source->add_option("-p,--prompt", arguments->prompt, "text");
  source->require_option(1);
  command->add_option("-n,--tokens", arguments->count, "most tokens to generate")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  command->add_option("--threads", arguments->options.threads, "threads (default: the cores)")
      ->check(CLI::Range(1u, HR_MAX_THREADS));
  command->add_option("--chunk", arguments->options.chunk, "most rows of a prefill step")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--temperature", arguments->sampling.temperature, "0: greedy")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--top-k", arguments->sampling.top_k, "0: off")->capture_default_str();
  command->add_option("--top-p", arguments->sampling.top_p, "1: off")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--min-p", arguments->sampling.min_p, "0: off")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--repetition-penalty", arguments->sampling.repetition_penalty, "1: off")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--seed", arguments->sampling.seed, "of the sampler")->capture_default_str();
  command->add_flag("--ignore-eos", arguments->ignoreEnd, "go on behind an end token");
  command->add_flag("--json", arguments->json, "one JSON object instead of text");
  command->add_option("--logits", arguments->logits, "write float32 [steps, vocab] to this .npy file");
  command->add_option("--prompt-logits", arguments->promptLogits,
                      "write the rows of all prompt positions to this .npy file");
  command->callback([arguments, prompt, &exitCode] {
    arguments->hasPrompt = prompt->count() > 0;
    if (auto done = run(*arguments); !done)
      exitCode = report(done.error());
  });
}

} // namespace headrace
