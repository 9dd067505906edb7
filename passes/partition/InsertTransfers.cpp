// hr-insert-transfers: see Passes.td.
#include "dialects/model/Model.h"
#include "passes/partition/Passes.h"
#include "passes/support/Anchors.h"

#include "llvm/ADT/MapVector.h"

namespace headrace::partition {
#define GEN_PASS_DEF_INSERTTRANSFERS
#include "passes/partition/Passes.h.inc"
} // namespace headrace::partition

using namespace mlir;
using namespace headrace;

namespace {
struct InsertTransfers : partition::impl::InsertTransfersBase<InsertTransfers> {
  using InsertTransfersBase::InsertTransfersBase;

  /// Routes the uses of `value` that are not on `home` through transfers, right behind its definition.
  void route(Value value, int32_t home) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    llvm::MapVector<int32_t, SmallVector<OpOperand *>> away;
    for (OpOperand &use : value.getUses())
      if (int32_t device = deviceOf(use.getOwner()); device != home)
        away[device].push_back(&use);
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    for (auto &[device, uses] : away) {
      auto transfer = model::TransferOp::create(builder, value.getLoc(), value.getType(), value,
                                                builder.getI32IntegerAttr(home), builder.getI32IntegerAttr(device));
      setDevice(transfer, device);
      for (OpOperand *use : uses)
        use->set(transfer.getResult());
    }
  }

  /// Values are routed where they are defined, so that several readers on one device share a transfer.
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      for (Value argument : func.getArguments())
        route(argument, 0);
      for (Operation &op : llvm::make_early_inc_range(func.front()))
        if (!isa<model::TransferOp, model::ParamOp>(op))
          for (Value result : op.getResults())
            route(result, deviceOf(&op));
    }
  }
};
} // namespace
