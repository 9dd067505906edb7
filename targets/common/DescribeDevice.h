// DescribeDevice.h - the #target.device attribute of a row of the device table.
#ifndef HEADRACE_TARGETS_COMMON_DESCRIBEDEVICE_H
#define HEADRACE_TARGETS_COMMON_DESCRIBEDEVICE_H
#include "mlir/IR/Attributes.h"
#include "targets/devices/Device.h"

namespace headrace {

/// For targets whose kernels have every encoding in layout T32: name, instruction set, memory and rates of the device.
mlir::Attribute describeDevice(mlir::MLIRContext *context, const Device &device);

} // namespace headrace
#endif
