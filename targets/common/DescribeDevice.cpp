#include "targets/common/DescribeDevice.h"
#include "dialects/target/Target.h"

using namespace mlir;

namespace headrace {

// Row counts of the specialised bodies and heads. Found by measurement once; the same for all CPU targets, so that an
// entry can have segments on several of them.
static constexpr int64_t bodyRows[] = {1, 8, 32, 128};
static constexpr int64_t headRows[] = {1, 8};

Attribute describeDevice(MLIRContext *context, const Device &device) {
  const Variant &variant = device.getVariant();
  auto strings = [&](llvm::ArrayRef<llvm::StringRef> names) {
    return llvm::map_to_vector(names, [&](llvm::StringRef name) { return StringAttr::get(context, name); });
  };
  return target::DeviceAttr::get(
      context, device.name, device.kind == HR_DEVICE_REFERENCE ? "reference" : "cpu", variant.triple, variant.cpu,
      variant.features, strings({"f32", "f16", "w8", "w4", "w4a", "w4z"}), strings({"f32", "f16"}), "t32", bodyRows,
      headRows, int64_t(device.usableBytes()), int64_t(device.dramSustainedGBs * 1000), device.threads);
}

} // namespace headrace
