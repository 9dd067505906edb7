// headrace targets - what --target takes.
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Text.h"
#include "targets/devices/Device.h"

#include <cstdio>
#include <memory>

namespace headrace {
namespace {

void printTable() {
  uint32_t features = hostCpuFeatures();
  const Variant *best = bestHostVariant(features);
  std::printf("%-20s this machine: %s\n", "host", best ? best->name : "no instruction set that kernels exist for");
  for (const Device &device : allDevices()) {
    if (device.hidden)
      continue;
    std::printf("%-20s %s", device.name, device.description);
    if (std::string(device.name) != device.variant)
      std::printf(" [%s]", device.variant);
    std::fputc('\n', stdout);
  }
}

void printJson() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const Variant *best = bestHostVariant(hostCpuFeatures());
  for (const Device &device : allDevices()) {
    if (device.hidden)
      continue;
    nlohmann::ordered_json cores = nlohmann::ordered_json::array();
    for (const CoreCluster &cluster : device.clusters)
      cores.push_back({{"count", cluster.count}, {"core", cluster.core}, {"ghz", cluster.ghz}});
    list.push_back({{"name", device.name},
                    {"description", device.description},
                    {"variant", device.variant},
                    {"triple", device.getVariant().triple},
                    {"cores", cores},
                    {"dram_peak_gb_per_second", device.dramPeakGBs},
                    {"dram_sustained_gb_per_second", device.dramSustainedGBs},
                    {"memory_gib", device.memoryGiB},
                    {"usable_share", device.usableShare}});
  }
  std::fputs(jsonLine({{"host", best ? best->name : ""}, {"targets", list}}).c_str(), stdout);
}

} // namespace

void addTargets(CLI::App &app, int &) {
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand("targets", "list what --target takes");
  command->add_flag("--json", *json, "one JSON object");
  command->callback([json] { *json ? printJson() : printTable(); });
}

} // namespace headrace
