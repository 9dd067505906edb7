#include "targets/cpu/VectorBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace headrace {

VectorBuilder::VectorBuilder(OpBuilder &builder, Location loc, const Variant &variant)
    : ImplicitLocOpBuilder(loc, builder), variant(variant), lanes(variant.vectorBytes / 4), perTile(32 / lanes),
      f16(getF16Type()), f32(getF32Type()), i8(getI8Type()), i16(getI16Type()), i32(getI32Type()), i64(getI64Type()),
      pointer(LLVM::LLVMPointerType::get(getContext())) {}

//===- Constants
//---------------------------------------------------------------------------------------------------===//

Value VectorBuilder::real(Type type, float value) {
  Attribute attr = FloatAttr::get(getElementTypeOrSelf(type), APFloat(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(*this, cast<TypedAttr>(attr));
}

Value VectorBuilder::integer(Type type, int64_t value) {
  Attribute attr = IntegerAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(*this, cast<TypedAttr>(attr));
}

Value VectorBuilder::iota(unsigned count, int64_t first) {
  SmallVector<int32_t> values;
  for (unsigned i = 0; i != count; ++i)
    values.push_back(int32_t(first + i));
  return arith::ConstantOp::create(
      *this, cast<TypedAttr>(Attribute(DenseElementsAttr::get(vec(i32, count), ArrayRef<int32_t>(values)))));
}

//===- Arithmetic
//--------------------------------------------------------------------------------------------------===//

Value VectorBuilder::fadd(Value a, Value b) { return arith::AddFOp::create(*this, a, b); }
Value VectorBuilder::fsub(Value a, Value b) { return arith::SubFOp::create(*this, a, b); }
Value VectorBuilder::fmul(Value a, Value b) { return arith::MulFOp::create(*this, a, b); }
Value VectorBuilder::fdiv(Value a, Value b) { return arith::DivFOp::create(*this, a, b); }
Value VectorBuilder::fma(Value a, Value b, Value c) { return LLVM::FMAOp::create(*this, a.getType(), a, b, c); }
Value VectorBuilder::fneg(Value a) { return arith::NegFOp::create(*this, a); }
Value VectorBuilder::fabs(Value a) { return LLVM::FAbsOp::create(*this, a.getType(), a); }
Value VectorBuilder::sqrt(Value a) { return LLVM::SqrtOp::create(*this, a.getType(), a); }
Value VectorBuilder::roundEven(Value a) { return LLVM::RoundEvenOp::create(*this, a.getType(), a); }
Value VectorBuilder::copySign(Value m, Value s) { return LLVM::CopySignOp::create(*this, m.getType(), m, s); }

Value VectorBuilder::fmax(Value a, Value b) {
  // maxps is a compare and select; fmaxnm is the instruction of AArch64 that needs no NaN handling around it.
  if (variant.isX86())
    return select(fless(b, a), a, b);
  return LLVM::MaxNumOp::create(*this, a.getType(), a, b);
}

Value VectorBuilder::iadd(Value a, Value b) { return arith::AddIOp::create(*this, a, b); }
Value VectorBuilder::isub(Value a, Value b) { return arith::SubIOp::create(*this, a, b); }
Value VectorBuilder::imul(Value a, Value b) { return arith::MulIOp::create(*this, a, b); }
Value VectorBuilder::iand(Value a, Value b) { return arith::AndIOp::create(*this, a, b); }
Value VectorBuilder::ior(Value a, Value b) { return arith::OrIOp::create(*this, a, b); }
Value VectorBuilder::ixor(Value a, Value b) { return arith::XOrIOp::create(*this, a, b); }
Value VectorBuilder::shl(Value a, int64_t n) { return arith::ShLIOp::create(*this, a, integer(a.getType(), n)); }
Value VectorBuilder::shrl(Value a, int64_t n) { return arith::ShRUIOp::create(*this, a, integer(a.getType(), n)); }
Value VectorBuilder::shra(Value a, int64_t n) { return arith::ShRSIOp::create(*this, a, integer(a.getType(), n)); }
Value VectorBuilder::urem(Value a, Value b) { return arith::RemUIOp::create(*this, a, b); }
Value VectorBuilder::udiv(Value a, Value b) { return arith::DivUIOp::create(*this, a, b); }
Value VectorBuilder::smax(Value a, Value b) { return arith::MaxSIOp::create(*this, a, b); }
Value VectorBuilder::smin(Value a, Value b) { return arith::MinSIOp::create(*this, a, b); }

Value VectorBuilder::less(Value a, Value b) { return arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, a, b); }
Value VectorBuilder::fless(Value a, Value b) { return arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, a, b); }
Value VectorBuilder::select(Value c, Value a, Value b) { return arith::SelectOp::create(*this, c, a, b); }

//===- Conversions
//-------------------------------------------------------------------------------------------------===//

/// `like` with another element type.
static Type withElement(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Value VectorBuilder::extf(Value a) {
  if (getElementTypeOrSelf(a.getType()).isF32())
    return a;
  return arith::ExtFOp::create(*this, withElement(a.getType(), f32), a);
}
Value VectorBuilder::truncf(Value a) { return arith::TruncFOp::create(*this, withElement(a.getType(), f16), a); }
Value VectorBuilder::sitofp(Value a) { return arith::SIToFPOp::create(*this, withElement(a.getType(), f32), a); }
Value VectorBuilder::fptosi(Value a) { return arith::FPToSIOp::create(*this, withElement(a.getType(), i32), a); }
Value VectorBuilder::sext(Value a, Type e) { return arith::ExtSIOp::create(*this, withElement(a.getType(), e), a); }
Value VectorBuilder::zext(Value a, Type e) { return arith::ExtUIOp::create(*this, withElement(a.getType(), e), a); }
Value VectorBuilder::trunc(Value a, Type e) { return arith::TruncIOp::create(*this, withElement(a.getType(), e), a); }
Value VectorBuilder::bitcast(Value a, Type type) {
  return a.getType() == type ? a : Value(LLVM::BitcastOp::create(*this, type, a));
}
Value VectorBuilder::toIndex(Value a) { return arith::ExtSIOp::create(*this, i64, a); }

//===- Vectors
//-----------------------------------------------------------------------------------------------------===//

Value VectorBuilder::splat(Value scalar, unsigned count) {
  return vector::BroadcastOp::create(*this, vec(scalar.getType(), count), scalar);
}
Value VectorBuilder::fromElements(ArrayRef<Value> scalars) {
  return vector::FromElementsOp::create(*this, vec(scalars.front().getType(), unsigned(scalars.size())), scalars);
}
Value VectorBuilder::shuffle(Value a, Value b, ArrayRef<int64_t> mask) {
  return vector::ShuffleOp::create(*this, a, b, mask);
}
Value VectorBuilder::extract(Value vector, unsigned lane) {
  return vector::ExtractOp::create(*this, vector, int64_t(lane));
}
Value VectorBuilder::slice(Value vector, unsigned first, unsigned count) {
  SmallVector<int64_t> mask;
  for (unsigned i = 0; i != count; ++i)
    mask.push_back(first + i);
  return shuffle(vector, mask);
}
Value VectorBuilder::concat(Value low, Value high) {
  SmallVector<int64_t> mask;
  for (int64_t i = 0, e = 2 * cast<VectorType>(low.getType()).getDimSize(0); i != e; ++i)
    mask.push_back(i);
  return shuffle(low, high, mask);
}

Value VectorBuilder::reduceTree(ArrayRef<Value> parts, llvm::function_ref<Value(Value, Value)> combine) {
  Values values(parts);
  for (size_t half = values.size() / 2; half != 0; half /= 2)
    for (size_t i = 0; i != half; ++i)
      values[i] = combine(values[i], values[i + half]);
  Value last = values.front();
  for (unsigned half = cast<VectorType>(last.getType()).getDimSize(0) / 2; half != 0; half /= 2) {
    Value low = slice(last, 0, half), high = slice(last, half, half);
    last = combine(low, high);
  }
  return extract(last, 0);
}

//===- Memory
//------------------------------------------------------------------------------------------------------===//

Value VectorBuilder::at(Value base, Value offset) {
  return LLVM::GEPOp::create(*this, pointer, i8, base, ArrayRef<LLVM::GEPArg>{offset});
}
Value VectorBuilder::at(Value base, int64_t offset) {
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(*this, pointer, i8, base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

static unsigned alignOf(Type type, unsigned align) {
  return align ? align : getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}
Value VectorBuilder::load(Type type, Value base, int64_t offset, unsigned align) {
  return LLVM::LoadOp::create(*this, type, at(base, offset), alignOf(type, align));
}
void VectorBuilder::store(Value value, Value base, int64_t offset, unsigned align) {
  LLVM::StoreOp::create(*this, value, at(base, offset), alignOf(value.getType(), align));
}
Values VectorBuilder::loadTile(Type element, Value base, unsigned registers) {
  Values values;
  for (unsigned v = 0; v != registers; ++v)
    values.push_back(extf(load(vec(element, lanes), base, v * lanes * element.getIntOrFloatBitWidth() / 8)));
  return values;
}
Values VectorBuilder::broadcastRun(Value base, unsigned count) {
  Values splats;
  if (variant.isAArch64() && count == 4) { // fmla by lane: one load gives four multipliers
    Value four = load(vec(f32, 4), base);
    for (int64_t i = 0; i != 4; ++i)
      splats.push_back(shuffle(four, {i, i, i, i}));
    return splats;
  }
  for (unsigned i = 0; i != count; ++i)
    splats.push_back(splat(load(f32, base, i * 4), lanes));
  return splats;
}
void VectorBuilder::prefetch(Value base, int64_t offset) {
  // read, keep in all levels, data
  LLVM::Prefetch::create(*this, at(base, offset), 0, 3, 1);
}
Value VectorBuilder::scratch(int64_t bytes) {
  InsertionGuard guard(*this);
  auto function = getInsertionBlock()->getParent()->getParentOfType<func::FuncOp>();
  if (!function)
    function = cast<func::FuncOp>(getInsertionBlock()->getParentOp());
  setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(*this, pointer, i8, i64c(bytes), 64);
}

//===- Control
//-----------------------------------------------------------------------------------------------------===//

Values VectorBuilder::loop(Value lo, Value hi, int64_t step, ValueRange inits,
                           llvm::function_ref<Values(Value, ValueRange)> body) {
  Value stepValue = i64c(step);
  auto loop = scf::ForOp::create(*this, lo, hi, stepValue, inits);
  InsertionGuard guard(*this);
  Block *block = loop.getBody();
  if (!block->empty()) // made by the builder when nothing is carried
    block->back().erase();
  setInsertionPointToEnd(block);
  Values results = body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(*this, results);
  return Values(loop.getResults());
}

void VectorBuilder::loop(Value lo, Value hi, int64_t step, llvm::function_ref<void(Value)> body) {
  loop(lo, hi, step, ValueRange(), [&](Value iv, ValueRange) {
    body(iv);
    return Values();
  });
}

void VectorBuilder::ifThen(Value condition, llvm::function_ref<void()> body) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  body();
}

Value VectorBuilder::intrinsic(StringRef name, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(*this, result, getStringAttr(name), operands).getResult(0);
}

void VectorBuilder::forEachRun(unsigned count, llvm::function_ref<void(unsigned, unsigned)> body) const {
  unsigned first = 0;
  for (unsigned width = lanes; width != 0; width /= 2)
    for (; count - first >= width; first += width)
      body(first, width);
}

} // namespace headrace
