// hr-assign-buffers: see Passes.td.
#include "dialects/model/Model.h"
#include "dialects/plan/Plan.h"
#include "passes/plan/Passes.h"
#include "passes/support/Anchors.h"

#include "llvm/ADT/MapVector.h"

namespace headrace::plan {
#define GEN_PASS_DEF_ASSIGNBUFFERS
#include "passes/plan/Passes.h.inc"
} // namespace headrace::plan

using namespace mlir;
using namespace headrace;

namespace {
// A cache line; the widest vector load of any target; and what a kernel may assume of its weight. The file aligns
// sections to pages on top, which a program that links its weights in need not do.
constexpr int64_t kArenaAlign = 64;
constexpr int64_t kWeightAlign = 128;
constexpr int64_t kSectionAlign = 128;

/// A buffer of one entry and the steps between which it is alive, both included.
struct Lifetime {
  plan::BufferOp buffer;
  int32_t device;
  int64_t bytes;
  size_t first, last;
  int64_t offset = -1;
  bool meets(const Lifetime &other) const {
    return device == other.device && first <= other.last && other.first <= last;
  }
};

/// The lowest aligned offset from `start` on where `lifetime` meets none of `placed`.
int64_t lowestOffset(const Lifetime &lifetime, ArrayRef<Lifetime> placed, int64_t start) {
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (const Lifetime &other : placed)
    if (other.meets(lifetime))
      taken.push_back({other.offset, other.offset + other.bytes});
  llvm::sort(taken);
  int64_t offset = start;
  for (auto [begin, end] : taken) {
    if (offset + lifetime.bytes <= begin)
      break;
    offset = std::max(offset, tile::roundUp(end, kArenaAlign));
  }
  return offset;
}

/// Replaces every address of an operation by what `map` makes of it.
void forEachRef(Operation *op, function_ref<plan::RefAttr(plan::RefAttr)> map) {
  if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
    SmallVector<Attribute> refs;
    for (auto ref : launch.getRefs().getAsRange<plan::RefAttr>())
      refs.push_back(map(ref));
    launch.setRefsAttr(ArrayAttr::get(op->getContext(), refs));
  } else if (auto copy = dyn_cast<plan::CopyOp>(op)) {
    copy.setFromAttr(map(copy.getFrom()));
    copy.setToAttr(map(copy.getTo()));
  } else if (auto tap = dyn_cast<plan::TapOp>(op)) {
    tap.setAtAttr(map(tap.getAt()));
  }
}

/// Where each symbol went: its base and offset.
struct Place {
  FlatSymbolRefAttr base;
  int64_t offset;
};

struct AssignBuffers : plan::impl::AssignBuffersBase<AssignBuffers> {
  using AssignBuffersBase::AssignBuffersBase;

  llvm::DenseMap<StringAttr, Place> places;
  /// Bytes so far of each device's arena, KV block and section.
  llvm::MapVector<int32_t, int64_t> arenas, caches, sections;

  FlatSymbolRefAttr baseName(StringRef kind, int32_t device) {
    return FlatSymbolRefAttr::get(&getContext(), (kind + Twine(device)).str());
  }

  /// Bytes of a weight in its layout: what the bundle writer will fill, to the byte.
  FailureOr<int64_t> bytesOf(model::WeightOp weight) {
    RankedTensorType type = weight.getTensorType();
    StringRef layout = weight.getLayoutAttr() ? weight.getLayout().value() : StringRef();
    enc::Encoding enc = weight.getEncAttr();
    if (layout == "vector" && type.getRank() == 1)
      return tile::f32RowBytes(type.getDimSize(0));
    if (layout == "rows")
      return type.getNumElements() * 4;
    if (layout == "t32" && enc && type.getRank() == 2)
      return tile::t32Bytes(enc.getSpelling(), enc.getGroupSize(), type.getDimSize(0), type.getDimSize(1));
    return weight.emitError() << "weight '" << weight.getSymName() << "': expected layout vector, rows or t32, found '"
                              << layout << "'";
  }

  /// In the order of the symbols, which is the importer's and therefore the same on every host.
  LogicalResult placeWeights() {
    Builder builder(&getContext());
    for (auto weight : getOperation().getOps<model::WeightOp>()) {
      FailureOr<int64_t> bytes = bytesOf(weight);
      if (failed(bytes))
        return failure();
      int32_t device = deviceOf(weight);
      int64_t &end = sections[device];
      int64_t offset = tile::roundUp(end, kWeightAlign);
      end = offset + *bytes;
      weight.setOffsetAttr(builder.getI64IntegerAttr(offset));
      weight.setBytesAttr(builder.getI64IntegerAttr(*bytes));
      places[weight.getSymNameAttr()] = {baseName("section", device), offset};
    }
    return success();
  }

  /// K before V, in the order of the buffers; the places are repeated on the symbols, where inspection finds them.
  void placeCaches() {
    for (auto buffer : getOperation().getOps<plan::BufferOp>()) {
      if (!buffer.getKv())
        continue;
      int64_t &end = caches[buffer.getDevice()];
      int64_t offset = tile::roundUp(end, kWeightAlign);
      end = offset + buffer.getRowBytes();
      places[buffer.getSymNameAttr()] = {baseName("kv", buffer.getDevice()), offset};
    }
    Builder builder(&getContext());
    for (auto cache : getOperation().getOps<model::KVCacheOp>()) {
      auto k = places.find(builder.getStringAttr(cache.getSymName() + ".k"));
      auto v = places.find(builder.getStringAttr(cache.getSymName() + ".v"));
      if (k == places.end() || v == places.end())
        continue;
      cache.setKOffsetAttr(builder.getI64IntegerAttr(k->second.offset));
      cache.setVOffsetAttr(builder.getI64IntegerAttr(v->second.offset));
    }
  }

  /// Tokens, hidden states and logits keep their bytes from step to step and lie below everything else.
  void placeShared() {
    for (auto buffer : getOperation().getOps<plan::BufferOp>()) {
      if (!buffer.getKeep())
        continue;
      int64_t &end = arenas[buffer.getDevice()];
      places[buffer.getSymNameAttr()] = {baseName("arena", buffer.getDevice()), end};
      end = tile::roundUp(end + buffer.getRows() * buffer.getRowBytes(), kArenaAlign);
    }
  }

  /// Lifetimes of the buffers that only this entry uses, in order of first use.
  SmallVector<Lifetime> lifetimesOf(plan::EntryOp entry, SymbolTable &symbols) {
    llvm::MapVector<plan::BufferOp, Lifetime> lives;
    size_t step = 0;
    auto touch = [&](plan::RefAttr ref) {
      auto buffer = symbols.lookup<plan::BufferOp>(ref.getBase().getAttr());
      if (buffer && !buffer.getKeep() && !buffer.getKv()) {
        Lifetime fresh{buffer, static_cast<int32_t>(buffer.getDevice()),
                       static_cast<int64_t>(buffer.getRows() * buffer.getRowBytes()), step, step};
        auto &life = lives.insert({buffer, fresh}).first->second;
        life.last = buffer.getTapped() ? SIZE_MAX : step;
      }
      return ref;
    };
    entry.walk([&](Operation *op) {
      if (isa<plan::LaunchOp, plan::CopyOp>(op)) {
        forEachRef(op, touch);
        ++step;
      }
    });
    return llvm::to_vector(llvm::make_second_range(lives.takeVector()));
  }

  /// Largest first: the order that wastes least with lowest-offset placement. Ties are broken by time and name, so that
  /// the result does not depend on addresses of this process.
  void placeEntry(plan::EntryOp entry, SymbolTable &symbols, const llvm::MapVector<int32_t, int64_t> &starts) {
    SmallVector<Lifetime> lives = lifetimesOf(entry, symbols);
    llvm::sort(lives, [](Lifetime a, Lifetime b) {
      return std::make_tuple(-a.bytes, a.first, a.buffer.getSymName()) <
             std::make_tuple(-b.bytes, b.first, b.buffer.getSymName());
    });
    SmallVector<Lifetime> placed;
    for (Lifetime &life : lives) {
      life.offset = lowestOffset(life, placed, starts.lookup(life.device));
      places[life.buffer.getSymNameAttr()] = {baseName("arena", life.device), life.offset};
      int64_t &end = arenas[life.device];
      end = std::max(end, tile::roundUp(life.offset + life.bytes, kArenaAlign));
      placed.push_back(life);
    }
  }

  /// Entries share the arena, but a head runs in the same step as the body before it, whose taps must outlive it.
  void placeEntries(SymbolTable &symbols) {
    llvm::MapVector<int32_t, int64_t> starts = arenas;
    for (StringRef kind : {"body", "head"}) {
      for (auto entry : getOperation().getOps<plan::EntryOp>())
        if (entry.getKind() == kind)
          placeEntry(entry, symbols, starts);
      bool tapped =
          llvm::any_of(getOperation().getOps<plan::BufferOp>(), [](auto buffer) { return buffer.getTapped(); });
      if (tapped)
        starts = arenas;
    }
  }

  /// Addresses and slots name bases from here on.
  void rewriteRefs() {
    auto map = [&](plan::RefAttr ref) {
      auto it = places.find(ref.getBase().getAttr());
      if (it == places.end())
        return ref;
      return plan::RefAttr::get(&getContext(), it->second.base, it->second.offset + ref.getOffset(), ref.getRow0());
    };
    getOperation().walk([&](Operation *op) { forEachRef(op, map); });
    auto library = plan::findLibrary(getOperation());
    auto mapSlot = [&](plan::SlotAttr slot) {
      auto it = places.find(slot.getBase().getAttr());
      if (it == places.end())
        return slot;
      return plan::SlotAttr::get(&getContext(), it->second.base, it->second.offset + slot.getOffset(),
                                 slot.getStride());
    };
    library.setTokensAttr(mapSlot(library.getTokens()));
    library.setHiddenRowsAttr(mapSlot(library.getHiddenRows()));
    library.setLogitsAttr(mapSlot(library.getLogits()));
  }

  /// Bases in the order arena, KV, section of each device; sections are numbered as they come.
  void createBases() {
    auto library = plan::findLibrary(getOperation());
    OpBuilder builder(library);
    builder.setInsertionPointAfter(library);
    int32_t section = 0;
    for (size_t index = 0; index < library.getDevices().size(); ++index) {
      int32_t device = static_cast<int32_t>(index);
      auto create = [&](StringRef kind, const llvm::MapVector<int32_t, int64_t> &sizes, IntegerAttr number,
                        int64_t align) {
        auto it = sizes.find(device);
        if (it != sizes.end())
          plan::BaseOp::create(builder, library.getLoc(), baseName(kind, device).getAttr(),
                               builder.getI32IntegerAttr(device), builder.getStringAttr(kind), number,
                               builder.getI64IntegerAttr(it->second), builder.getI64IntegerAttr(align));
      };
      create("arena", arenas, {}, kArenaAlign);
      create("kv", caches, {}, kWeightAlign);
      create("section", sections, builder.getI32IntegerAttr(section), kSectionAlign);
      section += sections.count(device);
    }
  }

  void runOnOperation() override {
    places.clear();
    arenas.clear();
    caches.clear();
    sections.clear();
    if (!plan::findLibrary(getOperation())) {
      getOperation().emitError() << "expected a plan.library";
      return signalPassFailure();
    }
    if (failed(placeWeights()))
      return signalPassFailure();
    placeCaches();
    placeShared();
    SymbolTable symbols(getOperation());
    placeEntries(symbols);
    rewriteRefs();
    createBases();
    for (auto buffer : llvm::make_early_inc_range(getOperation().getOps<plan::BufferOp>()))
      buffer.erase();
  }
};
} // namespace
