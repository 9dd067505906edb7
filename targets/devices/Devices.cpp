#include "targets/devices/Device.h"

namespace headrace {
namespace {

#if defined(__aarch64__)
constexpr const char *hostReference = "reference-aarch64";
#else
constexpr const char *hostReference = "reference-x86-64";
#endif

/// An instruction set: no machine in particular, so nothing is known of memory and rates.
Device instructionSet(const char *variant, const char *description, bool hidden = false) {
  Device device{};
  device.name = variant;
  device.description = description;
  device.variant = variant;
  device.backend = "cpu";
  device.kind = HR_DEVICE_CPU;
  device.hidden = hidden;
  device.threads = 1;
  return device;
}

Device reference(const char *name, const char *variant, bool hidden) {
  Device device = instructionSet(variant, "scalar, the oracle; can be mounted as a second device", hidden);
  device.name = name;
  device.backend = "reference";
  device.kind = HR_DEVICE_REFERENCE;
  return device;
}

/// A machine. Figures of phones are those of the common variant; sustained rates are what CPU decoding reaches.
struct Memory {
  float peakGBs, sustainedGBs, gib, usable;
};
Device machine(const char *name, const char *description, const char *variant, std::vector<CoreCluster> clusters,
               unsigned threads, unsigned l2KiB, unsigned l3KiB, Memory memory) {
  Device device = instructionSet(variant, description);
  device.name = name;
  device.clusters = std::move(clusters);
  device.threads = threads;
  device.l2KiB = l2KiB;
  device.l3KiB = l3KiB;
  device.dramPeakGBs = memory.peakGBs;
  device.dramSustainedGBs = memory.sustainedGBs;
  device.memoryGiB = memory.gib;
  device.usableShare = memory.usable;
  return device;
}

constexpr const char *dotprod = "armv8.2-a+dotprod";
constexpr const char *i8mm = "armv8.6-a+i8mm";

std::vector<Device> makeDevices() {
  return {
      instructionSet("x86-64-v3", "x86-64 with AVX2, FMA and F16C"),
      instructionSet("x86-64-v3+avxvnni", "x86-64 with AVX2 and AVX-VNNI"),
      instructionSet("x86-64-v4+vnni", "x86-64 with AVX512 and AVX512-VNNI"),
      instructionSet("armv8-a", "AArch64, baseline NEON"),
      instructionSet(dotprod, "AArch64 with dot product"),
      instructionSet(i8mm, "AArch64 with dot product and int8 matrix multiply"),
      reference("reference", hostReference, false),
      machine("rpi5", "Raspberry Pi 5, 8 GB", dotprod, {{4, "Cortex-A76", 2.4f}}, 4, 512, 2048,
              {17.1f, 11.0f, 8, 0.8f}),
      machine("rk3588", "Rockchip RK3588, 8 GB; CPU only (its Mali GPU and NPU are not targets)", dotprod,
              {{4, "Cortex-A76", 2.4f}, {4, "Cortex-A55", 1.8f}}, 4, 512, 3072, {33.8f, 18.0f, 8, 0.8f}),
      machine("sd8gen2", "Snapdragon 8 Gen 2, 12 GB; CPU only", i8mm,
              {{1, "Cortex-X3", 3.2f}, {2, "Cortex-A715", 2.8f}, {2, "Cortex-A710", 2.8f}, {3, "Cortex-A510", 2.0f}}, 4,
              1024, 8192, {67.2f, 40.0f, 12, 0.6f}),
      machine("sd8gen3", "Snapdragon 8 Gen 3, 12 GB; CPU only", i8mm,
              {{1, "Cortex-X4", 3.3f}, {3, "Cortex-A720", 3.2f}, {2, "Cortex-A720", 3.0f}, {2, "Cortex-A520", 2.3f}}, 4,
              2048, 12288, {76.8f, 45.0f, 12, 0.6f}),
      machine("sd8elite", "Snapdragon 8 Elite, 16 GB; CPU only", i8mm, {{2, "Oryon", 4.32f}, {6, "Oryon", 3.53f}}, 4,
              12288, 8192, {85.3f, 50.0f, 16, 0.6f}),
      instructionSet("x86-64-v3+avxvnni-evex", "AVX-VNNI's code in EVEX encoding, for tests", true),
      reference("reference-x86-64", "reference-x86-64", true),
      reference("reference-aarch64", "reference-aarch64", true),
  };
}

} // namespace

const std::vector<Device> &allDevices() {
  static const std::vector<Device> devices = makeDevices();
  return devices;
}

const Device *findDevice(const std::string &name) {
  std::string wanted = name;
  if (name == "host") {
    const Variant *best = bestHostVariant(hostCpuFeatures());
    if (!best)
      return nullptr;
    wanted = best->name;
  }
  for (const Device &device : allDevices())
    if (wanted == device.name)
      return &device;
  return nullptr;
}

std::string unknownDeviceMessage(const std::string &name) {
  if (name == "host")
    return "target host: expected a CPU with AVX2, FMA and F16C, or AArch64, found less; name a target";
  std::string message = "target " + name + ": expected host";
  for (const Device &device : allDevices())
    if (!device.hidden)
      message += std::string(", ") + device.name;
  return message;
}

} // namespace headrace
