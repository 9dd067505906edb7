// hr-assign-layouts: see Passes.td.
#include "dialects/model/Model.h"
#include "dialects/target/Target.h"
#include "passes/support/Anchors.h"
#include "passes/tile/Passes.h"

namespace headrace::tile {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/tile/Passes.h.inc"
} // namespace headrace::tile

using namespace mlir;
using namespace headrace;

namespace {
struct AssignLayouts : tile::impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  /// Learned positions are a table, although they have two dimensions. A weight that is read as a matrix too cannot be
  /// both.
  LogicalResult findPositions() {
    WalkResult walked = getOperation().walk([&](model::EmbedOp embed) {
      if (!embed.getPositions())
        return WalkResult::advance();
      model::WeightOp weight = model::weightOf(embed.getPositions());
      if (!weight || !isa_and_nonnull<enc::F32Attr>(weight.getEncAttr())) {
        embed.emitError() << "positions: expected a weight in #enc.f32";
        return WalkResult::interrupt();
      }
      positions.insert(weight);
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  /// Only matrices have a choice. Vectors and tables are read row-wise by every kernel and stay as the recipe yields
  /// them.
  LogicalResult assign(model::WeightOp weight, ArrayRef<target::Device> devices) {
    enc::Encoding enc = weight.getEncAttr();
    if (!enc)
      return weight.emitError() << "weight '" << weight.getSymName() << "': expected an encoding";
    int64_t rank = weight.getTensorType().getRank();
    if (rank != 2 || positions.contains(weight)) {
      weight.setLayout(rank == 1 ? "vector" : "rows");
      return success();
    }
    int32_t index = deviceOf(weight);
    if (index < 0 || index >= static_cast<int32_t>(devices.size()))
      return weight.emitError() << "weight '" << weight.getSymName() << "': expected a device of 0 .. "
                                << devices.size() - 1 << ", found " << index;
    StringRef layout = devices[index].getWeightLayout(enc);
    if (layout.empty())
      return weight.emitError() << "weight '" << weight.getSymName() << "': device " << devices[index].getDeviceName()
                                << " has no layout for " << enc.getSpelling();
    weight.setLayout(layout);
    return success();
  }

  void runOnOperation() override {
    SmallVector<target::Device> devices = target::devicesOf(getOperation());
    if (devices.empty())
      getOperation().emitError() << "expected the module attribute 'target.devices'";
    positions.clear();
    bool ok = !devices.empty() && succeeded(findPositions());
    for (auto weight : getOperation().getOps<model::WeightOp>())
      ok = ok && succeeded(assign(weight, devices));
    if (!ok)
      signalPassFailure();
  }

  llvm::SmallPtrSet<Operation *, 1> positions;
};
} // namespace
