// headrace-compile - what `headrace compile` runs: the command line of the compiler. LLVM and MLIR are loaded here and
// nowhere else.
#include "compiler/driver/Compile.h"
#include "compiler/support/ErrorText.h"
#include "targets/devices/Device.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace headrace {
namespace {

enum ExitCode { exitDone = 0, exitRefused = 1, exitUsage = 2 };

int fail(const std::string &message, int code) {
  std::fflush(stdout);
  std::fprintf(stderr, "headrace: error: %s\n", message.c_str());
  return code;
}

std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (!text.empty() && begin <= text.size()) {
    size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// CLI11 checks return what is wrong, or nothing.
std::string checkRules(const std::string &text) {
  for (const std::string &rule : splitList(text)) {
    size_t equals = rule.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == rule.size())
      return "expected PATTERN=DEVICE, found " + inQuotes(rule);
  }
  return "";
}

std::string checkKv(const std::string &text) {
  std::vector<std::string> types = splitList(text);
  bool good = types.size() == 1 || types.size() == 2;
  for (const std::string &type : types)
    good = good && (type == "f32" || type == "f16");
  return good ? "" : "expected f32 or f16, or one for K and one for V such as f16,f32; found " + inQuotes(text);
}

std::string checkName(const std::string &text) {
  bool good = !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0]));
  for (unsigned char c : text)
    good = good && (std::isalnum(c) || c == '_') && c < 128;
  if (!good)
    return "expected a C identifier, found " + inQuotes(text);
  return isReservedName(text) ? "expected a name that no header or library beside it has, found " + inQuotes(text) : "";
}

void listTargets() {
  const Variant *best = bestHostVariant(hostCpuFeatures());
  std::printf("%-20s this machine: %s\n", "host", best ? best->name : "no instruction set that kernels exist for");
  for (const Device &device : allDevices())
    if (!device.hidden)
      std::printf("%-20s %s\n", device.name, device.description);
}

/// The options as they are written; CLI11 fills them.
struct Options {
  CompileRequest request;
  std::string target = "host", place, taps;
  bool json = false, stats = false, list = false;
};

void addOptions(CLI::App &app, Options &o) {
  auto encodings = CLI::IsMember({"f32", "f16", "w8", "w4", "w4a", "w4z"});
  app.add_option("model", o.request.model, "folder of a Hugging Face checkpoint, or a GGUF file");
  app.add_option("-o,--output", o.request.output, "the bundle, a folder");
  app.add_option("--target", o.target, "what to compile for; several with commas, the first is the main one")
      ->capture_default_str();
  app.add_option("--place", o.place, "what runs on which target: PATTERN=TARGET,... such as layers.*.mlp=reference")
      ->check(CLI::Validator(checkRules, ""));
  app.add_option("--quant", o.request.quant,
                 "encoding of weights; w4a: 4 bits with a minimum in each group; w4z: with a zero point; keep: what "
                 "the checkpoint "
                 "is quantized to, without loss where a kernel has it (default: keep for GGUF, GPTQ, AWQ and "
                 "compressed-tensors, else w4)")
      ->check(CLI::IsMember({"f32", "f16", "w8", "w4", "w4a", "w4z", "keep"}));
  app.add_option("--embed", o.request.embed, "encoding of the embedding table (default: as --quant)")->check(encodings);
  app.add_option("--head", o.request.head, "encoding of the head (default: as --quant)")->check(encodings);
  app.add_option("--group", o.request.group,
                 "elements that share a scale (default: 64; with keep the checkpoint's, or 32 where it has none)")
      ->check(CLI::IsMember({32, 64, 128}));
  app.add_option("--act", o.request.act, "activations that meet quantized weights: a8, or f32 (weights are widened)")
      ->check(CLI::IsMember({"a8", "f32"}))
      ->capture_default_str();
  app.add_option("--context", o.request.context, "positions of the KV cache (default: the model's, or those of a sentence encoder's texts, at most 4096)")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 30));
  app.add_option("--kv", o.request.kv,
                 "type of keys and values: f32, f16, or one for each (default: f16; f32 if --quant f32)")
      ->check(CLI::Validator(checkKv, ""));
  app.add_option("--taps", o.taps, "values to keep for inspection: PATTERN,... such as layers.*.mlp");
  app.add_option("--name", o.request.name, "C identifier of the library (default: from the folder's name)")
      ->check(CLI::Validator(checkName, ""));
  app.add_option("--chat-template", o.request.chatTemplate,
                 "which of several named chat templates (default: 'default', and 'tool_use' where there are tools)");
  app.add_option("--dump-ir", o.request.dumpIR, "folder for the module after every pass");
  app.add_flag("--no-fallback", o.request.noFallback,
               "an error instead of a note: what --place asks for and cannot be done, weights that --quant keep would "
               "round again, a chat template that cannot be compiled");
  app.add_option("--threads", o.request.threads, "threads of the compile (default: all)")->check(CLI::Range(1u, 1024u));
  app.add_flag("--stats", o.stats, "time and memory of the compile");
  app.add_flag("--json", o.json, "the report as one JSON object");
  app.add_flag("--list-targets", o.list, "list what --target takes");
}

int compile(Options &o) {
  if (o.list) {
    listTargets();
    return exitDone;
  }
  if (o.request.model.empty() || o.request.output.empty())
    return fail(std::string(o.request.model.empty() ? "MODEL" : "-o OUT") + " is required; see headrace compile --help",
                exitUsage);
  auto targets = resolveTargets(o.target);
  if (!targets)
    return fail(targets.error().message(), exitUsage);
  o.request.targets = targets.take();
  o.request.place = splitList(o.place);
  o.request.taps = splitList(o.taps);
  o.request.progress = isatty(STDERR_FILENO);
  auto report = compileModel(o.request);
  if (!report)
    return fail(report.error().message(), exitRefused);
  std::fputs((o.json ? reportJson(*report) : reportText(*report)).c_str(), stdout);
  if (o.stats && !o.json)
    std::fputs(statsText(*report).c_str(), stdout);
  return exitDone;
}

int run(int argc, char **argv) {
  // `headrace compile ...` hands its own command line on.
  if (argc > 1 && std::strcmp(argv[1], "compile") == 0) {
    ++argv;
    --argc;
  }
  CLI::App app("Compiles a model folder into a device bundle.", "headrace compile");
  app.set_version_flag("--version", "headrace " HEADRACE_VERSION);
  Options options;
  addOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return fail(text + "; see headrace compile --help", exitUsage);
  }
  return compile(options);
}

} // namespace
} // namespace headrace

int main(int argc, char **argv) { return headrace::run(argc, argv); }
