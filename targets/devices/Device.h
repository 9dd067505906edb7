// Device.h - the table of devices one can compile for (no MLIR, no LLVM): `headrace targets`, --target, memory checks.
#ifndef HEADRACE_TARGETS_DEVICES_DEVICE_H
#define HEADRACE_TARGETS_DEVICES_DEVICE_H
#include "targets/devices/Variant.h"
#include <string>
#include <vector>

namespace headrace {

/// Cores of one kind.
struct CoreCluster {
  unsigned count;
  const char *core; ///< "Cortex-A76"
  float ghz;
};

/// What a machine is: enough to check that a model fits and to predict what a token costs. Zero means unknown.
struct Device {
  const char *name;        ///< what --target takes: "rpi5"
  const char *description; ///< one line for `headrace targets`
  const char *variant;     ///< name of the Variant that its kernels are built for
  const char *backend;     ///< TargetBackend::getName(): "cpu" or "reference"
  hr_device_kind kind;
  bool hidden;                       ///< for tests: not listed
  std::vector<CoreCluster> clusters; ///< fastest first; empty for an instruction set that is no particular machine
  unsigned threads;                  ///< threads that pay for decoding
  unsigned l2KiB, l3KiB;             ///< L2 of one fast core or cluster; last level
  float dramPeakGBs, dramSustainedGBs;
  float memoryGiB;   ///< memory of the default model
  float usableShare; ///< share of it one program may count on

  const Variant &getVariant() const { return *findVariant(variant); }
  /// Bytes a model may take; 0: unknown, not checked.
  uint64_t usableBytes() const { return uint64_t(double(memoryGiB) * double(usableShare) * double(1u << 30)); }
};

/// Instruction sets, then machines, in the order they are listed.
const std::vector<Device> &allDevices();

/// The device of that name ("host" is resolved to this machine's best instruction set), or null.
const Device *findDevice(const std::string &name);

/// hr_cpu_feature bits of the machine this runs on.
uint32_t hostCpuFeatures();

/// The best listed variant for a machine with those features, of the architecture this program was compiled for; null
/// if it lacks even the least (x86-64 without AVX2 and FMA).
const Variant *bestHostVariant(uint32_t cpuFeatures);

/// "headrace: error"-style text for --target: unknown name, with the names that exist.
std::string unknownDeviceMessage(const std::string &name);

} // namespace headrace
#endif
