// hr-lower-to-plan: see Passes.td.
#include "dialects/enc/Enc.h"
#include "dialects/model/Model.h"
#include "dialects/plan/Plan.h"
#include "dialects/target/Target.h"
#include "dialects/tile/Tile.h"
#include "passes/plan/Passes.h"
#include "passes/support/Anchors.h"

#include "llvm/ADT/MapVector.h"

#include <set>

namespace headrace::plan {
#define GEN_PASS_DEF_LOWERTOPLAN
#include "passes/plan/Passes.h.inc"
} // namespace headrace::plan

using namespace mlir;
using namespace headrace;

namespace {
/// Bytes of one row of a value of the tile stage.
int64_t rowBytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 1)
    return 4; // tokens
  if (auto a8 = dyn_cast<enc::A8Type>(type.getElementType()))
    return tile::a8RowBytes(type.getDimSize(1), a8.getGroup());
  return tile::f32RowBytes(type.getDimSize(1));
}

bool isFloatRows(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 2 && type.getElementType().isF32();
}

/// The module-wide part of the lowering: symbols that entries share.
class Library {
public:
  Library(ModuleOp module, ArrayRef<std::string> taps) : builder(module.getContext()), symbols(module) {
    for (const std::string &pattern : taps)
      this->taps.push_back({pattern, false, {}});
    builder.setInsertionPointToEnd(module.getBody());
  }

  plan::RefAttr ref(StringRef symbol, int64_t row0 = 0) {
    return plan::RefAttr::get(builder.getContext(), FlatSymbolRefAttr::get(builder.getContext(), symbol), 0, row0);
  }

  /// A new buffer; the symbol table makes the name unique.
  plan::BufferOp buffer(Location loc, const Twine &name, int32_t device, int64_t rows, int64_t rowBytes) {
    OpBuilder::InsertionGuard guard(builder);
    if (lastBuffer)
      builder.setInsertionPointAfter(lastBuffer);
    auto op = plan::BufferOp::create(builder, loc, builder.getStringAttr(name), builder.getI32IntegerAttr(device),
                                     builder.getI64IntegerAttr(rows), builder.getI64IntegerAttr(rowBytes), {}, {}, {});
    symbols.insert(op, builder.getInsertionPoint());
    lastBuffer = op;
    return op;
  }

  /// The kernel that a tile operation invokes, created when it is the first.
  FlatSymbolRefAttr kernel(tile::KernelOpInterface op) {
    int32_t device = deviceOf(op);
    Attribute key = builder.getArrayAttr(
        {builder.getStringAttr(op.getKernelFamily()), op.getKernelParams(), builder.getI32IntegerAttr(device)});
    auto [it, isNew] = kernels.try_emplace(key);
    if (isNew) {
      std::string name = op.getKernelName();
      if (device)
        name = ("device" + Twine(device) + "_" + name).str();
      auto created = plan::KernelOp::create(builder, builder.getUnknownLoc(), name, op.getKernelFamily(),
                                            op.getKernelParams(), device);
      symbols.insert(created, builder.getInsertionPoint());
      it->second = FlatSymbolRefAttr::get(created.getSymNameAttr());
    }
    return it->second;
  }

  /// K or V part of a cache.
  plan::RefAttr cachePart(const tile::KernelOperand &operand) {
    bool isV = operand.kind == tile::KernelOperand::VCache;
    std::string name = (operand.cache.getValue() + (isV ? ".v" : ".k")).str();
    if (!symbols.lookup(name)) {
      auto cache = symbols.lookup<model::KVCacheOp>(operand.cache.getAttr());
      StringRef type = (isV ? cache.getVTypeAttr() : cache.getKTypeAttr()).getSpelling();
      int64_t bytes = tile::kvBytes(cache.getKvHeads(), cache.getHeadDim(), cache.getContext(), type);
      buffer(cache.getLoc(), name, deviceOf(cache), 1, bytes).setKv(true);
    }
    return ref(name);
  }

  /// The number of a launch site; launches of all entries with one anchor share it.
  int32_t site(StringRef anchor) {
    return static_cast<int32_t>(sites.insert({anchor, static_cast<unsigned>(sites.size())}).first->second);
  }
  SmallVector<StringRef> siteNames() {
    return llvm::to_vector(llvm::map_range(sites, [](auto &entry) { return StringRef(entry.first); }));
  }

  /// Whether a pattern asks for the value `name` of an operation with `anchor`; remembers those that cannot be kept.
  bool isTapped(StringRef anchor, const Twine &name, bool canBeKept) {
    bool asked = false;
    for (Pattern &pattern : taps)
      if (matchesAnchor(pattern.text, anchor)) {
        asked = true;
        pattern.matched = true;
        if (!canBeKept)
          pattern.notKept.insert(name.str());
      }
    return asked && canBeKept;
  }

  /// A pattern that matches nothing is a mistake worth naming.
  LogicalResult checkTaps(ModuleOp module) {
    for (const Pattern &pattern : taps) {
      if (!pattern.matched)
        return module.emitError() << "taps: pattern '" << pattern.text << "' matches nothing";
      if (!pattern.notKept.empty())
        module.emitRemark() << "taps: of pattern '" << pattern.text << "' " << pattern.notKept.size()
                            << " values are quantized or overwritten within the step and not kept, such as '"
                            << *pattern.notKept.begin() << "'";
    }
    return success();
  }

  OpBuilder builder;
  SymbolTable symbols;

private:
  struct Pattern {
    std::string text;
    bool matched = false;
    std::set<std::string> notKept;
  };
  std::vector<Pattern> taps;
  llvm::MapVector<Attribute, FlatSymbolRefAttr> kernels;
  llvm::MapVector<StringRef, unsigned> sites;
  Operation *lastBuffer = nullptr;
};

/// Lowers one entry function.
class EntryLowering {
public:
  EntryLowering(Library &library, func::FuncOp func) : library(library), builder(library.builder), func(func) {
    rows = func->getAttrOfType<IntegerAttr>("tile.rows").getInt();
    isHead = func->getAttrOfType<StringAttr>(model::kEntryAttr).getValue() == "head";
  }

  LogicalResult lower() {
    entry = plan::EntryOp::create(builder, func.getLoc(), func.getSymName(), isHead ? "head" : "body", rows);
    library.symbols.remove(func);
    library.symbols.insert(entry, builder.getInsertionPoint());
    entry.getBody().emplaceBlock();
    if (failed(bindEnds()))
      return failure();
    for (Operation &op : func.front()) {
      if (auto param = dyn_cast<model::ParamOp>(op))
        refs[param.getResult()] = library.ref(param.getWeight());
      else if (auto transfer = dyn_cast<tile::TransferOp>(op))
        lowerTransfer(transfer);
      else if (auto kernel = dyn_cast<tile::KernelOpInterface>(op); kernel && failed(lowerKernel(kernel)))
        return failure();
    }
    linkSegments();
    for (Operation *tap : taps)
      tap->moveBefore(&entry.getBody().front(), entry.getBody().front().end());
    return success();
  }

private:
  /// Arguments and result of an entry are the buffers that all entries share.
  LogicalResult bindEnds() {
    Value input = func.getArgument(0);
    refs[input] = isHead ? library.ref("hidden", rowBytesOf(input)) : library.ref("tokens");
    auto returned = cast<func::ReturnOp>(func.front().getTerminator());
    Value result = returned.getOperand(0);
    if (!result.getDefiningOp() || isa<tile::RopeAppendOp, model::ParamOp>(result.getDefiningOp()))
      return func.emitError() << "entry '" << func.getSymName() << "': expected a result that it computes";
    refs[result] = library.ref(isHead ? "logits" : "hidden");
    return success();
  }

  /// The segment that the next operation of `device` belongs to; copies and launches do not share one.
  void enterSegment(Location loc, int32_t device, bool copies) {
    if (!segment || static_cast<int32_t>(segment.getDevice()) != device || segmentCopies != copies) {
      builder.setInsertionPointToEnd(&entry.getBody().front());
      segment = plan::SegmentOp::create(builder, loc, builder.getI32IntegerAttr(device), {}, {});
      segment.getBody().emplaceBlock();
      segmentCopies = copies;
    }
    builder.setInsertionPointToEnd(&segment.getBody().front());
  }

  /// Where `value` lives; a value seen for the first time gets a buffer.
  plan::RefAttr refOf(Value value, Operation *op, int32_t device, StringRef suffix) {
    plan::RefAttr &ref = refs[value];
    if (!ref) {
      auto buffer = library.buffer(op->getLoc(), entry.getSymName() + "." + model::anchorOf(op->getLoc()) + suffix,
                                   device, rows, rowBytesOf(value));
      ref = library.ref(buffer.getSymName());
    }
    return ref;
  }

  /// Names a value for the end of the step if its operation is among the taps; only float rows have a meaning outside.
  void tap(Operation *op, Value value, plan::RefAttr at, StringRef suffix) {
    StringRef anchor = model::anchorOf(op->getLoc());
    // What rope_append overwrites is no longer there at the end of the step.
    bool overwritten = llvm::any_of(value.getUsers(), [](Operation *user) { return isa<tile::RopeAppendOp>(user); });
    if (!library.isTapped(anchor, anchor + suffix, isFloatRows(value) && !overwritten))
      return;
    int64_t cols = cast<RankedTensorType>(value.getType()).getDimSize(1);
    taps.push_back(
        plan::TapOp::create(builder, op->getLoc(), (anchor + suffix).str(), at, cols, rowBytesOf(value) / 4));
    if (auto buffer = library.symbols.lookup<plan::BufferOp>(at.getBase().getAttr()))
      buffer.setTapped(true);
  }

  /// A launch: operands in the family's order, results in new buffers but for rope_append, which works in place.
  LogicalResult lowerKernel(tile::KernelOpInterface op) {
    int32_t device = deviceOf(op);
    if (Attribute schedule = op->getAttr("schedule"); schedule && !isa<tile::SharedAttr>(schedule))
      return op->emitError() << "schedule: expected #tile.shared, found " << schedule;
    enterSegment(op->getLoc(), device, false);
    if (auto rope = dyn_cast<tile::RopeAppendOp>(op.getOperation())) {
      plan::RefAttr qkv = refs.lookup(rope.getQkv()); // a copy: a new key moves the map's entries
      refs[rope.getOut()] = qkv;
    }
    SmallVector<Attribute> operands;
    for (const tile::KernelOperand &operand : op.getKernelOperands()) {
      bool isSum = op->getNumResults() == 2 && operand.value == op->getResult(0);
      plan::RefAttr ref = operand.kind == tile::KernelOperand::Value
                              ? refOf(operand.value, op, device, isSum ? ".sum" : "")
                              : library.cachePart(operand);
      operands.push_back(
          plan::RefAttr::get(builder.getContext(), ref.getBase(), ref.getOffset() + operand.offset, ref.getRow0()));
    }
    IntegerAttr site;
    if (op.getFamilyInfo().hasSite)
      site = builder.getI32IntegerAttr(library.site(model::anchorOf(op->getLoc())));
    FlatSymbolRefAttr kernel = kernelAtModuleLevel(op);
    plan::LaunchOp::create(builder, op->getLoc(), kernel, builder.getArrayAttr(operands),
                           builder.getI64IntegerAttr(op.getKernelTiles()),
                           op.isPerRow() ? builder.getUnitAttr() : UnitAttr(), site);
    for (auto [index, result] : llvm::enumerate(op->getResults()))
      tap(op, result, refs[result], op->getNumResults() == 2 && index == 0 ? ".sum" : "");
    return success();
  }

  /// Kernels stand before the first entry that launches them.
  FlatSymbolRefAttr kernelAtModuleLevel(tile::KernelOpInterface op) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(entry);
    return library.kernel(op);
  }

  /// A copy of the valid rows, in a segment of copies: the host makes it, whatever the two devices are.
  void lowerTransfer(tile::TransferOp op) {
    enterSegment(op.getLoc(), 0, true);
    plan::RefAttr from = refOf(op.getX(), op, op.getFrom(), "");
    plan::RefAttr to = refOf(op.getOut(), op, op.getTo(), ".device");
    plan::CopyOp::create(builder, op.getLoc(), from, to, builder.getI64IntegerAttr(rowBytesOf(op.getX())),
                         builder.getUnitAttr());
  }

  /// Each segment waits for the one before: they are a chain, as the operations were.
  void linkSegments() {
    auto segments = llvm::to_vector(entry.getBody().getOps<plan::SegmentOp>());
    for (auto [index, op] : llvm::enumerate(segments)) {
      int32_t own = static_cast<int32_t>(index);
      if (own > 0)
        op.setWait(own - 1);
      if (index + 1 < segments.size())
        op.setSignal(own);
    }
  }

  Library &library;
  OpBuilder &builder;
  func::FuncOp func;
  plan::EntryOp entry;
  plan::SegmentOp segment;
  bool segmentCopies = false;
  bool isHead;
  int64_t rows;
  llvm::DenseMap<Value, plan::RefAttr> refs;
  SmallVector<Operation *> taps;
};

struct LowerToPlan : plan::impl::LowerToPlanBase<LowerToPlan> {
  using LowerToPlanBase::LowerToPlanBase;

  /// The model's numbers, in the order of the keys; one error for the first that is missing.
  LogicalResult readFacts(ArrayRef<StringRef> keys, MutableArrayRef<int32_t> values) {
    for (auto [key, value] : llvm::zip(keys, values)) {
      auto attr = getOperation()->getAttrOfType<IntegerAttr>(key);
      if (!attr)
        return getOperation().emitError() << "expected the module attribute '" << key << "'";
      value = static_cast<int32_t>(attr.getInt());
    }
    return success();
  }

  /// plan.library and the buffers behind its slots.
  LogicalResult createLibrary(Library &library, ArrayRef<func::FuncOp> entries) {
    int32_t facts[5];
    if (failed(readFacts(
            {model::kVocabAttr, model::kHiddenAttr, model::kContextAttr, model::kMaxPositionsAttr, model::kBosAttr},
            facts)))
      return failure();
    auto [vocab, hidden, context, positions, bos] = facts;
    auto eos = getOperation()->getAttrOfType<DenseI32ArrayAttr>(model::kEosAttr);
    SmallVector<target::Device> devices = target::devicesOf(getOperation());
    if (!eos || devices.empty())
      return getOperation().emitError() << "expected the module attributes 'model.eos' and 'target.devices'";
    int64_t bodyRows = 1, headRows = 1;
    for (func::FuncOp func : entries) {
      bool isHead = func->getAttrOfType<StringAttr>(model::kEntryAttr).getValue() == "head";
      int64_t rows = func->getAttrOfType<IntegerAttr>("tile.rows").getInt();
      (isHead ? headRows : bodyRows) = std::max(isHead ? headRows : bodyRows, rows);
    }
    OpBuilder &builder = library.builder;
    auto shared = [&](StringRef symbol, int64_t rows, int64_t rowBytes) {
      library.buffer(getOperation().getLoc(), symbol, 0, rows, rowBytes).setKeep(true);
      return plan::SlotAttr::get(&getContext(), FlatSymbolRefAttr::get(&getContext(), symbol), 0, rowBytes / 4);
    };
    // One after another: the buffers' order in the module must not be that in which a C++ compiler evaluates arguments.
    plan::SlotAttr tokens = shared("tokens", bodyRows, 4);
    plan::SlotAttr hiddenRows = shared("hidden", bodyRows, tile::f32RowBytes(hidden));
    plan::SlotAttr logits = shared("logits", headRows, tile::f32RowBytes(vocab));
    SmallVector<StringRef> kinds;
    for (target::Device device : devices)
      kinds.push_back(device.getDeviceKind());
    int64_t cache = tile::pad32(context);
    auto op = plan::LibraryOp::create(
        builder, getOperation().getLoc(), builder.getStringAttr(name),
        builder.getStringAttr(devices[0].getDeviceName()), builder.getStrArrayAttr(kinds),
        builder.getI64IntegerAttr(vocab), builder.getI64IntegerAttr(hidden), builder.getI64IntegerAttr(cache),
        builder.getI64IntegerAttr(std::min(context, positions)), builder.getI32IntegerAttr(bos), eos,
        builder.getStrArrayAttr({}), tokens, hiddenRows, logits);
    library.symbols.insert(op, Block::iterator(op));
    return success();
  }

  /// Entries in the order of the module: bodies ascending, then heads, which is the order of hr_library.entries.
  LogicalResult lower() {
    SmallVector<func::FuncOp> entries;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!func->getAttr(model::kEntryAttr) || !func->getAttr("tile.rows"))
        return func.emitError() << "expected an entry with 'model.entry' and 'tile.rows'";
      entries.push_back(func);
    }
    Library library(getOperation(), SmallVector<std::string>(taps.begin(), taps.end()));
    if (failed(createLibrary(library, entries)))
      return failure();
    for (func::FuncOp func : entries) {
      library.builder.setInsertionPointToEnd(getOperation().getBody());
      if (failed(EntryLowering(library, func).lower()))
        return failure();
      func.erase();
    }
    plan::findLibrary(getOperation()).setSitesAttr(library.builder.getStrArrayAttr(library.siteNames()));
    return library.checkTaps(getOperation());
  }

  void runOnOperation() override {
    if (failed(lower()))
      signalPassFailure();
  }
};
} // namespace
