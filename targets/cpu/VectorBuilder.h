// VectorBuilder.h - an operation builder that knows the vector registers of one variant.
//
// Generators hold 32 outputs, positions or elements as a list of native registers ("lanes" floats each), so that one
// generator body serves 128, 256 and 512 bits and the register count of a block is visible in the source.
//
// The order of evaluation of arguments is the compiler's choice, and the order of operations shows in the object code.
// So no call has two arguments that both create operations (constants do not count): they are named first.
#ifndef HEADRACE_TARGETS_CPU_VECTORBUILDER_H
#define HEADRACE_TARGETS_CPU_VECTORBUILDER_H
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "targets/devices/Variant.h"

namespace headrace {

using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using mlir::VectorType;
using Values = llvm::SmallVector<Value>;

class VectorBuilder : public mlir::ImplicitLocOpBuilder {
public:
  VectorBuilder(mlir::OpBuilder &builder, mlir::Location loc, const Variant &variant);

  const Variant &variant;
  const unsigned lanes;   ///< floats in a native register
  const unsigned perTile; ///< native registers for 32 floats
  Type f16, f32, i8, i16, i32, i64, pointer;

  VectorType vec(Type element, unsigned count) const { return VectorType::get({count}, element); }
  VectorType floats() const { return vec(f32, lanes); }
  VectorType ints() const { return vec(i32, lanes); }

  // Constants; `type` may be a scalar or a vector (then a splat).
  Value real(Type type, float value);
  Value integer(Type type, int64_t value);
  Value i32c(int64_t value) { return integer(i32, value); }
  Value i64c(int64_t value) { return integer(i64, value); }

  // Arithmetic on scalars and vectors.
  Value fadd(Value a, Value b);
  Value fsub(Value a, Value b);
  Value fmul(Value a, Value b);
  Value fdiv(Value a, Value b);
  Value fma(Value a, Value b, Value c);
  Value fneg(Value a);
  Value fabs(Value a);
  Value fmax(Value a, Value b); ///< either zero when both are zeros; operands are not NaN
  Value sqrt(Value a);
  Value roundEven(Value a);
  Value copySign(Value magnitude, Value sign);
  Value iadd(Value a, Value b);
  Value isub(Value a, Value b);
  Value imul(Value a, Value b);
  Value iand(Value a, Value b);
  Value ior(Value a, Value b);
  Value ixor(Value a, Value b);
  Value shl(Value a, int64_t bits);
  Value shrl(Value a, int64_t bits);
  Value shra(Value a, int64_t bits);
  Value udiv(Value a, Value b);
  Value urem(Value a, Value b);
  Value less(Value a, Value b);  ///< signed
  Value fless(Value a, Value b); ///< ordered
  Value select(Value condition, Value a, Value b);
  Value smax(Value a, Value b);
  Value smin(Value a, Value b);

  // Conversions, element by element. `like` is the resulting element type.
  Value extf(Value a);   ///< f16 to f32; f32 stays
  Value truncf(Value a); ///< f32 to f16, nearest even
  Value sitofp(Value a); ///< to f32
  Value fptosi(Value a); ///< to i32, towards zero
  Value sext(Value a, Type element);
  Value zext(Value a, Type element);
  Value trunc(Value a, Type element);
  Value bitcast(Value a, Type type);
  Value toIndex(Value i32Value); ///< i32 to i64, sign-extended

  // Vectors.
  Value splat(Value scalar, unsigned count);
  Value fromElements(llvm::ArrayRef<Value> scalars);
  Value shuffle(Value a, Value b, llvm::ArrayRef<int64_t> mask);
  Value shuffle(Value a, llvm::ArrayRef<int64_t> mask) { return shuffle(a, a, mask); }
  Value extract(Value vector, unsigned lane);
  Value slice(Value vector, unsigned first, unsigned count);
  Value concat(Value low, Value high);
  /// 0, 1, 2 ... as i32.
  Value iota(unsigned count, int64_t first = 0);
  /// The scalar left after `lane[i] = combine(lane[i], lane[i + h])`, h halving from half of all lanes: the contract's
  /// tree.
  Value reduceTree(llvm::ArrayRef<Value> parts, llvm::function_ref<Value(Value, Value)> combine);

  // Memory. Offsets are in bytes.
  Value at(Value base, Value offset);
  Value at(Value base, int64_t offset);
  Value load(Type type, Value base, int64_t offset = 0, unsigned align = 0);
  void store(Value value, Value base, int64_t offset = 0, unsigned align = 0);
  /// `count` consecutive floats or halves as native registers of f32.
  Values loadTile(Type element, Value base, unsigned registers);
  /// `count` consecutive floats, each in all lanes.
  Values broadcastRun(Value base, unsigned count);
  void prefetch(Value base, int64_t offset);
  /// Memory of this call, 64-byte aligned, in the function's entry block.
  Value scratch(int64_t bytes);

  // Control.
  /// for (iv = lo; iv < hi; iv += step), all i64, signed.
  Values loop(Value lo, Value hi, int64_t step, ValueRange inits,
              llvm::function_ref<Values(Value iv, ValueRange carried)> body);
  void loop(Value lo, Value hi, int64_t step, llvm::function_ref<void(Value iv)> body);
  void ifThen(Value condition, llvm::function_ref<void()> body);

  Value intrinsic(llvm::StringRef name, Type result, ValueRange operands);

  /// Cuts `count` into runs of a power of two, at most `lanes`, and calls body(first, width) in order.
  void forEachRun(unsigned count, llvm::function_ref<void(unsigned first, unsigned width)> body) const;
};

} // namespace headrace
#endif
