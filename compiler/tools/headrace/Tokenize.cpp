// headrace tokenize, headrace detokenize - by the tokenizer of a bundle, of a model folder, of a tokenizer.json, or of
// a GGUF file.
#include "compiler/import/tokenizer/Tokenizer.h"
#include "compiler/support/ErrorText.h"
#include "compiler/tools/headrace/Bundle.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Options.h"
#include "compiler/tools/headrace/Text.h"

#include <cstdio>
#include <memory>
#include <sys/stat.h>

namespace headrace {
namespace {

/// A tokenizer and the bytes it lies in.
struct TokenizerSource {
  MappedFile weights;
  std::vector<uint8_t> compiled;
  hr_tokenizer tokenizer = {};
};

Result<std::unique_ptr<TokenizerSource>> openTokenizer(const std::string &what) {
  auto source = std::make_unique<TokenizerSource>();
  struct stat info;
  if (stat(what.c_str(), &info) != 0)
    return expectedFound(what, "a bundle, a model folder, a tokenizer.json or a GGUF file", systemErrorText(errno));
  bool folder = S_ISDIR(info.st_mode);
  if (folder && pathExists(what + "/weights.bin")) {
    auto weights = MappedFile::open(what + "/weights.bin");
    if (!weights)
      return weights.error();
    source->weights = weights.take();
    auto tokenizer = tokenizerOf(source->weights, what);
    if (!tokenizer)
      return tokenizer.error();
    source->tokenizer = *tokenizer;
    return source;
  }
  std::string file = folder ? what + "/tokenizer.json" : what;
  auto compiled = compileTokenizer(file);
  if (!compiled)
    return compiled.error();
  source->compiled = compiled.take();
  hr_status status = hr_tokenizer_open(&source->tokenizer, source->compiled.data(), source->compiled.size());
  if (status != HR_OK)
    return Error(fileNameOf(file) + ": " + hr_status_text(status));
  return source;
}

struct TokenizeArguments {
  std::string what, file;
  std::optional<std::string> text;
  bool special = false, json = false;
};

Result<void> tokenizeText(const TokenizeArguments &arguments) {
  auto source = openTokenizer(arguments.what);
  if (!source)
    return source.error();
  std::string text = arguments.text.value_or("");
  if (!arguments.file.empty()) {
    auto read = readFile(arguments.file);
    if (!read)
      return read.error();
    text = read.take();
  }
  auto ids = encodeText((*source)->tokenizer, text, arguments.special);
  if (!ids)
    return ids.error();
  if (arguments.json) {
    std::fputs(jsonLine({{"ids", *ids}}).c_str(), stdout);
    return {};
  }
  for (size_t i = 0; i != ids->size(); ++i)
    std::printf("%s%d", i ? "," : "", (*ids)[i]);
  std::fputc('\n', stdout);
  return {};
}

struct DetokenizeArguments {
  std::string what, ids;
  bool skipSpecial = false;
};

Result<void> detokenizeIds(const DetokenizeArguments &arguments) {
  auto source = openTokenizer(arguments.what);
  if (!source)
    return source.error();
  auto ids = parseIds(arguments.ids);
  if (!ids)
    return ids.error();
  const uint32_t count = hr_tokenizer_count(&(*source)->tokenizer);
  for (int32_t id : *ids)
    if (uint32_t(id) >= count)
      return expectedFound("--ids", "ids below " + std::to_string(count) + ", the size of the vocabulary",
                           std::to_string(id));
  auto text = decodeIds(*hr_api_get(), (*source)->tokenizer, *ids, arguments.skipSpecial ? 0 : HR_KEEP_SPECIAL);
  if (!text)
    return text.error();
  std::fwrite(text->data(), 1, text->size(), stdout);
  std::fputc('\n', stdout);
  return {};
}

} // namespace

void addTokenize(CLI::App &app, int &exitCode, const std::optional<std::string> &text) {
  auto arguments = std::make_shared<TokenizeArguments>();
  arguments->text = text;
  CLI::App *command = app.add_subcommand("tokenize", "text to token ids: headrace tokenize WHAT -- \"text\"");
  command->add_option("what", arguments->what, "a bundle, a model folder, a tokenizer.json or a GGUF file")->required();
  command->add_option("--file", arguments->file, "a file of text, instead of -- \"text\"");
  command->add_flag("--special", arguments->special, "with the special tokens of the post-processor");
  command->add_flag("--json", arguments->json, "one JSON object");
  command->callback([arguments, &exitCode] {
    if (arguments->text.has_value() == !arguments->file.empty())
      throw CLI::ValidationError("tokenize", "expected a text behind --, or --file");
    if (auto done = tokenizeText(*arguments); !done)
      exitCode = report(done.error());
  });
}

void addDetokenize(CLI::App &app, int &exitCode) {
  auto arguments = std::make_shared<DetokenizeArguments>();
  CLI::App *command = app.add_subcommand("detokenize", "token ids to text");
  command->add_option("what", arguments->what, "a bundle, a model folder, a tokenizer.json or a GGUF file")->required();
  command->add_option("--ids", arguments->ids, "token ids: 1,2,3")->required()->check(tokenIds());
  command->add_flag("--skip-special", arguments->skipSpecial, "without special tokens, as run prints");
  command->callback([arguments, &exitCode] {
    if (auto done = detokenizeIds(*arguments); !done)
      exitCode = report(done.error());
  });
}

} // namespace headrace
