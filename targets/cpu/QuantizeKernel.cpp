#include "mlir/Dialect/Arith/IR/Arith.h"
#include "targets/cpu/Kernels.h"
#include "targets/cpu/QuantizeGroup.h"

using namespace mlir;

namespace headrace {

void buildFault(VectorBuilder &b, Value bad, Value fault, Value site) {
  b.ifThen(bad, [&] {
    Value old = b.load(b.i32, fault);
    Value clear = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, old, b.i32c(0));
    b.store(b.select(clear, b.iadd(site, b.i32c(1)), old), fault);
  });
}

/// Largest magnitude of the values, as bits: magnitudes of floats are ordered like integers.
static Value largestBits(VectorBuilder &b, ArrayRef<Value> values) {
  Values magnitudes;
  Value mask = b.integer(b.ints(), 0x7fffffff);
  for (Value x : values)
    magnitudes.push_back(b.iand(b.bitcast(x, b.ints()), mask));
  while (magnitudes.size() > 1) {
    magnitudes[0] = b.smax(magnitudes[0], magnitudes.back());
    magnitudes.pop_back();
  }
  return b.reduceTree(magnitudes, [&](Value x, Value y) { return b.smax(x, y); });
}

Value buildQuantizeGroup(VectorBuilder &b, ArrayRef<Value> values, const GroupOutput &out) {
  Value infinity = b.i32c(0x7f800000);
  Value bits = largestBits(b, values), amax = b.bitcast(bits, b.f32);
  Value finite = b.less(bits, infinity);
  // 127 / 0 is infinite too: one test covers zeros and the values whose reciprocal overflows.
  Value reciprocal = b.fdiv(b.real(b.f32, 127.0f), amax);
  Value usable = arith::AndIOp::create(b, finite, b.less(b.bitcast(reciprocal, b.i32), infinity));
  Value zero = b.real(b.f32, 0.0f);
  b.store(b.select(usable, b.fdiv(amax, b.real(b.f32, 127.0f)), zero), out.scale);

  // |x * r| <= 127 (1 + 2^-23) rounds to at most 127: the contract's clamp never acts. In unusable groups x may be a
  // NaN or an infinity, whose conversion LLVM leaves undefined: the float is replaced, not the code.
  Value factor = b.splat(b.select(usable, reciprocal, zero), b.lanes), zeros = b.splat(zero, b.lanes);
  Values codes, sums;
  for (Value x : values)
    codes.push_back(b.fptosi(b.select(usable, b.roundEven(b.fmul(x, factor)), zeros)));
  sums.assign(codes.begin(), codes.end());
  while (sums.size() > 1) {
    sums[0] = b.iadd(sums[0], sums.back());
    sums.pop_back();
  }
  b.store(b.reduceTree(sums, [&](Value x, Value y) { return b.iadd(x, y); }), out.sum);

  // Narrow in runs of 16 bytes, or of what one register gives.
  while (codes.size() > 1 && cast<VectorType>(codes.front().getType()).getDimSize(0) < 16) {
    Values wider;
    for (size_t i = 0; i != codes.size(); i += 2)
      wider.push_back(b.concat(codes[i], codes[i + 1]));
    codes = wider;
  }
  int64_t width = cast<VectorType>(codes.front().getType()).getDimSize(0);
  for (auto [i, run] : llvm::enumerate(codes))
    b.store(b.trunc(run, b.i8), out.codes, int64_t(i) * width);
  return b.select(finite, arith::ConstantOp::create(b, b.getBoolAttr(false)),
                  arith::ConstantOp::create(b, b.getBoolAttr(true)));
}

void buildQuantize(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  int64_t cols = spec.cols, padded = KernelSpec::pad32(cols), full = padded / spec.group;
  Value begin = b.toIndex(args.begin), end = b.toIndex(args.end);
  b.loop(begin, end, 1, [&](Value row) {
    Value x = b.at(args.operands[0], b.imul(row, b.i64c(KernelSpec::floatRowBytes(cols))));
    Value out = b.at(args.operands[1], b.imul(row, b.i64c(spec.codeRowBytes(cols))));
    auto group = [&](Value g, unsigned floats) {
      Value four = b.shl(g, 2);
      GroupOutput to{b.at(out, b.imul(g, b.i64c(spec.group))), b.at(b.at(out, spec.codeRowScales(cols)), four),
                     b.at(b.at(out, spec.codeRowSums(cols)), four)};
      Values values = b.loadTile(b.f32, b.at(x, b.imul(g, b.i64c(spec.group * 4))), floats / b.lanes);
      buildFault(b, buildQuantizeGroup(b, values, to), args.operands[2], args.site);
    };
    // Zeros pad the last group to a multiple of 32; they change nothing.
    b.loop(b.i64c(0), b.i64c(full), 1, [&](Value g) { group(g, unsigned(spec.group)); });
    if (int64_t rest = padded % spec.group)
      group(b.i64c(full), unsigned(rest));
  });
}

} // namespace headrace
