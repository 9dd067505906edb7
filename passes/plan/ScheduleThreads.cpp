// hr-schedule-threads: see Passes.td.
#include "passes/plan/Access.h"
#include "passes/plan/Passes.h"

namespace headrace::plan {
#define GEN_PASS_DEF_SCHEDULETHREADS
#include "passes/plan/Passes.h.inc"
} // namespace headrace::plan

using namespace mlir;
using namespace headrace;

namespace {
struct ScheduleThreads : plan::impl::ScheduleThreadsBase<ScheduleThreads> {
  using ScheduleThreadsBase::ScheduleThreadsBase;

  /// Greedy and optimal for a list that keeps its order: a barrier stands as late as the first conflict allows, and
  /// then serves everything before it. Segments begin joined, so the window starts empty.
  void schedule(plan::SegmentOp segment, int64_t rows, int64_t maxRows, SymbolTable &symbols) {
    SmallVector<plan::Work> sinceBarrier;
    for (Operation &op : llvm::make_early_inc_range(segment.getBody().front())) {
      if (isa<plan::BarrierOp>(op)) {
        op.erase(); // of an earlier run
        continue;
      }
      plan::Work work = plan::workOf(&op, rows, maxRows, symbols);
      if (llvm::any_of(sinceBarrier, [&](const plan::Work &earlier) { return plan::conflict(earlier, work); })) {
        OpBuilder builder(&op);
        plan::BarrierOp::create(builder, op.getLoc());
        sinceBarrier.clear();
      }
      sinceBarrier.push_back(std::move(work));
    }
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    int64_t maxRows = plan::maxBodyRows(getOperation());
    for (auto entry : getOperation().getOps<plan::EntryOp>())
      for (auto segment : entry.getBody().getOps<plan::SegmentOp>())
        schedule(segment, entry.getRows(), maxRows, symbols);
  }
};
} // namespace
