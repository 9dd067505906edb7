// headrace diff - a bundle against its float model, layer by layer.
//
// The bundle has no taps. So the model is compiled again with the settings that the manifest records, once as it was
// with taps, once in float with taps. That the first of these gives the bundle's logits bit for bit shows that what is
// looked at is what the bundle does.
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/tools/headrace/Bundle.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Compiler.h"
#include "compiler/tools/headrace/Difference.h"
#include "compiler/tools/headrace/Options.h"
#include "compiler/tools/headrace/Recording.h"
#include "compiler/tools/headrace/Text.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

namespace headrace {
namespace {

struct DiffArguments {
  std::string bundle, model, text, ids, taps = "*";
  size_t tokens = 32;
  double threshold = 0.5;
  bool json = false;
};

/// A folder that is gone when this object is.
class ScratchFolder {
public:
  static Result<std::unique_ptr<ScratchFolder>> make() {
    const char *base = std::getenv("TMPDIR");
    std::string pattern = std::string(base && *base ? base : "/tmp") + "/headrace-diff-XXXXXX";
    if (!mkdtemp(pattern.data()))
      return expectedFound(pattern, "a new folder", systemErrorText(errno));
    return std::unique_ptr<ScratchFolder>(new ScratchFolder(pattern));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::string path;

private:
  explicit ScratchFolder(std::string path) : path(std::move(path)) {}
};

/// The command line that compiles the model as the manifest says, with taps; in float when asked.
std::vector<std::string> compileArguments(const DiffArguments &arguments, const Manifest &manifest, bool asFloat,
                                          const std::string &output) {
  const ManifestSettings &s = manifest.settings;
  std::vector<std::string> words = {"compile", arguments.model, "-o", output, "--taps", arguments.taps};
  auto option = [&](const char *name, const std::string &value) {
    if (!value.empty())
      words.insert(words.end(), {name, value});
  };
  option("--target", s.target);
  option("--place", s.place);
  option("--context", std::to_string(s.context));
  option("--name", manifest.name);
  option("--quant", asFloat ? "f32" : s.quant);
  option("--embed", asFloat ? "f32" : s.embed);
  option("--head", asFloat ? "f32" : s.head);
  option("--group", std::to_string(s.group));
  option("--act", s.act);
  option("--kv", asFloat ? "f32" : s.kv);
  return words;
}

Result<std::vector<int32_t>> goldenIds(const std::string &bundle) {
  auto text = readFile(bundle + "/golden/golden.json");
  if (!text)
    return text.error();
  auto json = parseJson(*text, "golden.json");
  if (!json)
    return json.error();
  std::vector<int32_t> ids;
  for (const char *key : {"ids", "expected"}) {
    auto list = json->find(key);
    if (list == json->end() || !list->is_array())
      return expectedFound("golden.json", std::string("an array ") + inQuotes(key), "another structure");
    for (const auto &id : *list)
      ids.push_back(id.is_number_integer() ? id.get<int32_t>() : -1);
  }
  return ids;
}

Result<std::vector<int32_t>> chooseIds(const DiffArguments &arguments, const Manifest &manifest) {
  Result<std::vector<int32_t>> ids = std::vector<int32_t>();
  if (!arguments.ids.empty()) {
    ids = parseIds(arguments.ids);
  } else if (!arguments.text.empty()) {
    auto text = readFile(arguments.text);
    if (!text)
      return text.error();
    auto weights = MappedFile::open(arguments.bundle + "/weights.bin");
    if (!weights)
      return weights.error();
    auto tokenizer = tokenizerOf(*weights, arguments.bundle);
    if (!tokenizer)
      return tokenizer.error();
    ids = encodeText(*tokenizer, *text, false);
  } else {
    ids = goldenIds(arguments.bundle);
  }
  if (!ids)
    return ids;
  ids->resize(std::min<size_t>({ids->size(), arguments.tokens, size_t(manifest.model.context)}));
  if (ids->empty())
    return expectedFound("tokens", "at least one", "none");
  for (int32_t id : *ids)
    if (id < 0 || uint64_t(id) >= manifest.model.vocab)
      return expectedFound("tokens", "ids below " + std::to_string(manifest.model.vocab), std::to_string(id));
  return ids;
}

Result<Recording> compileAndRecord(const DiffArguments &arguments, const Manifest &manifest, bool asFloat,
                                   const std::vector<int32_t> &ids) {
  auto scratch = ScratchFolder::make();
  if (!scratch)
    return scratch.error();
  std::string output = (*scratch)->path + "/tapped.bundle";
  HR_TRY(runCompiler(compileArguments(arguments, manifest, asFloat, output)));
  return recordBundle(output, ids);
}

Result<void> checkSameBits(const DiffArguments &arguments, const Recording &bundle, const Recording &again) {
  for (size_t i = 0; i != bundle.logits.size() && i != again.logits.size(); ++i)
    if (std::memcmp(&bundle.logits[i], &again.logits[i], sizeof(float)) != 0)
      return expectedFound(arguments.bundle, "the logits of " + arguments.model + " compiled with its settings",
                           "others from token " + std::to_string(i / bundle.vocab) +
                               " on: the model or the compiler is not the same");
  if (bundle.logits.size() != again.logits.size())
    return expectedFound(arguments.bundle, "the vocabulary of " + arguments.model, std::to_string(bundle.vocab));
  return {};
}

/// What a comparison found.
struct Outcome {
  std::vector<Difference> differences;
  std::vector<std::string> notCompared;
  const Difference *bad = nullptr; ///< the first, if any
  size_t tokens = 0, same = 0;
};

void printTable(const DiffArguments &arguments, const Outcome &outcome) {
  std::printf("%-32s %14s %18s\n", "value", "relative error", "largest difference");
  for (const Difference &d : outcome.differences)
    std::printf("%-32s %14.6f %18.6f%s\n", d.name.c_str(), d.relative, d.largest,
                &d == outcome.bad   ? "  <- first bad"
                : !isJudged(d.name) ? "  (a choice of experts)"
                                    : "");
  std::printf("\n%zu tokens; the bundle's logits are those of its settings bit for bit; the same most likely token "
              "after %zu of them\n",
              outcome.tokens, outcome.same);
  if (!outcome.notCompared.empty()) {
    std::printf("not compared, because only one of the two has them in float:");
    for (const std::string &name : outcome.notCompared)
      std::printf(" %s", name.c_str());
    std::printf("\n");
  }
  if (outcome.bad)
    std::printf("first bad layer: %s (relative error %.4f is above %.4f)\n", outcome.bad->name.c_str(),
                outcome.bad->relative, arguments.threshold);
  else
    std::printf("first bad layer: none (all relative errors are at most %.4f)\n", arguments.threshold);
}

void printJson(const DiffArguments &arguments, const Outcome &outcome) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const Difference &d : outcome.differences)
    values.push_back({{"name", d.name}, {"relative_error", d.relative}, {"largest_difference", d.largest}});
  nlohmann::ordered_json result = {
      {"tokens", outcome.tokens},           {"same_bits", true},    {"same_choices", outcome.same},
      {"threshold", arguments.threshold},   {"first_bad", nullptr}, {"values", values},
      {"not_compared", outcome.notCompared}};
  if (outcome.bad)
    result["first_bad"] = outcome.bad->name;
  std::fputs(jsonLine(result).c_str(), stdout);
}

Result<void> diff(const DiffArguments &arguments) {
  auto manifest = readManifest(arguments.bundle);
  if (!manifest)
    return manifest.error();
  if (manifest->model.kind != "decoder")
    return expectedFound(fileNameOf(arguments.bundle), "a model that generates text", "an " + manifest->model.kind);
  auto ids = chooseIds(arguments, *manifest);
  if (!ids)
    return ids.error();
  auto bundle = recordBundle(arguments.bundle, *ids);
  if (!bundle)
    return bundle.error();
  auto again = compileAndRecord(arguments, *manifest, false, *ids);
  if (!again)
    return again.error();
  HR_TRY(checkSameBits(arguments, *bundle, *again));
  auto reference = compileAndRecord(arguments, *manifest, true, *ids);
  if (!reference)
    return reference.error();

  Outcome outcome = {compareRecordings(*again, *reference), notCompared(*again, *reference), nullptr, ids->size(),
                     sameChoices(*again, *reference)};
  for (size_t i = outcome.differences.size(); i-- > 0;)
    if (!(outcome.differences[i].relative <= arguments.threshold) && isJudged(outcome.differences[i].name))
      outcome.bad = &outcome.differences[i];
  (arguments.json ? printJson : printTable)(arguments, outcome);
  return {};
}

} // namespace

void addDiff(CLI::App &app, int &exitCode) {
  auto arguments = std::make_shared<DiffArguments>();
  CLI::App *command = app.add_subcommand("diff", "compare a bundle with its float model layer by layer");
  command->add_option("bundle", arguments->bundle, "the bundle")->required();
  command->add_option("model", arguments->model, "the folder it was compiled from")->required();
  auto *text = command->add_option("--text", arguments->text, "tokens from a file of text");
  command->add_option("--ids", arguments->ids, "tokens: 1,2,3 (default: those of the bundle's self-test)")
      ->check(tokenIds())
      ->excludes(text);
  command->add_option("--tokens", arguments->tokens, "most tokens")
      ->capture_default_str()
      ->check(wholeNumber(1, 1 << 20));
  command->add_option("--taps", arguments->taps, "which values: PATTERN,... such as layers.*.mlp")
      ->capture_default_str();
  command->add_option("--threshold", arguments->threshold, "relative error from which a layer is called bad")
      ->capture_default_str()
      ->check(number(0, 1e9));
  command->add_flag("--json", arguments->json, "one JSON object");
  command->callback([arguments, &exitCode] {
    if (auto done = diff(*arguments); !done)
      exitCode = report(done.error());
  });
}

} // namespace headrace
