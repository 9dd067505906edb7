// headrace embed - a text through an encoder: one vector, and the last hidden states.
#include "compiler/support/ErrorText.h"
#include "compiler/tools/headrace/Bundle.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Host.h"
#include "compiler/tools/headrace/Options.h"
#include "compiler/tools/headrace/Text.h"
#include "hr_out.h"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace headrace {
namespace {

struct EmbedArguments {
  std::string bundle, ids, file, hidden;
  std::optional<std::string> text;
  bool truncate = false, json = false;
  RunOptions options;
};

/// The ids of a text; `plain` of them, from `begin` on, are the text's own, the rest the post-processor's.
struct EmbedInput {
  std::vector<int32_t> ids;
  size_t begin = 0, plain = 0;
  size_t left = 0; ///< tokens that --truncate left out
};

Result<EmbedInput> encodeInput(const EmbedArguments &arguments, const OpenBundle &bundle) {
  EmbedInput input;
  if (!arguments.ids.empty()) {
    auto ids = parseIds(arguments.ids);
    if (!ids)
      return ids.error();
    input.ids = ids.take();
    input.plain = input.ids.size();
    return input;
  }
  Result<std::string> text = arguments.text.value_or("");
  if (!arguments.file.empty())
    text = readFile(arguments.file);
  if (!text)
    return text.error();
  hr_tokenizer tokenizer;
  if (hr_status status = bundle.api().model_tokenizer(bundle.model(), &tokenizer); status != HR_OK)
    return expectedFound(fileNameOf(bundle.folder()), "a tokenizer", "none: give --ids");
  auto plain = encodeText(bundle.api(), tokenizer, *text, false),
       ids = encodeText(bundle.api(), tokenizer, *text, true);
  if (!plain || !ids)
    return plain ? ids.error() : plain.error();
  input.begin = size_t(std::search(ids->begin(), ids->end(), plain->begin(), plain->end()) - ids->begin());
  input.plain = plain->size();
  input.ids = ids.take();
  return input;
}

/// Cuts the end of the text off, not what the post-processor put behind it.
Result<void> fit(const EmbedArguments &arguments, const hr_library &library, EmbedInput &input) {
  const size_t most = library.max_positions;
  if (input.ids.empty())
    return expectedFound("text", "at least one token", "none");
  if (input.ids.size() <= most)
    return {};
  size_t over = input.ids.size() - most;
  if (!arguments.truncate || over > input.plain)
    return expectedFound("text", "at most " + std::to_string(most) + " tokens (or --truncate)",
                         std::to_string(input.ids.size()));
  auto end = input.ids.begin() + ptrdiff_t(input.begin + input.plain);
  input.ids.erase(end - ptrdiff_t(over), end);
  input.left = over;
  std::fprintf(stderr, "headrace: note: the last %zu of %zu tokens of the text are left out\n", over, input.plain);
  return {};
}

Result<void> checkVocabulary(const hr_library &library, const std::vector<int32_t> &ids) {
  for (int32_t id : ids)
    if (uint32_t(id) >= library.vocab_size)
      return expectedFound("text", "ids below " + std::to_string(library.vocab_size), std::to_string(id));
  return {};
}

Result<void> writeHidden(const OpenBundle &bundle, const std::string &path, size_t rows) {
  Host host;
  hr_npy npy;
  hr_npy_open(&npy, &host.table, path.c_str(), bundle.library().hidden_size);
  for (size_t row = 0; row != rows; ++row)
    hr_npy_row(&npy, bundle.api().hidden(bundle.session(), uint32_t(row)));
  if (!hr_npy_close(&npy))
    return Error(path + ": cannot be written: " + systemErrorText(npy.error));
  return {};
}

/// What the vector is made by; a model that says nothing gets the mean, as sentence-transformers gives it.
const char *poolingText(const hr_library &library) { return library.pooling == HR_POOLING_CLS ? "cls" : "mean"; }

void print(const EmbedArguments &arguments, const hr_library &library, const EmbedInput &input,
           const std::vector<float> &embedding) {
  if (arguments.json) {
    nlohmann::ordered_json result = {{"embedding", embedding},
                                     {"ids", input.ids},
                                     {"pooling", poolingText(library)},
                                     {"normalized", library.normalize != 0}};
    if (input.left)
      result["truncated"] = input.left;
    std::fputs(jsonLine(result).c_str(), stdout);
    return;
  }
  for (size_t i = 0; i != embedding.size(); ++i)
    std::printf("%s%.9g", i ? " " : "", double(embedding[i]));
  std::fputc('\n', stdout);
}

Result<void> embed(const EmbedArguments &arguments) {
  auto opened = OpenBundle::open(arguments.bundle, arguments.options);
  if (!opened)
    return opened.error();
  OpenBundle &bundle = **opened;
  const hr_library &library = bundle.library();
  HR_TRY(bundle.expectKind(HR_MODEL_ENCODER));
  auto input = encodeInput(arguments, bundle);
  if (!input)
    return input.error();
  HR_TRY(checkVocabulary(library, input->ids));
  HR_TRY(fit(arguments, library, *input));
  std::vector<float> embedding(library.hidden_size);
  hr_status status =
      bundle.api().embed(bundle.session(), input->ids.data(), uint32_t(input->ids.size()), embedding.data());
  if (status != HR_OK)
    return bundle.statusError(status);
  if (!arguments.hidden.empty())
    HR_TRY(writeHidden(bundle, arguments.hidden, input->ids.size()));
  if (library.pooling == HR_POOLING_NONE)
    std::fprintf(stderr, "headrace: note: the model names no pooling: the mean of the rows\n");
  print(arguments, library, *input, embedding);
  return {};
}

} // namespace

void addEmbed(CLI::App &app, int &exitCode, const std::optional<std::string> &text) {
  auto arguments = std::make_shared<EmbedArguments>();
  arguments->text = text;
  CLI::App *command = app.add_subcommand("embed", "a text to a vector, by an encoder: headrace embed B -- \"text\"");
  command->add_option("bundle", arguments->bundle, "the bundle of an encoder")->required();
  command->add_option("--ids", arguments->ids, "token ids, instead of -- \"text\": 1,2,3")->check(tokenIds());
  command->add_option("--file", arguments->file, "a file of text, instead of -- \"text\"");
  command->add_option("--hidden", arguments->hidden, "write the last hidden states, [tokens, hidden], as F.npy");
  command->add_flag("--truncate", arguments->truncate, "leave out the end of a text that is too long, and say so");
  command->add_flag("--json", arguments->json, "one JSON object: embedding, ids, pooling, normalized");
  command->add_option("--threads", arguments->options.threads, "threads (default: the cores)")
      ->check(wholeNumber(1, HR_MAX_THREADS));
  command->callback([arguments, &exitCode] {
    if (arguments->text.has_value() + !arguments->ids.empty() + !arguments->file.empty() != 1)
      throw CLI::ValidationError("embed", "expected one of a text behind --, --ids and --file");
    if (auto done = embed(*arguments); !done)
      exitCode = report(done.error());
  });
}

} // namespace headrace
