// hr-place: see Passes.td.
#include "dialects/model/Model.h"
#include "dialects/target/Target.h"
#include "dialects/tile/KernelFamilies.h"
#include "passes/partition/Passes.h"
#include "passes/support/Anchors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace headrace::partition {
#define GEN_PASS_DEF_PLACE
#include "passes/partition/Passes.h.inc"
} // namespace headrace::partition

using namespace mlir;
using namespace headrace;

namespace {
struct Rule {
  std::string pattern;
  int32_t device;
};

/// The index of the device that a rule names by name, kind or index; -1 if there is none.
int32_t findDevice(ArrayRef<target::Device> devices, StringRef text) {
  for (auto [index, device] : llvm::enumerate(devices))
    if (device.getDeviceName() == text || device.getDeviceKind() == text)
      return static_cast<int32_t>(index);
  unsigned index;
  return !text.getAsInteger(10, index) && index < devices.size() ? static_cast<int32_t>(index) : -1;
}

FailureOr<Rule> parseRule(ModuleOp module, ArrayRef<target::Device> devices, StringRef text) {
  auto [pattern, name] = text.rsplit('=');
  if (pattern.empty() || name.empty())
    return module.emitError() << "place: expected PATTERN=DEVICE, found '" << text << "'";
  int32_t device = findDevice(devices, name);
  if (device >= 0)
    return Rule{pattern.str(), device};
  InFlightDiagnostic diag = module.emitError() << "place: expected a device of ";
  llvm::interleaveComma(devices, diag, [&](target::Device d) { diag << d.getDeviceName(); });
  return diag << "; found '" << name << "'";
}

/// Operations that work on rows; params and returns follow their users.
bool isPlaceable(Operation *op) { return !isa<model::ParamOp, model::TransferOp, func::ReturnOp>(op); }

/// What a copy of the weight costs; without an encoding, as float32.
int64_t storedBytes(model::WeightOp weight) {
  RankedTensorType type = weight.getTensorType();
  enc::Encoding enc = weight.getEncAttr();
  if (type.getRank() != 2 || !enc)
    return type.getNumElements() * 4;
  return tile::t32Bytes(enc.getSpelling(), enc.getGroupSize(), type.getDimSize(0), type.getDimSize(1));
}

/// Gives the weight the device of its readers; for each further device it is cloned under another name.
void placeWeight(model::WeightOp weight, SymbolTable &symbols,
                 llvm::MapVector<int32_t, SmallVector<model::ParamOp>> &readers) {
  int32_t home = readers.count(0) ? 0 : readers.front().first;
  setDevice(weight, home);
  for (auto &[device, params] : readers) {
    if (device == home)
      continue;
    auto copy = cast<model::WeightOp>(weight->clone());
    copy.setSymName((weight.getSymName() + ".device" + Twine(device)).str());
    setDevice(copy, device);
    symbols.insert(copy, std::next(Block::iterator(weight)));
    weight.emitRemark() << "weight '" << weight.getSymName() << "' is read on devices " << home << " and " << device
                        << " and stored twice, which costs " << storedBytes(weight) << " bytes";
    for (model::ParamOp param : params)
      param.setWeight(copy.getSymName());
  }
}

struct Place : partition::impl::PlaceBase<Place> {
  using PlaceBase::PlaceBase;

  /// Places row operations by the rules; a rule that matches nothing is a mistake worth naming.
  LogicalResult placeOperations(ArrayRef<Rule> rules) {
    SmallVector<bool> matched(rules.size());
    bool refused = false;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](Operation *op) {
        if (isa<func::FuncOp>(op) || !isPlaceable(op))
          return;
        int32_t device = 0;
        for (auto [index, rule] : llvm::enumerate(rules))
          if (matchesAnchor(rule.pattern, model::anchorOf(op->getLoc()))) {
            device = rule.device;
            matched[index] = true;
          }
        if (isa<model::EmbedOp>(op) && device != 0) {
          refused = noFallback;
          InFlightDiagnostic diag = noFallback ? op->emitError() : op->emitRemark();
          diag << "place: '" << model::anchorOf(op->getLoc()) << "' stays on device 0, where the tokens are";
          device = 0;
        }
        setDevice(op, device);
      });
    if (refused)
      return failure();
    for (auto [rule, hit] : llvm::zip(rules, matched))
      if (!hit)
        return getOperation().emitError() << "place: pattern '" << rule.pattern << "' matches nothing";
    return success();
  }

  /// A param is split per device so that each reads the weight of its own.
  void placeWeights() {
    SymbolTable symbols(getOperation());
    llvm::MapVector<StringAttr, llvm::MapVector<int32_t, SmallVector<model::ParamOp>>> readers;
    getOperation().walk([&](model::ParamOp param) {
      llvm::MapVector<int32_t, SmallVector<OpOperand *>> uses;
      for (OpOperand &use : param->getUses())
        uses[deviceOf(use.getOwner())].push_back(&use);
      OpBuilder builder(param);
      builder.setInsertionPointAfter(param);
      bool first = true;
      for (auto &[device, operands] : uses) {
        auto reader = first ? param : cast<model::ParamOp>(builder.clone(*param));
        first = false;
        setDevice(reader, device);
        for (OpOperand *operand : operands)
          operand->set(reader.getResult());
        readers[param.getWeightAttr().getAttr()][device].push_back(reader);
      }
    });
    for (auto &[name, byDevice] : readers)
      if (auto weight = symbols.lookup<model::WeightOp>(name))
        placeWeight(weight, symbols, byDevice);
    getOperation().walk([&](model::CachedAttentionOp op) {
      if (auto cache = symbols.lookup<model::KVCacheOp>(op.getCache()))
        setDevice(cache, deviceOf(op));
    });
  }

  /// Rules are parsed before anything is changed: a mistyped one leaves the module as it was.
  void runOnOperation() override {
    SmallVector<target::Device> devices = target::devicesOf(getOperation());
    if (devices.empty()) {
      getOperation().emitError() << "expected the module attribute 'target.devices'";
      return signalPassFailure();
    }
    SmallVector<Rule> rules;
    for (const std::string &text : place) {
      FailureOr<Rule> rule = parseRule(getOperation(), devices, text);
      if (failed(rule))
        return signalPassFailure();
      rules.push_back(*rule);
    }
    if (failed(placeOperations(rules)))
      return signalPassFailure();
    placeWeights();
  }
};
} // namespace
