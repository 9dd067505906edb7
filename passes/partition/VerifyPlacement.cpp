// hr-verify-placement: see Passes.td.
#include "dialects/model/Model.h"
#include "dialects/target/Target.h"
#include "passes/partition/Passes.h"
#include "passes/support/Anchors.h"

namespace headrace::partition {
#define GEN_PASS_DEF_VERIFYPLACEMENT
#include "passes/partition/Passes.h.inc"
} // namespace headrace::partition

using namespace mlir;
using namespace headrace;

namespace {
struct VerifyPlacement : partition::impl::VerifyPlacementBase<VerifyPlacement> {
  using VerifyPlacementBase::VerifyPlacementBase;
  SmallVector<target::Device> devices;

  /// From this stage on a missing device is a mistake, not device 0.
  LogicalResult checkDevice(Operation *op) {
    auto device = op->getAttrOfType<IntegerAttr>("device");
    if (!device)
      return op->emitError() << "expected a device";
    if (device.getInt() < 0 || device.getInt() >= static_cast<int64_t>(devices.size()))
      return op->emitError() << "expected a device of 0 .. " << devices.size() - 1 << ", found " << device.getInt();
    return success();
  }

  /// Where a value is: a transfer's destination, an operation's device, device 0 for arguments.
  int32_t homeOf(Value value) {
    if (auto transfer = value.getDefiningOp<model::TransferOp>())
      return transfer.getTo();
    return value.getDefiningOp() ? deviceOf(value.getDefiningOp()) : 0;
  }

  LogicalResult checkOperation(Operation *op) {
    bool returns = isa<func::ReturnOp>(op);
    if (!returns && failed(checkDevice(op)))
      return failure();
    auto transfer = dyn_cast<model::TransferOp>(op);
    int32_t expected = returns ? 0 : transfer ? static_cast<int32_t>(transfer.getFrom()) : deviceOf(op);
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (isa<RankedTensorType>(operand.getType()) && homeOf(operand) != expected)
        return op->emitError() << "expected operand " << index << " on device " << expected << ", found device "
                               << homeOf(operand);
    return success();
  }

  LogicalResult checkSymbol(Operation *user, Operation *symbol, StringRef name) {
    if (!symbol)
      return user->emitError() << "expected a symbol '" << name << "'";
    if (failed(checkDevice(symbol)))
      return failure();
    if (deviceOf(user) != deviceOf(symbol))
      return user->emitError() << "expected '" << name << "' on device " << deviceOf(user) << ", found device "
                               << deviceOf(symbol);
    return success();
  }

  /// What a device has no kernel for is found here, by name, rather than in code generation.
  LogicalResult checkEncodings() {
    for (auto weight : getOperation().getOps<model::WeightOp>())
      if (enc::Encoding enc = weight.getEncAttr(); enc && weight.getTensorType().getRank() == 2)
        if (auto device = devices[deviceOf(weight)]; !device.supportsWeights(enc))
          return weight.emitError() << "weight '" << weight.getSymName() << "': device " << device.getDeviceName()
                                    << " has no kernels for " << enc.getSpelling();
    for (auto cache : getOperation().getOps<model::KVCacheOp>())
      for (enc::Encoding enc : {cache.getKTypeAttr(), cache.getVTypeAttr()})
        if (auto device = devices[deviceOf(cache)]; enc && !device.supportsCache(enc))
          return cache.emitError() << "cache '" << cache.getSymName() << "': device " << device.getDeviceName()
                                   << " has no kernels for " << enc.getSpelling();
    return success();
  }

  LogicalResult check() {
    SymbolTable symbols(getOperation());
    WalkResult result = getOperation().walk([&](func::FuncOp func) -> WalkResult {
      for (Operation &op : func.getOps()) {
        if (failed(checkOperation(&op)))
          return WalkResult::interrupt();
        if (auto param = dyn_cast<model::ParamOp>(op))
          if (failed(checkSymbol(param, symbols.lookup(param.getWeight()), param.getWeight())))
            return WalkResult::interrupt();
        if (auto attention = dyn_cast<model::CachedAttentionOp>(op))
          if (failed(checkSymbol(attention, symbols.lookup(attention.getCache()), attention.getCache())))
            return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return result.wasInterrupted() ? failure() : checkEncodings();
  }

  void runOnOperation() override {
    devices = target::devicesOf(getOperation());
    if (devices.empty())
      getOperation().emitError() << "expected the module attribute 'target.devices'";
    if (devices.empty() || failed(check()))
      signalPassFailure();
  }
};
} // namespace
