#include "compiler/bundle/BundleTexts.h"
#include "compiler/support/Format.h"

#include <cinttypes>
#include <map>

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

struct Share {
  uint64_t tensors = 0, values = 0, bytes = 0;
};

/// Weights by encoding, and by device.
using Shares = std::map<std::string, Share>;

template <typename Key> Shares sharesOf(const Manifest &m, Key key) {
  Shares shares;
  for (const ManifestWeight &weight : m.weights) {
    uint64_t values = 1;
    for (uint64_t dim : weight.shape)
      values *= dim;
    Share &share = shares[key(weight)];
    share.tensors += 1;
    share.values += values;
    share.bytes += weight.bytes;
  }
  return shares;
}

Shares byEncoding(const Manifest &m) {
  return sharesOf(m, [](const ManifestWeight &weight) { return weight.encoding; });
}

Shares byDevice(const Manifest &m) {
  return sharesOf(m, [&](const ManifestWeight &weight) {
    return weight.device < m.devices.size() ? m.devices[weight.device] : "?";
  });
}

std::string sharesText(const Shares &shares) {
  std::string text;
  for (const auto &[name, share] : shares)
    text += format("  %-24s %6" PRIu64 " tensors %12" PRIu64 " values %10.2f MiB  %.2f bits a value\n", name.c_str(),
                   share.tensors, share.values, mebibytes(share.bytes),
                   share.values ? 8.0 * double(share.bytes) / double(share.values) : 0.0);
  return text;
}

Json sharesJson(const Shares &shares) {
  Json json = Json::object();
  for (const auto &[name, share] : shares)
    json[name] = {{"tensors", share.tensors}, {"values", share.values}, {"bytes", share.bytes}};
  return json;
}

std::string storedText(const Manifest &m) {
  std::string text = m.stored.empty() ? "" : "\nThe checkpoint's matrices under --quant keep\n";
  for (const ManifestStored &row : m.stored)
    text += format("  %-56s %5" PRIu64 " tensors %12" PRIu64 " values %10.2f MiB there: %s%s\n", row.text().c_str(),
                   row.tensors, row.values, mebibytes(row.bytes), row.first.c_str(), row.tensors > 1 ? ", ..." : "");
  return text;
}

Json storedJson(const Manifest &m) {
  Json json = Json::array();
  for (const ManifestStored &row : m.stored)
    json.push_back({{"type", row.type},
                    {"encoding", row.encoding},
                    {"outcome", row.outcome},
                    {"first", row.first},
                    {"tensors", row.tensors},
                    {"values", row.values},
                    {"bytes", row.bytes}});
  return json;
}

} // namespace

std::string bundleReportText(const Manifest &m) {
  std::string text = format("%s for %s, by %s\n", m.name.c_str(), m.settings.target.c_str(), m.compiler.c_str());
  text += format("--quant %s --group %" PRIu64 " --embed %s --head %s --act %s --kv %s --context %" PRIu64 "\n",
                 m.settings.quant.c_str(), m.settings.group, m.settings.embed.c_str(), m.settings.head.c_str(),
                 m.settings.act.c_str(), m.settings.kv.c_str(), m.settings.context);
  text += "\nFused\n";
  for (const auto &[what, count] : m.fusions)
    text += format("  %6" PRIu64 " x %s\n", count, what.c_str());
  text += "\nPrecision\n" + sharesText(byEncoding(m)) + storedText(m);
  text += "\nPlacement of weights\n" + sharesText(byDevice(m));
  text += "\nMemory\n";
  text += format("  weights.bin              %10.2f MiB, mapped\n", mebibytes(m.weightsBytes));
  for (const ManifestSection &section : m.sections)
    text += format("    %-22s %10.2f MiB at %" PRIu64 ", %s\n", section.name.c_str(), mebibytes(section.bytes),
                   section.offset, section.memory.c_str());
  text += format("  arena                    %10.2f MiB\n", mebibytes(m.arenaBytes));
  text += format("  a session                %10.2f MiB: KV cache of %" PRIu64 " positions, %" PRIu64 " bytes each\n",
                 mebibytes(m.sessionBytes), m.model.context, m.cost.kvBytesPerPosition);
  text += "\nA token\n";
  text += format("  weights read             %10" PRIu64 " bytes\n", m.cost.weightBytesPerToken);
  if (m.model.mixtures)
    text += format("    of experts             %10" PRIu64 " of %" PRIu64 " in each of %" PRIu64 " layers\n",
                   m.model.expertsPerToken, m.model.experts, m.model.mixtures);
  text +=
      format("  KV cache read            %10" PRIu64 " bytes for each position before it\n", m.cost.kvBytesPerPosition);
  if (m.cost.tokensPerSecond > 0)
    text +=
        format("  at most                  %10.1f tokens/s by the device's memory bandwidth\n", m.cost.tokensPerSecond);
  text += "\nEntries\n";
  for (const ManifestEntry &entry : m.entries)
    text += format("  %-12s %5" PRIu64 " rows %6" PRIu64 " launches %6" PRIu64 " barriers %4" PRIu64 " copies\n",
                   entry.name.c_str(), entry.rows, entry.launches, entry.barriers, entry.copies);
  return text;
}

std::string bundleReportJson(const Manifest &m) {
  Json fusions = Json::object(), entries = Json::object();
  for (const auto &[what, count] : m.fusions)
    fusions[what] = count;
  for (const ManifestEntry &entry : m.entries)
    entries[entry.name] = {
        {"rows", entry.rows}, {"launches", entry.launches}, {"barriers", entry.barriers}, {"copies", entry.copies}};
  Json json = {{"name", m.name},
               {"target", m.settings.target},
               {"fused", fusions},
               {"precision", sharesJson(byEncoding(m))},
               {"stored", storedJson(m)},
               {"placement", sharesJson(byDevice(m))},
               {"memory", {{"weights", m.weightsBytes}, {"arena", m.arenaBytes}, {"session", m.sessionBytes}}},
               {"token",
                {{"weight_bytes", m.cost.weightBytesPerToken},
                 {"experts_per_token", m.model.expertsPerToken},
                 {"kv_bytes_per_position", m.cost.kvBytesPerPosition},
                 {"tokens_per_second", m.cost.tokensPerSecond}}},
               {"entries", entries}};
  return json.dump(1) + "\n";
}

} // namespace headrace
