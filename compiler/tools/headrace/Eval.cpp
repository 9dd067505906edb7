// headrace eval - perplexity of a text: the mean over full windows, each from an empty cache.
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/tools/headrace/Bundle.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Options.h"
#include "compiler/tools/headrace/Text.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

namespace headrace {
namespace {

struct EvalArguments {
  std::string bundle, text, idsFile;
  size_t tokens = std::numeric_limits<size_t>::max();
  uint32_t window = 512;
  bool json = false;
  RunOptions options;
};

Result<std::vector<int32_t>> readIdsFile(const std::string &path) {
  auto text = readFile(path);
  if (!text)
    return text.error();
  auto json = parseJson(*text, fileNameOf(path));
  if (!json)
    return json.error();
  if (!json->is_array())
    return expectedFound(fileNameOf(path), "an array of token ids", jsonKindText(*json));
  std::vector<int32_t> ids;
  for (const auto &id : *json) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() > uint64_t(std::numeric_limits<int32_t>::max()))
      return expectedFound(fileNameOf(path), "an array of token ids", jsonKindText(id) + " in it");
    ids.push_back(id.get<int32_t>());
  }
  return ids;
}

Result<std::vector<int32_t>> evalIds(const EvalArguments &arguments, const OpenBundle &bundle) {
  Result<std::vector<int32_t>> ids = std::vector<int32_t>();
  if (!arguments.idsFile.empty()) {
    ids = readIdsFile(arguments.idsFile);
  } else {
    auto text = readFile(arguments.text);
    if (!text)
      return text.error();
    auto tokenizer = tokenizerOf(bundle.weights(), bundle.folder());
    if (!tokenizer)
      return tokenizer.error();
    ids = encodeText(*tokenizer, *text, false);
  }
  if (!ids)
    return ids;
  ids->resize(std::min(ids->size(), arguments.tokens));
  for (int32_t id : *ids)
    if (uint32_t(id) >= bundle.library().vocab_size)
      return Error("tokens: expected ids below " + std::to_string(bundle.library().vocab_size) + ", found " +
                   std::to_string(id));
  if (ids->size() < arguments.window)
    return Error("tokens: expected at least one window of " + std::to_string(arguments.window) + ", found " +
                 std::to_string(ids->size()));
  if (arguments.window > bundle.library().max_positions)
    return Error("--window: expected at most the context of " + std::to_string(bundle.library().max_positions) +
                 ", found " + std::to_string(arguments.window));
  return ids;
}

/// Sums -log p of each next token of a window.
struct WindowLoss {
  const int32_t *ids;
  uint32_t length, vocab;
  double sum = 0;
};

hr_status onRows(void *user, uint32_t first, uint32_t rows, const float *logits, uint32_t stride) {
  auto &loss = *static_cast<WindowLoss *>(user);
  for (uint32_t row = 0; row != rows && first + row + 1 < loss.length; ++row) {
    const float *values = logits + size_t(row) * stride;
    float top = values[0];
    for (uint32_t i = 1; i != loss.vocab; ++i)
      top = std::max(top, values[i]);
    double total = 0;
    for (uint32_t i = 0; i != loss.vocab; ++i)
      total += std::exp(double(values[i]) - double(top));
    loss.sum += std::log(total) + double(top) - double(values[loss.ids[first + row + 1]]);
  }
  return HR_OK;
}

Result<void> evaluate(const EvalArguments &arguments) {
  auto opened = OpenBundle::open(arguments.bundle, arguments.options);
  if (!opened)
    return opened.error();
  OpenBundle &bundle = **opened;
  HR_TRY(bundle.expectKind(HR_MODEL_DECODER));
  auto ids = evalIds(arguments, bundle);
  if (!ids)
    return ids.error();

  size_t windows = ids->size() / arguments.window;
  double total = 0;
  for (size_t w = 0; w != windows; ++w) {
    WindowLoss loss = {ids->data() + w * arguments.window, arguments.window, bundle.library().vocab_size};
    hr_status status = bundle.api().session_rewind(bundle.session(), 0);
    if (status == HR_OK)
      status = bundle.api().append(bundle.session(), loss.ids, loss.length, HR_ALL_ROWS, onRows, &loss);
    if (status != HR_OK)
      return bundle.statusError(status);
    total += loss.sum / double(arguments.window - 1);
  }
  double nll = total / double(windows);
  size_t predictions = windows * (arguments.window - 1);
  if (arguments.json)
    std::fputs(jsonLine({{"perplexity", std::exp(nll)}, {"nll", nll}, {"tokens", predictions}}).c_str(), stdout);
  else
    std::printf("perplexity %.4f over %zu tokens (%zu windows of %u), %.5f nats a token\n", std::exp(nll), predictions,
                windows, arguments.window, nll);
  return {};
}

} // namespace

void addEval(CLI::App &app, int &exitCode) {
  auto arguments = std::make_shared<EvalArguments>();
  CLI::App *command = app.add_subcommand("eval", "perplexity of a text");
  command->add_option("bundle", arguments->bundle, "the bundle")->required();
  auto *source = command->add_option_group("text", "what to judge on");
  source->add_option("--text", arguments->text, "a file of text");
  source->add_option("--ids-file", arguments->idsFile, "a file with a JSON array of token ids");
  source->require_option(1);
  command->add_option("--tokens", arguments->tokens, "only the first so many tokens")
      ->check(wholeNumber(2, uint64_t(1) << 40));
  command->add_option("--window", arguments->window, "tokens of a window")
      ->capture_default_str()
      ->check(wholeNumber(2, 1 << 24));
  command->add_option("--threads", arguments->options.threads, "threads (default: the cores)")
      ->check(wholeNumber(1, HR_MAX_THREADS));
  command->add_option("--chunk", arguments->options.chunk, "most rows of a step")->check(wholeNumber(1, 1 << 20));
  command->add_flag("--json", arguments->json, "one JSON object");
  command->callback([arguments, &exitCode] {
    if (auto done = evaluate(*arguments); !done)
      exitCode = report(done.error());
  });
}

} // namespace headrace
