// hr-specialise: see Passes.td.
#include "dialects/model/Model.h"
#include "dialects/target/Target.h"
#include "passes/tile/Passes.h"

namespace headrace::tile {
#define GEN_PASS_DEF_SPECIALISE
#include "passes/tile/Passes.h.inc"
} // namespace headrace::tile

using namespace mlir;
using namespace headrace;

namespace {
/// The type with its dynamic first dimension made static.
Type withRows(Type type, int64_t rows) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0 || !tensor.isDynamicDim(0))
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] = rows;
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// Clones the entry and makes `rows` static everywhere: `?` occurs in no other role than as the number of rows.
void specialise(func::FuncOp source, int64_t rows) {
  OpBuilder builder(source);
  auto func = cast<func::FuncOp>(builder.clone(*source));
  func.setSymName((source.getSymName() + "_" + Twine(rows)).str());
  func->setAttr("tile.rows", builder.getI64IntegerAttr(rows));
  Block &body = func.front();
  for (Value argument : body.getArguments())
    argument.setType(withRows(argument.getType(), rows));
  body.addArgument(builder.getI32Type(), builder.getUnknownLoc());
  func.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(withRows(result.getType(), rows));
  });
  SmallVector<Type> results;
  for (Type type : func.getFunctionType().getResults())
    results.push_back(withRows(type, rows));
  func.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), results));
}

struct Specialise : tile::impl::SpecialiseBase<Specialise> {
  using SpecialiseBase::SpecialiseBase;

  /// The device's chunks; of an encoder, whose rows all see one another, the whole context.
  FailureOr<SmallVector<int64_t>> rowsOfBody(target::Device device) {
    auto kind = getOperation()->getAttrOfType<StringAttr>(model::kKindAttr);
    if (!kind || kind != "encoder")
      return SmallVector<int64_t>(device.getBodyChunks());
    auto context = getOperation()->getAttrOfType<IntegerAttr>(model::kContextAttr);
    if (!context)
      return getOperation().emitError() << "expected module attribute '" << model::kContextAttr << "', found none",
             failure();
    return SmallVector<int64_t>{context.getInt()};
  }

  void runOnOperation() override {
    SmallVector<target::Device> devices = target::devicesOf(getOperation());
    // All devices of a step work on the same rows, so one device must say how many: the first, which holds both ends.
    if (devices.empty()) {
      getOperation().emitError() << "expected the module attribute 'target.devices'";
      return signalPassFailure();
    }
    // An entry runs on all devices: its rows are those of each.
    for (target::Device device : devices)
      if (device.getBodyChunks() != devices[0].getBodyChunks() ||
          device.getHeadChunks() != devices[0].getHeadChunks()) {
        getOperation().emitError() << "device " << device.getDeviceName() << ": expected the row counts of "
                                   << devices[0].getDeviceName() << ", found others";
        return signalPassFailure();
      }
    FailureOr<SmallVector<int64_t>> bodyRows = rowsOfBody(devices[0]);
    if (failed(bodyRows))
      return signalPassFailure();
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      auto kind = func->getAttrOfType<StringAttr>(model::kEntryAttr);
      if (!kind)
        continue;
      if (kind != "body" && kind != "head") {
        func.emitError() << "expected an entry of kind body or head, found '" << kind.getValue() << "'";
        return signalPassFailure();
      }
      for (int64_t rows : kind == "body" ? ArrayRef<int64_t>(*bodyRows) : devices[0].getHeadChunks())
        specialise(func, rows);
      func.erase();
    }
  }
};
} // namespace
