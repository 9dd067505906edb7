// The kernel families of runtime/abi/README.md as one table: parameters, operands, access, tiles and names. Dialects
// tile and plan, the passes that lower to plan and the kernel generators all ask here, so that no two of them can
// disagree about a family.
#ifndef HEADRACE_DIALECTS_TILE_KERNELFAMILIES_H
#define HEADRACE_DIALECTS_TILE_KERNELFAMILIES_H
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace headrace::tile {

/// Rounds `n` up to a multiple of `m`.
constexpr int64_t roundUp(int64_t n, int64_t m) { return (n + m - 1) / m * m; }
constexpr int64_t pad32(int64_t n) { return roundUp(n, 32); }

enum class ParamKind { Int, Float, Bool, String };

/// One key of a kernel's `params` dictionary. `allowed` (a '|'-separated list) restricts strings; empty: any. A
/// parameter with a `neutral` value is left out when it has it, so that one kernel has one dictionary and a kernel
/// without the feature is written as if there were none.
struct ParamInfo {
  llvm::StringRef key;
  ParamKind kind;
  llvm::StringRef allowed = "";
  llvm::StringRef neutral = "";
};

/// What one tile of a launch may touch of an operand.
enum class Access { Read, Write, ReadWrite };

/// One operand of a kernel with given parameters, in the order of the family.
struct OperandInfo {
  llvm::StringRef name;
  Access access;
  /// Bytes from row to row of an activation operand; 0 for weights, tables and caches, which have no rows of the step.
  int64_t rowBytes;
  /// Bytes of an operand without rows; -1 where the parameters do not say (tables whose length is the model's).
  int64_t fixedBytes;
  /// A row tile of the launch touches only its own row of this operand (true for row-wise families).
  bool rowLocal;
  /// Bytes that are touched of each row from the operand's address on, where it is not the whole row.
  int64_t usedBytes = 0;
  bool isWritten() const { return access != Access::Read; }
  bool isRead() const { return access != Access::Write; }
};

/// A kernel family. `hasSite`: kernels take a site number and, as last operand, the step's fault word.
struct Family {
  llvm::StringRef name;
  llvm::ArrayRef<ParamInfo> params;
  bool hasSite;
  /// Tiles are counted per row of the step (the launch runs tiles * n_valid of them).
  bool perRow;
};

/// The family called `name`, or null.
const Family *lookupFamily(llvm::StringRef name);
/// All families, in the order of the contract.
llvm::ArrayRef<Family> allFamilies();

/// Checks that `params` has exactly the keys of the family, neutral ones left out, with the right types and sane
/// values.
llvm::LogicalResult verifyParams(const Family &family, mlir::DictionaryAttr params,
                                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Operands without the fault word (which is always hr_step.fault). `params` must have been verified.
llvm::SmallVector<OperandInfo> operandsOf(const Family &family, mlir::DictionaryAttr params);

/// Tiles of a launch, per row for perRow families.
int64_t tilesOf(const Family &family, mlir::DictionaryAttr params);

/// The symbol name that says family and parameters, such as gemv_w4g64_n576_k192_res.
std::string kernelName(const Family &family, mlir::DictionaryAttr params);

/// Values of verified parameters; 0, false or "" for one that is absent.
int64_t intParam(mlir::DictionaryAttr params, llvm::StringRef key);
bool boolParam(mlir::DictionaryAttr params, llvm::StringRef key);
llvm::StringRef stringParam(mlir::DictionaryAttr params, llvm::StringRef key);
float floatParam(mlir::DictionaryAttr params, llvm::StringRef key);

/// Bytes of a row of `cols` f32 elements, and of an A8 row of K codes in groups of G.
constexpr int64_t f32RowBytes(int64_t cols) { return pad32(cols) * 4; }
constexpr int64_t a8RowBytes(int64_t k, int64_t group) { return roundUp(pad32(k) + 8 * ((k + group - 1) / group), 64); }
/// Bytes of the elements of one T32 tile (32 rows x `k`); a quantized one has its scales (and offsets) behind them.
int64_t t32ElementBytes(llvm::StringRef enc, int64_t k);
/// Bytes of a T32 weight of `rows` x `k` in encoding `enc` ("f32", "f16", "w8", "w4", "w4a", "w4z").
int64_t t32Bytes(llvm::StringRef enc, int64_t group, int64_t rows, int64_t k);
/// Bytes of the K or the V part of one layer's cache.
int64_t kvBytes(int64_t kvHeads, int64_t headDim, int64_t context, llvm::StringRef type);

} // namespace headrace::tile
#endif
