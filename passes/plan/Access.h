// What launches and copies touch, as ranges of bytes, and how their work is spread over threads.
#ifndef HEADRACE_PASSES_PLAN_ACCESS_H
#define HEADRACE_PASSES_PLAN_ACCESS_H
#include "dialects/plan/Plan.h"

namespace headrace::plan {

/// One operand of a launch or one end of a copy: bytes [begin, end) of a base.
struct Access {
  llvm::StringRef base;
  int64_t begin, end;
  bool reads, writes;
  /// Tile r of the launch touches bytes [begin + r * rowBytes, ...) of the row r only; 0 bytes: no rows.
  bool rowLocal;
  int64_t rowBytes;
  llvm::StringRef name; ///< of the operand
  bool inRow = false;   ///< begins at an element of the first row, and touches a part of each row
  bool overlaps(const Access &other) const { return base == other.base && begin < other.end && other.begin < end; }
};

/// How the tiles of a launch fall on threads.
enum class Spread {
  Last,  ///< one tile: the last thread
  Rows,  ///< a tile per valid row: row r is on the same thread for all such launches of a step
  Shared ///< anything else
};

struct Work {
  mlir::Operation *op;
  Spread spread;
  llvm::SmallVector<Access> accesses;
};

/// The accesses of a launch or copy in an entry of `rows` rows. `maxRows` is the most rows of any body: how far `row0`
/// may reach.
Work workOf(mlir::Operation *op, int64_t rows, int64_t maxRows, mlir::SymbolTable &symbols);

/// Whether two threads may be at the same bytes, one of them writing, if no barrier stands between `first` and
/// `second`.
bool conflict(const Work &first, const Work &second);

/// The most rows of any body entry of the module (at least 1).
int64_t maxBodyRows(mlir::ModuleOp module);

} // namespace headrace::plan
#endif
