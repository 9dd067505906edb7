#include "dialects/target/Target.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace headrace;
using namespace headrace::target;

#include "dialects/target/TargetDialect.cpp.inc"
#include "dialects/target/TargetInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/target/TargetAttrs.cpp.inc"

void TargetDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/target/TargetAttrs.cpp.inc"
      >();
}

/// `target.devices` on a module is an array of device descriptions with different names.
LogicalResult TargetDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kDevicesAttr)
    return op->emitError() << "unexpected attribute '" << attribute.getName().getValue() << "', found on "
                           << op->getName();
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!isa<ModuleOp>(op) || !list || list.empty())
    return op->emitError() << "'" << kDevicesAttr << "': expected a non-empty array on a module, found "
                           << attribute.getValue();
  llvm::StringSet<> names;
  for (Attribute element : list) {
    auto device = dyn_cast<Device>(element);
    if (!device)
      return op->emitError() << "'" << kDevicesAttr << "': expected a device description, found " << element;
    if (!names.insert(device.getDeviceName()).second)
      return op->emitError() << "'" << kDevicesAttr << "': expected different names, found '" << device.getDeviceName()
                             << "' twice";
  }
  return success();
}

//===-- #target.device
//------------------------------------------------------------------------------------------------------===//

static bool ascendsFromOne(ArrayRef<int64_t> rows) {
  if (rows.empty() || rows.front() != 1)
    return false;
  for (size_t i = 1; i < rows.size(); ++i)
    if (rows[i] <= rows[i - 1])
      return false;
  return true;
}

static bool holds(ArrayRef<StringAttr> list, enc::Encoding encoding) {
  return llvm::any_of(list, [&](StringAttr name) { return name.getValue() == encoding.getSpelling(); });
}

static LogicalResult verifyDifferent(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<StringAttr> list,
                                     llvm::StringRef what) {
  llvm::StringSet<> seen;
  for (StringAttr name : list)
    if (!seen.insert(name.getValue()).second)
      return emitError() << "C3: expected different " << what << ", found " << name << " twice";
  if (seen.empty())
    return emitError() << "C3: expected at least one of " << what << ", found none";
  return success();
}

LogicalResult DeviceAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, llvm::StringRef name,
                                 llvm::StringRef kind, llvm::StringRef triple, llvm::StringRef, llvm::StringRef,
                                 ArrayRef<StringAttr> encodings, ArrayRef<StringAttr> kv, llvm::StringRef,
                                 ArrayRef<int64_t> bodyRows, ArrayRef<int64_t> headRows, int64_t memory,
                                 int64_t bandwidth, int64_t threads) {
  if (name.empty() || kind.empty() || triple.empty())
    return emitError() << "C1: expected a name, a kind and a triple, found '" << name << "', '" << kind << "', '"
                       << triple << "'";
  if (!ascendsFromOne(bodyRows) || !ascendsFromOne(headRows))
    return emitError() << "C2: expected row counts that begin with 1 and ascend, found [" << bodyRows << "] and ["
                       << headRows << "]";
  if (failed(verifyDifferent(emitError, encodings, "encodings")) ||
      failed(verifyDifferent(emitError, kv, "kv encodings")))
    return failure();
  if (memory < 0 || bandwidth < 0 || threads < 0)
    return emitError() << "C4: expected memory, bandwidth and threads of at least 0, found " << memory << ", "
                       << bandwidth << ", " << threads;
  return success();
}

llvm::StringRef DeviceAttr::getDeviceName() const { return getName(); }
llvm::StringRef DeviceAttr::getDeviceKind() const { return getKind(); }
ArrayRef<int64_t> DeviceAttr::getBodyChunks() const { return getBodyRows(); }
ArrayRef<int64_t> DeviceAttr::getHeadChunks() const { return getHeadRows(); }
bool DeviceAttr::supportsWeights(enc::Encoding encoding) const { return holds(getEncodings(), encoding); }
bool DeviceAttr::supportsCache(enc::Encoding encoding) const { return holds(getKv(), encoding); }
llvm::StringRef DeviceAttr::getWeightLayout(enc::Encoding) const { return getLayout(); }
int64_t DeviceAttr::getMemoryBytes() const { return getMemory(); }
int64_t DeviceAttr::getBandwidthMBs() const { return getBandwidth(); }

llvm::SmallVector<Device> target::devicesOf(ModuleOp module) {
  llvm::SmallVector<Device> devices;
  if (auto list = module->getAttrOfType<ArrayAttr>(kDevicesAttr))
    for (Attribute element : list)
      devices.push_back(cast<Device>(element));
  return devices;
}
