#include "targets/cpu/Kernels.h"
#include "targets/cpu/QuantizeGroup.h"

namespace headrace {
namespace {

/// The pointers of one row.
struct NormRow {
  Value x; ///< what is normalised: x, or the sum once it is stored
  Value weight, bias;
  Value out;
  Value mean; ///< of kind layer, in all lanes
};

/// 32 running sums of squares (of kind layer: of values), after x + residual has been stored where there is a residual.
Values firstSums(VectorBuilder &b, const KernelSpec &spec, Value x, Value residual, Value sum) {
  Values zeros(b.perTile, b.real(b.floats(), 0.0f));
  // Zero padding adds zero, which changes no lane: whole runs of 32 columns.
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
                    next.push_back(spec.kind == NormForm::Layer ? b.fadd(lanes[v], values[v])
                                                                : b.fma(values[v], values[v], lanes[v]));
                  return next;
                });
}

Value treeSum(VectorBuilder &b, ValueRange lanes) {
  return b.reduceTree(Values(lanes), [&](Value p, Value q) { return b.fadd(p, q); });
}

/// Columns that fill whole runs of `run`: all, padding included, where padding normalises to zero by itself.
int64_t wholeColumns(const KernelSpec &spec, int64_t run) {
  return (spec.kind == NormForm::Layer ? spec.cols : KernelSpec::pad32(spec.cols)) / run * run;
}

/// x, of kind layer x - mean, for `count` registers of which the first `valid` elements lie within the row. Zeros stand
/// for the others.
Values centred(VectorBuilder &b, const NormRow &row, Value offset, unsigned count, int64_t valid) {
  Values x = b.loadTile(b.f32, b.at(row.x, offset), count);
  if (!row.mean)
    return x;
  for (unsigned v = 0; v != count; ++v) {
    int64_t mine = valid - v * b.lanes;
    x[v] = b.fsub(x[v], row.mean);
    if (mine < int64_t(b.lanes)) {
      Value inside = b.less(b.iota(b.lanes), b.integer(b.ints(), mine));
      x[v] = b.select(inside, x[v], b.real(b.floats(), 0.0f));
    }
  }
  return x;
}

/// 32 running sums of squares of x - mean.
Values squaresOfDeviations(VectorBuilder &b, const KernelSpec &spec, const NormRow &row) {
  auto add = [&](Value offset, ValueRange lanes, int64_t valid) {
    Values d = centred(b, row, offset, b.perTile, valid), next;
    for (unsigned v = 0; v != b.perTile; ++v)
      next.push_back(b.fma(d[v], d[v], lanes[v]));
    return next;
  };
  int64_t whole = wholeColumns(spec, 32);
  Values lanes(b.perTile, b.real(b.floats(), 0.0f));
  lanes = b.loop(b.i64c(0), b.i64c(whole * 4), 128, lanes,
                 [&](Value offset, ValueRange carried) { return add(offset, carried, 32); });
  return whole < spec.cols ? add(b.i64c(whole * 4), lanes, spec.cols - whole) : lanes;
}

/// y = (x * inv) * weight, with bias in one fused step, for `count` registers.
Values normalise(VectorBuilder &b, const NormRow &row, Value offset, Value inv, unsigned count, int64_t valid) {
  Values x = centred(b, row, offset, count, valid), w = b.loadTile(b.f32, b.at(row.weight, offset), count);
  Values bias = row.bias ? b.loadTile(b.f32, b.at(row.bias, offset), count) : Values();
  Values y;
  for (unsigned v = 0; v != count; ++v) {
    Value scaled = b.fmul(x[v], inv);
    y.push_back(row.bias ? b.fma(scaled, w[v], bias[v]) : b.fmul(scaled, w[v]));
  }
  return y;
}

void writeFloats(VectorBuilder &b, const KernelSpec &spec, const NormRow &row, Value inv) {
  auto run = [&](Value offset, int64_t valid) {
    Values y = normalise(b, row, offset, inv, b.perTile, valid);
    for (unsigned v = 0; v != b.perTile; ++v)
      b.store(y[v], b.at(row.out, offset), v * b.lanes * 4);
  };
  int64_t whole = wholeColumns(spec, 32);
  b.loop(b.i64c(0), b.i64c(whole * 4), 128, [&](Value offset) { run(offset, 32); });
  if (whole < spec.cols)
    run(b.i64c(whole * 4), spec.cols - whole);
}

void writeCodes(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args, const NormRow &row, Value inv,
                Value fault) {
  int64_t padded = KernelSpec::pad32(spec.cols), full = wholeColumns(spec, spec.group) / spec.group;
  auto group = [&](Value g, int64_t floats, int64_t valid) {
    Values y = normalise(b, row, b.imul(g, b.i64c(spec.group * 4)), inv, unsigned(floats) / b.lanes, valid);
    Value four = b.shl(g, 2);
    GroupOutput to{b.at(row.out, b.imul(g, b.i64c(spec.group))),
                   b.at(b.at(row.out, spec.codeRowScales(spec.cols)), four),
                   b.at(b.at(row.out, spec.codeRowSums(spec.cols)), four)};
    buildFault(b, buildQuantizeGroup(b, y, to), fault, args.site);
  };
  b.loop(b.i64c(0), b.i64c(full), 1, [&](Value g) { group(g, spec.group, spec.group); });
  if (int64_t rest = padded - full * spec.group)
    group(b.i64c(full), rest, spec.cols - full * spec.group);
}

} // namespace

void buildNorm(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  unsigned next = 0;
  Value x = args.operands[next++], residual, sum;
  if (spec.residual)
    residual = args.operands[next++];
  Value weight = args.operands[next++];
  Value bias = spec.bias ? args.operands[next++] : Value();
  if (spec.residual)
    sum = args.operands[next++];
  Value out = args.operands[next++], fault = args.operands[next];

  int64_t floatBytes = KernelSpec::floatRowBytes(spec.cols);
  int64_t outBytes = spec.out == Encoding::A8 ? spec.codeRowBytes(spec.cols) : floatBytes;
  Value begin = b.toIndex(args.begin), end = b.toIndex(args.end);
  b.loop(begin, end, 1, [&](Value index) {
    Value offset = b.imul(index, b.i64c(floatBytes));
    Value rowX = b.at(x, offset), rowSum = spec.residual ? b.at(sum, offset) : Value();
    Values lanes = firstSums(b, spec, rowX, spec.residual ? b.at(residual, offset) : Value(), rowSum);
    NormRow row;
    row.x = spec.residual ? rowSum : rowX;
    Value total = treeSum(b, lanes);
    if (spec.kind == NormForm::Layer) {
      row.mean = b.splat(b.fdiv(total, b.real(b.f32, float(spec.cols))), b.lanes);
      total = treeSum(b, squaresOfDeviations(b, spec, row));
    }
    Value mean = b.fdiv(total, b.real(b.f32, float(spec.cols)));
    Value inv = b.fdiv(b.real(b.f32, 1.0f), b.sqrt(b.fadd(mean, b.real(b.f32, spec.eps))));
    // Not finite: exponent all ones, whatever the sign.
    Value magnitude = b.iand(b.bitcast(total, b.i32), b.i32c(0x7fffffff));
    buildFault(b, b.less(b.i32c(0x7f7fffff), magnitude), fault, args.site);

    row.weight = weight;
    row.bias = bias;
    row.out = b.at(out, b.imul(index, b.i64c(outBytes)));
    Value factor = b.splat(inv, b.lanes);
    if (spec.out == Encoding::A8)
      writeCodes(b, spec, args, row, factor, fault);
    else
      writeFloats(b, spec, row, factor);
  });
}

} // namespace headrace
