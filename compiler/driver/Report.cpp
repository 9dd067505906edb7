// What a compile says when it is done.
#include "compiler/driver/Compile.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace headrace {
namespace {

__attribute__((format(printf, 1, 2))) std::string format(const char *pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

double mebibytes(uint64_t bytes) { return double(bytes) / (1 << 20); }

std::string precisionText(const Manifest &m) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> byEncoding; // tensors, bytes
  for (const ManifestWeight &weight : m.weights) {
    auto &row = byEncoding[weight.encoding];
    row.first += 1;
    row.second += weight.bytes;
  }
  std::string text;
  for (const auto &[encoding, row] : byEncoding)
    text += format("%s%s: %" PRIu64 " tensors, %.2f MiB", text.empty() ? "" : "; ", encoding.c_str(), row.first,
                   mebibytes(row.second));
  return text;
}

std::string fusionsText(const Manifest &m) {
  std::string text;
  for (const auto &[what, count] : m.fusions)
    text += format("%s%" PRIu64 " x %s", text.empty() ? "" : ", ", count, what.c_str());
  return text.empty() ? "nothing" : text;
}

} // namespace

std::string reportText(const CompileReport &report) {
  const Manifest &m = report.manifest;
  std::string text =
      format("%s for %s: --quant %s --group %" PRIu64 " --embed %s --head %s --kv %s --context %" PRIu64 "%s\n",
             m.name.c_str(), m.settings.target.c_str(), m.settings.quant.c_str(), m.settings.group,
             m.settings.embed.c_str(), m.settings.head.c_str(), m.settings.kv.c_str(), m.settings.context,
             m.settings.place.empty() ? "" : (" --place " + m.settings.place).c_str());
  text += "  fused      " + fusionsText(m) + "\n";
  text += "  precision  " + precisionText(m) + "\n";
  text += format("  memory     weights.bin %.2f MiB (mapped), arena %.2f MiB, session %.2f MiB (KV cache of %" PRIu64
                 " positions, %" PRIu64 " bytes each)\n",
                 mebibytes(m.weightsBytes), mebibytes(m.arenaBytes), mebibytes(m.sessionBytes), m.model.context,
                 m.cost.kvBytesPerPosition);
  text += format("  per token  %.2f MiB of weights read", mebibytes(m.cost.weightBytesPerToken));
  if (m.cost.tokensPerSecond > 0)
    text += format("; at most %.1f tokens/s by memory bandwidth", m.cost.tokensPerSecond);
  text += "\n";
  for (const std::string &note : report.notes)
    text += "  note: " + note + "\n";
  return text;
}

std::string statsText(const CompileReport &report) {
  std::string text;
  double total = 0;
  for (const auto &[phase, seconds] : report.seconds) {
    text += format("  %-10s %7.2f s\n", phase.c_str(), seconds);
    total += seconds;
  }
  return text + format("  %-10s %7.2f s, at most %.0f MiB of memory\n", "total", total, mebibytes(report.peakBytes));
}

std::string reportJson(const CompileReport &report) {
  nlohmann::ordered_json seconds = nlohmann::ordered_json::object();
  for (const auto &[phase, time] : report.seconds)
    seconds[phase] = time;
  nlohmann::ordered_json json = {{"manifest", nlohmann::ordered_json::parse(report.manifest.toText())},
                                 {"notes", report.notes},
                                 {"seconds", seconds},
                                 {"peak_bytes", report.peakBytes}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace headrace
