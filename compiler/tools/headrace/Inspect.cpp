// headrace inspect - what a bundle is made of: precision, memory map, kernels, provenance.
#include "compiler/tools/headrace/Bundle.h"
#include "compiler/tools/headrace/Commands.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <memory>

namespace headrace {
namespace {

/// "1.5 MB"
std::string sizeText(uint64_t bytes) {
  const char *units[] = {"B", "KB", "MB", "GB", "TB"};
  double value = double(bytes);
  int unit = 0;
  while (value >= 1000 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}

template <typename Names> std::string join(const Names &names, const char *separator = ", ") {
  std::string text;
  for (const auto &name : names)
    text += (text.empty() ? "" : separator) + std::string(name);
  return text;
}

void printModel(const Manifest &m) {
  std::printf("%s: %s, %.2f M parameters, %" PRIu64 " layers, hidden %" PRIu64 ", %" PRIu64 " heads (%" PRIu64
              " KV) of %" PRIu64 ", feed-forward %" PRIu64 ", vocabulary %" PRIu64 "\n",
              m.name.c_str(), m.model.architecture.c_str(), double(m.model.parameters) * 1e-6, m.model.layers,
              m.model.hidden, m.model.heads, m.model.kvHeads, m.model.headDim, m.model.feedForward, m.model.vocab);
  if (m.model.mixtures)
    std::printf("  %" PRIu64 " layers are mixtures of %" PRIu64 " experts of feed-forward %" PRIu64
                ": a token goes through %" PRIu64 "\n",
                m.model.mixtures, m.model.experts, m.model.expertFeedForward, m.model.expertsPerToken);
  if (m.model.kind != "decoder")
    std::printf("  %s, pooling %s%s\n", m.model.kind.c_str(), m.model.pooling.c_str(),
                m.model.normalize ? ", normalized" : "");
  std::printf("  written by %s for %s; --quant %s --group %" PRIu64
              " --embed %s --head %s --act %s --kv %s --context %" PRIu64 "%s\n",
              m.compiler.c_str(), m.settings.target.c_str(), m.settings.quant.c_str(), m.settings.group,
              m.settings.embed.c_str(), m.settings.head.c_str(), m.settings.act.c_str(), m.settings.kv.c_str(),
              m.settings.context, m.settings.place.empty() ? "" : (" --place " + m.settings.place).c_str());
  for (const ManifestLibrary &library : m.libraries)
    std::printf("  %s: %s, needs %s\n", library.triple.c_str(), library.target.c_str(),
                library.cpuFeatures.empty() ? "nothing beyond the baseline" : join(library.cpuFeatures).c_str());
}

void printPrecision(const Manifest &m) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> byEncoding; // tensors, bytes
  for (const ManifestWeight &weight : m.weights) {
    auto &row = byEncoding[weight.encoding];
    row.first += 1;
    row.second += weight.bytes;
  }
  std::printf("\nPrecision\n");
  for (const auto &[encoding, row] : byEncoding)
    std::printf("  %-10s %5" PRIu64 " tensors %12s\n", encoding.c_str(), row.first, sizeText(row.second).c_str());
}

void printMemory(const Manifest &m) {
  std::printf("\nMemory\n");
  std::printf("  weights.bin %12s (mapped, never copied)\n", sizeText(m.weightsBytes).c_str());
  for (const ManifestSection &section : m.sections)
    std::printf("    %-20s %12" PRIu64 " +%-12" PRIu64 " %s, device %s\n", section.name.c_str(), section.offset,
                section.bytes, section.memory.c_str(),
                section.device < m.devices.size() ? m.devices[section.device].c_str() : "none");
  std::printf("  arena       %12s\n", sizeText(m.arenaBytes).c_str());
  std::printf("  session     %12s (KV cache of %" PRIu64 " positions, %s each)\n", sizeText(m.sessionBytes).c_str(),
              m.model.context, sizeText(m.cost.kvBytesPerPosition).c_str());
  std::printf("  a decode step reads %s of weights", sizeText(m.cost.weightBytesPerToken).c_str());
  if (m.cost.tokensPerSecond > 0)
    std::printf("; at most %.1f tokens/s by memory bandwidth", m.cost.tokensPerSecond);
  std::printf("\n");
}

void printKernels(const Manifest &m) {
  if (!m.fusions.empty())
    std::printf("\nFused\n");
  for (const auto &[what, count] : m.fusions)
    std::printf("  %4" PRIu64 " x %s\n", count, what.c_str());
  std::printf("\nEntries\n");
  for (const ManifestEntry &entry : m.entries)
    std::printf("  %-10s %4" PRIu64 " rows %5" PRIu64 " launches %5" PRIu64 " barriers %3" PRIu64 " copies\n",
                entry.name.c_str(), entry.rows, entry.launches, entry.barriers, entry.copies);
  std::printf("\nKernels (launches of a decode step)\n");
  for (const ManifestKernel &kernel : m.kernels)
    std::printf("  %5" PRIu64 "  %s\n", kernel.launches, kernel.name.c_str());
}

/// The first and the last of a long list; --json has all.
std::vector<std::string> shortened(const std::vector<std::string> &names) {
  if (names.size() <= 6)
    return names;
  return {names[0], names[1], "... (" + std::to_string(names.size()) + " tensors)", names.back()};
}

void printWeights(const Manifest &m) {
  std::printf("\nWeights (section +offset, bytes, encoding, layout: checkpoint tensors; recipe; kernels)\n");
  for (const ManifestWeight &weight : m.weights) {
    std::vector<std::string> sources;
    for (const ManifestSource &source : weight.sources)
      sources.push_back(source.file.empty() ? source.tensor + " (computed)"
                                            : source.tensor + " (" + source.file + ", " + source.dtype + ")");
    std::printf("  %s: %" PRIu64 " +%" PRIu64 ", %" PRIu64 ", %s, %s\n", weight.name.c_str(), weight.section,
                weight.offset, weight.bytes, weight.encoding.c_str(), weight.layout.c_str());
    std::printf("    from %s; %s\n", join(shortened(sources)).c_str(), weight.recipe.c_str());
    std::printf("    read by %s\n", weight.kernels.empty() ? "nothing" : join(weight.kernels).c_str());
  }
}

void printBuffers(const Manifest &m) {
  std::printf("\nArena (entry: device +offset, bytes, value)\n");
  for (const ManifestBuffer &buffer : m.buffers)
    std::printf("  %s: %" PRIu64 " +%" PRIu64 ", %" PRIu64 ", %s\n", buffer.entry.c_str(), buffer.device, buffer.offset,
                buffer.bytes, buffer.value.c_str());
}

Result<void> inspect(const std::string &folder, bool json) {
  auto manifest = readManifest(folder);
  if (!manifest)
    return manifest.error();
  if (json) {
    std::fputs(manifest->toText().c_str(), stdout);
    return {};
  }
  printModel(*manifest);
  printPrecision(*manifest);
  printMemory(*manifest);
  printKernels(*manifest);
  printWeights(*manifest);
  printBuffers(*manifest);
  return {};
}

} // namespace

void addInspect(CLI::App &app, int &exitCode) {
  auto bundle = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand("inspect", "memory map, precision, kernels and provenance of a bundle");
  command->add_option("bundle", *bundle, "the bundle")->required();
  command->add_flag("--json", *json, "the same as JSON, as the manifest has it");
  command->callback([bundle, json, &exitCode] {
    if (auto done = inspect(*bundle, *json); !done)
      exitCode = report(done.error());
  });
}

} // namespace headrace
