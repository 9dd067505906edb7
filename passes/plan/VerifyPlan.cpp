// hr-verify-plan: see Passes.td.
#include "passes/plan/Access.h"
#include "passes/plan/Passes.h"

namespace headrace::plan {
#define GEN_PASS_DEF_VERIFYPLAN
#include "passes/plan/Passes.h.inc"
} // namespace headrace::plan

using namespace mlir;
using namespace headrace;
using plan::Access;
using plan::Spread;
using plan::Work;

namespace {
/// What one range of an arena holds: the value that some work wrote there, complete as long as nobody writes over a
/// part of it.
struct Held {
  Access access;
  const Work *writer; ///< null: an input of the entry
  size_t epoch;       ///< barriers passed when it was written
};
struct ReadMark {
  Access access;
  const Work *reader;
  size_t epoch;
};

struct VerifyPlan : plan::impl::VerifyPlanBase<VerifyPlan> {
  using VerifyPlanBase::VerifyPlanBase;

  llvm::StringMap<plan::BaseOp> bases;
  SmallVector<Held> held;
  SmallVector<ReadMark> reads;
  size_t epoch = 0;

  static bool isArena(plan::BaseOp base) { return base.getKind() == "arena"; }

  /// An address is a place in a base, aligned, with everything behind it inside.
  LogicalResult checkRange(Operation *op, const Access &access) {
    auto base = bases.lookup(access.base);
    if (!base)
      return op->emitError() << "operand '" << access.name << "': expected a plan.base, found '" << access.base << "'";
    int64_t unit = access.inRow ? 4 : 64;
    if (access.begin % unit != 0)
      return op->emitError() << "operand '" << access.name << "': expected a " << unit
                             << "-byte aligned address, found " << access.begin;
    if (access.end > static_cast<int64_t>(base.getBytes()))
      return op->emitError() << "operand '" << access.name << "': expected bytes within the " << base.getBytes()
                             << " of '" << access.base << "', found an end of " << access.end;
    return success();
  }

  /// Kernels are written for operands apart, so that they may read and write in any order within a tile.
  LogicalResult checkOverlaps(const Work &work) {
    for (auto [index, a] : llvm::enumerate(work.accesses))
      for (const Access &b : ArrayRef<Access>(work.accesses).drop_front(index + 1)) {
        bool sumOfX = a.name == "x" && b.name == "sum" && a.begin == b.begin;
        if (a.overlaps(b) && (a.writes || b.writes) && !sumOfX)
          return work.op->emitError() << "operands '" << a.name << "' and '" << b.name << "' overlap";
      }
    return success();
  }

  /// Two works of one epoch may only meet when the same thread is at the same bytes.
  static bool sameThread(const Work &first, const Access &a, const Work &second, const Access &b) {
    if (first.spread == Spread::Last && second.spread == Spread::Last)
      return true;
    return first.spread == Spread::Rows && second.spread == Spread::Rows && a.rowLocal && b.rowLocal &&
           a.begin == b.begin && a.rowBytes == b.rowBytes;
  }

  static bool startsAt(const Access &access, const Access &value) {
    return access.begin == value.begin ||
           (access.inRow && access.begin > value.begin && access.begin < value.begin + value.rowBytes);
  }

  /// What is read must be exactly what one launch wrote: same start, same rows, nothing laid over it since. `held`
  /// loses a value as soon as anything is written over any part of it, so that finding it says that it is whole.
  LogicalResult checkRead(const Work &work, const Access &access) {
    const Held *source = nullptr;
    for (const Held &value : held)
      if (value.access.base == access.base && startsAt(access, value.access) && value.access.end >= access.end)
        source = &value;
    if (!source)
      return work.op->emitError() << "operand '" << access.name
                                  << "': expected a value that was written before and is "
                                     "whole, found none at "
                                  << access.base << " + " << access.begin;
    if (source->writer && source->access.rowBytes != access.rowBytes)
      return work.op->emitError() << "operand '" << access.name << "': expected rows of " << access.rowBytes
                                  << " bytes, found rows of " << source->access.rowBytes;
    if (source->writer && source->epoch == epoch && !sameThread(*source->writer, source->access, work, access))
      return work.op->emitError() << "operand '" << access.name
                                  << "': expected a barrier after the launch that writes it";
    return success();
  }

  /// Nobody of this epoch may still be reading or writing the bytes, unless it is the same thread.
  LogicalResult checkWrite(const Work &work, const Access &access) {
    for (const ReadMark &mark : reads)
      if (mark.epoch == epoch && mark.reader != &work && mark.access.overlaps(access) &&
          !sameThread(*mark.reader, mark.access, work, access))
        return work.op->emitError() << "operand '" << access.name
                                    << "': expected a barrier after a launch that still reads these bytes";
    for (const Held &value : held)
      if (value.writer && value.writer != &work && value.epoch == epoch && value.access.overlaps(access) &&
          !sameThread(*value.writer, value.access, work, access))
        return work.op->emitError() << "operand '" << access.name
                                    << "': expected a barrier after a launch that writes the same bytes";
    return success();
  }

  LogicalResult checkExtent(Operation *op, const Twine &what, StringRef base, int64_t end) {
    auto it = bases.find(base);
    if (it == bases.end() || end <= static_cast<int64_t>(it->second.getBytes()))
      return success();
    return op->emitError() << what << ": expected bytes within the " << it->second.getBytes() << " of '" << base
                           << "', found an end of " << end;
  }

  /// A family does not say how many positions a table of them has: as many as may be used.
  LogicalResult checkTables(plan::LaunchOp launch, plan::LibraryOp library, SymbolTable &symbols) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    int64_t floats = kernel.intParam(kernel.getFamily() == "embed" ? "k" : "rotary");
    for (auto [info, attr] : llvm::zip(kernel.getOperandInfos(), launch.getRefs())) {
      if (info.fixedBytes != -1)
        continue;
      auto table = cast<plan::RefAttr>(attr);
      int64_t bytes = library.getMaxPositions() * floats * 4;
      if (failed(checkExtent(launch, "operand '" + info.name + "'", table.getBase().getValue(),
                             table.getOffset() + bytes)))
        return failure();
    }
    return success();
  }

  /// Tokens and hidden states have a row for each of the largest body, logits for each of the largest head.
  LogicalResult checkSlots(plan::LibraryOp library, int64_t bodyRows) {
    int64_t headRows = 1;
    for (auto entry : getOperation().getOps<plan::EntryOp>())
      if (entry.getKind() == "head")
        headRows = std::max<int64_t>(headRows, entry.getRows());
    auto check = [&](StringRef name, plan::SlotAttr slot, int64_t rows) {
      return checkExtent(library, name, slot.getBase().getValue(), slot.getOffset() + slot.getStride() * rows * 4);
    };
    return failure(failed(check("tokens", library.getTokens(), bodyRows)) ||
                   failed(check("hidden_rows", library.getHiddenRows(), bodyRows)) ||
                   failed(check("logits", library.getLogits(), headRows)));
  }

  /// One launch or copy: first all reads, then all writes, as its tiles might interleave them in any order.
  LogicalResult execute(const Work &work) {
    if (failed(checkOverlaps(work)))
      return failure();
    for (const Access &access : work.accesses) {
      if (failed(checkRange(work.op, access)))
        return failure();
      plan::BaseOp base = bases.lookup(access.base);
      // Weights are there from the start; of a cache only the rows before this step are.
      if (access.reads && isArena(base) && failed(checkRead(work, access)))
        return failure();
      if (access.reads && base.getKind() == "kv" && failed(checkCacheRead(work, access)))
        return failure();
    }
    for (const Access &access : work.accesses) {
      if (access.reads)
        reads.push_back({access, &work, epoch});
      if (!access.writes)
        continue;
      if (bases.lookup(access.base).getKind() == "section")
        return work.op->emitError() << "operand '" << access.name << "' writes to weights";
      if (failed(checkWrite(work, access)))
        return failure();
      llvm::erase_if(held, [&](const Held &value) { return value.access.overlaps(access); });
      held.push_back({access, &work, epoch});
    }
    return success();
  }

  LogicalResult checkCacheRead(const Work &work, const Access &access) {
    for (const Held &value : held)
      if (value.access.overlaps(access) && value.writer && value.epoch == epoch &&
          !sameThread(*value.writer, value.access, work, access))
        return work.op->emitError() << "operand '" << access.name
                                    << "': expected a barrier after the launch that appends to the cache";
    return success();
  }

  /// Inputs that are there when an entry begins: tokens for a body, hidden states for a head.
  void holdInputs(plan::EntryOp entry, plan::LibraryOp library, int64_t maxRows) {
    bool isHead = entry.getKind() == "head";
    plan::SlotAttr slot = isHead ? library.getHiddenRows() : library.getTokens();
    Access access{slot.getBase().getValue(),
                  slot.getOffset(),
                  slot.getOffset() + slot.getStride() * 4 * maxRows,
                  false,
                  true,
                  false,
                  0,
                  "input"};
    held.push_back({access, nullptr, 0});
  }

  /// A head runs in the step of a body and must leave that body's taps alone.
  LogicalResult checkTapsOfBodies() {
    for (auto body : getOperation().getOps<plan::EntryOp>())
      for (auto tap : body.getBody().getOps<plan::TapOp>()) {
        int64_t begin = tap.getAt().getOffset(), bytes = tap.getStride() * 4 * body.getRows();
        Access kept{tap.getAt().getBase().getValue(), begin, begin + bytes, true, false, false, 0, "tap"};
        for (const Held &value : held)
          if (body.getKind() == "body" && value.writer && value.access.overlaps(kept))
            return value.writer->op->emitError() << "operand '" << value.access.name << "' overwrites tap '"
                                                 << tap.getName() << "' of '" << body.getSymName() << "'";
      }
    return success();
  }

  /// A step's result must be whole at its end, and taps too.
  LogicalResult checkResults(plan::EntryOp entry, plan::LibraryOp library) {
    plan::SlotAttr slot = entry.getKind() == "head" ? library.getLogits() : library.getHiddenRows();
    auto isHeld = [&](StringRef base, int64_t offset, int64_t bytes) {
      return llvm::any_of(held, [&](const Held &value) {
        return value.access.base == base && value.access.begin == offset && value.access.end >= offset + bytes;
      });
    };
    if (!isHeld(slot.getBase().getValue(), slot.getOffset(), slot.getStride() * 4))
      return entry.emitError() << "entry '" << entry.getSymName() << "': expected its result in "
                               << slot.getBase().getValue() << " + " << slot.getOffset() << ", found nothing written";
    for (auto tap : entry.getBody().getOps<plan::TapOp>())
      if (!isHeld(tap.getAt().getBase().getValue(), tap.getAt().getOffset(), tap.getStride() * 4 * entry.getRows()))
        return tap.emitError() << "tap '" << tap.getName() << "': expected its value to last until the end of the step";
    return success();
  }

  /// Replays one entry. Barriers and ends of segments begin a new epoch; within one, threads run without order.
  LogicalResult check(plan::EntryOp entry, plan::LibraryOp library, SymbolTable &symbols, int64_t maxRows) {
    held.clear();
    reads.clear();
    epoch = 1;
    holdInputs(entry, library, maxRows);
    std::vector<std::unique_ptr<Work>> works;
    for (auto segment : entry.getBody().getOps<plan::SegmentOp>()) {
      for (Operation &op : segment.getBody().front()) {
        if (isa<plan::BarrierOp>(op)) {
          ++epoch;
          continue;
        }
        if (auto launch = dyn_cast<plan::LaunchOp>(op); launch && failed(checkTables(launch, library, symbols)))
          return failure();
        works.push_back(std::make_unique<Work>(plan::workOf(&op, entry.getRows(), maxRows, symbols)));
        if (failed(execute(*works.back())))
          return failure();
      }
      ++epoch;
    }
    if (entry.getKind() == "head" && failed(checkTapsOfBodies()))
      return failure();
    return checkResults(entry, library);
  }

  void runOnOperation() override {
    plan::LibraryOp library = plan::findLibrary(getOperation());
    if (!library) {
      getOperation().emitError() << "expected a plan.library";
      return signalPassFailure();
    }
    bases.clear();
    for (plan::BaseOp base : plan::basesOf(getOperation()))
      bases[base.getSymName()] = base;
    SymbolTable symbols(getOperation());
    int64_t maxRows = plan::maxBodyRows(getOperation());
    if (failed(checkSlots(library, maxRows)))
      return signalPassFailure();
    for (auto entry : getOperation().getOps<plan::EntryOp>())
      if (failed(check(entry, library, symbols, maxRows)))
        return signalPassFailure();
  }
};
} // namespace
