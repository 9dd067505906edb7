#include "headrace_port.h"
#include "targets/devices/Device.h"
#include <catch2/catch.hpp>
#include <set>

using namespace headrace;

TEST_CASE("every device has a variant, and names are unique", "[devices]") {
  std::set<std::string> names;
  for (const Device &device : allDevices()) {
    INFO(device.name);
    CHECK(names.insert(device.name).second);
    CHECK(findDevice(device.name) == &device);
    REQUIRE(findVariant(device.variant));
    CHECK(device.getVariant().cpuFeatures != 0);
    CHECK((device.getVariant().isX86() || device.getVariant().isAArch64()));
    CHECK(device.threads >= 1);
    CHECK(std::string(device.backend) == (device.kind == HR_DEVICE_REFERENCE ? "reference" : "cpu"));
  }
  for (const char *name : {"x86-64-v3", "x86-64-v3+avxvnni", "x86-64-v4+vnni", "armv8-a", "armv8.2-a+dotprod",
                           "armv8.6-a+i8mm", "reference", "rpi5", "rk3588", "sd8gen2", "sd8gen3", "sd8elite"})
    CHECK(names.count(name) == 1);
}

TEST_CASE("machines know their memory and rates, and say what they leave out", "[devices]") {
  for (const Device &device : allDevices()) {
    if (device.clusters.empty()) {
      CHECK(device.usableBytes() == 0);
      continue;
    }
    INFO(device.name);
    unsigned cores = 0;
    for (const CoreCluster &cluster : device.clusters)
      cores += cluster.count;
    CHECK(device.threads <= cores);
    CHECK(device.dramSustainedGBs > 0);
    CHECK(device.dramSustainedGBs < device.dramPeakGBs);
    CHECK(device.usableBytes() > (uint64_t(6) << 30));
    bool saysCpuOnly = std::string(device.description).find("CPU only") != std::string::npos;
    CHECK(saysCpuOnly == (std::string(device.name) != "rpi5"));
  }
}

TEST_CASE("the host's variant is the most capable that its CPU can run", "[devices]") {
  const uint32_t avx2 = HR_CPU_X86_AVX2_FMA, vnni = HR_CPU_X86_AVX_VNNI;
  const uint32_t avx512 = avx2 | HR_CPU_X86_AVX512 | HR_CPU_X86_AVX512_VNNI;
#if defined(__x86_64__)
  CHECK(bestHostVariant(0) == nullptr);
  CHECK(bestHostVariant(avx2) == findVariant("x86-64-v3"));
  CHECK(bestHostVariant(avx2 | vnni) == findVariant("x86-64-v3+avxvnni"));
  CHECK(bestHostVariant(avx2 | HR_CPU_X86_AVX512) == findVariant("x86-64-v3"));
  CHECK(bestHostVariant(avx512) == findVariant("x86-64-v4+vnni"));
  CHECK(bestHostVariant(avx512 | vnni) == findVariant("x86-64-v4+vnni"));
#endif
  if (const Device *host = findDevice("host")) {
    CHECK((host->getVariant().cpuFeatures & ~hostCpuFeatures()) == 0);
    CHECK_FALSE(host->hidden);
  }
}

TEST_CASE("compiler and runtime see the same CPU", "[devices]") {
  hr_port port;
  REQUIRE(hr_port_posix(&port, 1) == 0);
  CHECK(port.cpu_features(port.context) == hostCpuFeatures());
  hr_port_posix_close(&port);
}

TEST_CASE("an unknown target is refused with the names that exist", "[devices]") {
  CHECK(findDevice("toaster") == nullptr);
  std::string text = unknownDeviceMessage("toaster");
  CHECK(text.find("target toaster: expected host, x86-64-v3, ") == 0);
  CHECK(text.find("sd8elite") != std::string::npos);
  CHECK(text.find("evex") == std::string::npos);
}
