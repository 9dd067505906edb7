#include "targets/cpu/Kernels.h"
#include "targets/cpu/QuantizeGroup.h"

namespace headrace {
namespace {

/// The pointers of one row.
struct NormRow {
  Value x; ///< what is normalised: x, or the sum once it is stored
  Value weight;
  Value out;
};

/// 32 running sums of squares, after x + residual has been stored where there is a residual.
Values sumOfSquares(VectorBuilder &b, const KernelSpec &spec, Value x, Value residual, Value sum) {
  Values zeros(b.perTile, b.real(b.floats(), 0.0f));
  // Zero padding adds squares of zero, which change no lane: whole runs of 32 columns.
  return b.loop(b.i64c(0), b.i64c(KernelSpec::floatRowBytes(spec.cols)), 128, zeros,
                [&](Value offset, ValueRange lanes) {
                  Values values = b.loadTile(b.f32, b.at(x, offset), b.perTile);
                  if (spec.residual) {
                    Values other = b.loadTile(b.f32, b.at(residual, offset), b.perTile);
                    Value to = b.at(sum, offset);
                    for (unsigned v = 0; v != b.perTile; ++v) {
                      values[v] = b.fadd(values[v], other[v]);
                      b.store(values[v], to, v * b.lanes * 4);
                    }
                  }
                  Values next;
                  for (unsigned v = 0; v != b.perTile; ++v)
                    next.push_back(b.fma(values[v], values[v], lanes[v]));
                  return next;
                });
}

/// y = (x * inv) * weight for `count` registers.
Values normalise(VectorBuilder &b, const NormRow &row, Value offset, Value inv, unsigned count) {
  Values x = b.loadTile(b.f32, b.at(row.x, offset), count), w = b.loadTile(b.f32, b.at(row.weight, offset), count);
  Values y;
  for (unsigned v = 0; v != count; ++v)
    y.push_back(b.fmul(b.fmul(x[v], inv), w[v]));
  return y;
}

void writeFloats(VectorBuilder &b, const KernelSpec &spec, const NormRow &row, Value inv) {
  b.loop(b.i64c(0), b.i64c(KernelSpec::floatRowBytes(spec.cols)), 128, [&](Value offset) {
    Values y = normalise(b, row, offset, inv, b.perTile);
    for (unsigned v = 0; v != b.perTile; ++v)
      b.store(y[v], b.at(row.out, offset), v * b.lanes * 4);
  });
}

void writeCodes(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args, const NormRow &row, Value inv,
                Value fault) {
  int64_t padded = KernelSpec::pad32(spec.cols), full = padded / spec.group;
  auto group = [&](Value g, int64_t floats) {
    Values y = normalise(b, row, b.imul(g, b.i64c(spec.group * 4)), inv, unsigned(floats) / b.lanes);
    Value four = b.shl(g, 2);
    GroupOutput to{b.at(row.out, b.imul(g, b.i64c(spec.group))),
                   b.at(b.at(row.out, spec.codeRowScales(spec.cols)), four),
                   b.at(b.at(row.out, spec.codeRowSums(spec.cols)), four)};
    buildFault(b, buildQuantizeGroup(b, y, to), fault, args.site);
  };
  b.loop(b.i64c(0), b.i64c(full), 1, [&](Value g) { group(g, spec.group); });
  if (int64_t rest = padded % spec.group)
    group(b.i64c(full), rest);
}

} // namespace

void buildNorm(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  unsigned next = 0;
  Value x = args.operands[next++], residual, sum;
  if (spec.residual)
    residual = args.operands[next++];
  Value weight = args.operands[next++];
  if (spec.residual)
    sum = args.operands[next++];
  Value out = args.operands[next++], fault = args.operands[next];

  int64_t floatBytes = KernelSpec::floatRowBytes(spec.cols);
  int64_t outBytes = spec.out == Encoding::A8 ? spec.codeRowBytes(spec.cols) : floatBytes;
  Value begin = b.toIndex(args.begin), end = b.toIndex(args.end);
  b.loop(begin, end, 1, [&](Value index) {
    Value offset = b.imul(index, b.i64c(floatBytes));
    Value rowX = b.at(x, offset), rowSum = spec.residual ? b.at(sum, offset) : Value();
    Values lanes = sumOfSquares(b, spec, rowX, spec.residual ? b.at(residual, offset) : Value(), rowSum);
    Value total = b.reduceTree(lanes, [&](Value p, Value q) { return b.fadd(p, q); });
    Value mean = b.fdiv(total, b.real(b.f32, float(spec.cols)));
    Value inv = b.fdiv(b.real(b.f32, 1.0f), b.sqrt(b.fadd(mean, b.real(b.f32, spec.eps))));
    // Not finite: exponent all ones, whatever the sign.
    Value magnitude = b.iand(b.bitcast(total, b.i32), b.i32c(0x7fffffff));
    buildFault(b, b.less(b.i32c(0x7f7fffff), magnitude), fault, args.site);

    NormRow row{spec.residual ? rowSum : rowX, weight, b.at(out, b.imul(index, b.i64c(outBytes)))};
    Value factor = b.splat(inv, b.lanes);
    if (spec.out == Encoding::A8)
      writeCodes(b, spec, args, row, factor, fault);
    else
      writeFloats(b, spec, row, factor);
  });
}

} // namespace headrace
