#include "passes/plan/Access.h"

using namespace mlir;
using namespace headrace;
using namespace headrace::plan;

// Hidden states outlive a step: a head may look at any row that the largest body could have written.
int64_t plan::maxBodyRows(ModuleOp module) {
  int64_t rows = 1;
  for (auto entry : module.getOps<EntryOp>())
    if (entry.getKind() == "body")
      rows = std::max<int64_t>(rows, entry.getRows());
  return rows;
}

// A copy has no tiles. Giving it the spread of one tile says what the generated code does: one thread, the last.
static Work workOfCopy(CopyOp copy, int64_t rows) {
  int64_t rowBytes = copy.getPerRow() ? copy.getBytes() : 0;
  int64_t bytes = copy.getPerRow() ? rowBytes * rows : copy.getBytes();
  auto access = [&](RefAttr ref, bool writes, StringRef name) {
    return Access{
        ref.getBase().getValue(), ref.getOffset(), ref.getOffset() + bytes, !writes, writes, false, rowBytes, name};
  };
  // The last thread makes the whole copy, as it runs launches of one tile.
  return {copy, Spread::Last, {access(copy.getFrom(), false, "from"), access(copy.getTo(), true, "to")}};
}

Work plan::workOf(Operation *op, int64_t rows, int64_t maxRows, SymbolTable &symbols) {
  if (auto copy = dyn_cast<CopyOp>(op))
    return workOfCopy(copy, rows);
  auto launch = cast<LaunchOp>(op);
  auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
  const tile::Family &family = kernel.getFamilyInfo();
  // By the share table n tiles fall on threads in the same way whatever the kernel is. So one tile is always the last
  // thread's, and row r is the same thread's in all launches with a tile per row, whatever n_valid turns out to be.
  int64_t tiles = launch.getTiles();
  Work work{op, Spread::Shared, {}};
  if (tiles == 1 && (!launch.getPerRow() || rows == 1))
    work.spread = Spread::Last;
  else if (tiles == 1)
    work.spread = Spread::Rows;
  for (auto [info, attr] : llvm::zip(kernel.getOperandInfos(), launch.getRefs())) {
    auto ref = cast<RefAttr>(attr);
    int64_t extent = extentOf(info, rowsOf(family, rows));
    // Where row0 points is known at run time only; anything up to the last row may be read, so no row is its own.
    if (ref.getRow0())
      extent = std::max(extent, ref.getRow0() * maxRows);
    work.accesses.push_back({ref.getBase().getValue(), ref.getOffset(), ref.getOffset() + std::max<int64_t>(extent, 0),
                             info.isRead(), info.isWritten(), info.rowLocal && !ref.getRow0(), info.rowBytes, info.name,
                             info.usedBytes != 0});
  }
  return work;
}

// Conservative in one way only: two shared launches never count as disjoint, although tile i of both could be.
bool plan::conflict(const Work &first, const Work &second) {
  if (first.spread == Spread::Last && second.spread == Spread::Last)
    return false;
  bool byRows = first.spread == Spread::Rows && second.spread == Spread::Rows;
  for (const Access &a : first.accesses)
    for (const Access &b : second.accesses) {
      if (!a.overlaps(b) || !(a.writes || b.writes))
        continue;
      bool sameRows = a.rowLocal && b.rowLocal && a.begin == b.begin && a.rowBytes == b.rowBytes;
      if (!(byRows && sameRows))
        return true;
    }
  return false;
}
