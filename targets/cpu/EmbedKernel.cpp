#include "targets/cpu/Kernels.h"
#include "targets/cpu/Matmul.h"

namespace headrace {
namespace {

/// Elements of one row lie 32 apart in an f32 or f16 tile.
void copyFloats(VectorBuilder &b, const KernelSpec &spec, Value tile, Value lane, Value out) {
  Type element = spec.enc == Encoding::F32 ? b.f32 : b.f16;
  int64_t size = element.getIntOrFloatBitWidth() / 8;
  Value first = b.at(tile, b.imul(lane, b.i64c(size)));
  b.loop(b.i64c(0), b.i64c(spec.k), 1, [&](Value i) {
    Value x = b.extf(b.load(element, b.at(first, b.imul(i, b.i64c(32 * size)))));
    b.store(x, b.at(out, b.shl(i, 2)));
  });
}

/// Eight codes of one row as i32, zero point removed: two words of a w8 tile, one of four bits.
Value loadCodes(VectorBuilder &b, const KernelSpec &spec, Value atom) {
  Value low, high;
  if (isFourBits(spec.enc)) {
    Value word = b.load(b.i32, atom, 0, 4), mask = b.i32c(0x0f0f0f0f);
    low = b.iand(word, mask);
    high = b.iand(b.shrl(word, 4), mask);
  } else {
    low = b.load(b.i32, atom, 0, 4);
    high = b.load(b.i32, atom, 128, 4);
  }
  Value lowWide = b.zext(low, b.i64), highWide = b.shl(b.zext(high, b.i64), 32);
  Value both = b.ior(lowWide, highWide);
  Value codes = b.zext(b.bitcast(b.splat(both, 1), b.vec(b.i8, 8)), b.i32);
  return b.isub(codes, b.integer(codes.getType(), zeroPointOf(spec.enc)));
}

/// Codes beyond k are 0 in the table, so whole groups of 32 columns are written, padding included (0, unless groups
/// have offsets).
void dequantize(VectorBuilder &b, const KernelSpec &spec, Value tile, Value lane, Value out) {
  int64_t bytesPer8 = isFourBits(spec.enc) ? 128 : 256;
  Value tileScales = b.at(tile, spec.tileScales());
  Value scales = b.at(tileScales, b.shl(lane, 1));
  Value first = b.at(tile, b.shl(lane, 2));
  b.loop(b.i64c(0), b.i64c(KernelSpec::pad32(spec.k)), 8, [&](Value i) {
    Value group = b.shrl(i, spec.group == 32 ? 5 : spec.group == 64 ? 6 : 7);
    Value groupScale = b.at(scales, b.shl(group, 6));
    Value scale = b.extf(b.load(b.f16, groupScale));
    Value codes = loadCodes(b, spec, b.at(first, b.imul(i, b.i64c(bytesPer8 / 8))));
    Value numbers = b.sitofp(codes), scales8 = b.splat(scale, 8);
    Value offsets8;
    if (hasOffsets(spec.enc))
      offsets8 = b.splat(b.extf(b.load(b.f16, groupScale, spec.tileOffsets() - spec.tileScales())), 8);
    b.store(valueOfCodes(b, spec.enc, numbers, scales8, offsets8), b.at(out, b.shl(i, 2)));
  });
}

/// v * scale, then v + positions, in the row that the table gave. `position` may be null.
void scaleAndAdd(VectorBuilder &b, const KernelSpec &spec, Value position, Value out) {
  auto run = [&](Value offset, unsigned width) {
    VectorType type = b.vec(b.f32, width);
    Value at = b.at(out, offset), v = b.load(type, at);
    if (spec.scale != 1)
      v = b.fmul(v, b.real(type, spec.scale));
    if (position)
      v = b.fadd(v, b.load(type, b.at(position, offset)));
    b.store(v, at);
  };
  int64_t whole = spec.k / b.lanes * b.lanes;
  b.loop(b.i64c(0), b.i64c(whole * 4), b.lanes * 4, [&](Value offset) { run(offset, b.lanes); });
  b.forEachRun(unsigned(spec.k - whole),
               [&](unsigned first, unsigned width) { run(b.i64c((whole + first) * 4), width); });
}

} // namespace

void buildEmbed(VectorBuilder &b, const KernelSpec &spec, const KernelArguments &args) {
  int64_t rowBytes = KernelSpec::floatRowBytes(spec.k);
  unsigned next = 1;
  Value positions = spec.positions ? args.operands[next++] : Value();
  Value tokens = args.operands[next++], rows = args.operands[next];
  Value begin = b.toIndex(args.begin), end = b.toIndex(args.end);
  b.loop(begin, end, 1, [&](Value row) {
    Value token = b.toIndex(b.load(b.i32, b.at(tokens, b.shl(row, 2))));
    Value tile = b.at(args.operands[0], b.imul(b.shrl(token, 5), b.i64c(spec.tileBytes())));
    Value lane = b.iand(token, b.i64c(31));
    Value out = b.at(rows, b.imul(row, b.i64c(rowBytes)));
    if (spec.isQuantized())
      dequantize(b, spec, tile, lane, out);
    else
      copyFloats(b, spec, tile, lane, out);
    bool padded = spec.isQuantized() && !hasOffsets(spec.enc);
    for (int64_t i = spec.k; !padded && i < KernelSpec::pad32(spec.k); ++i)
      b.store(b.real(b.f32, 0.0f), out, i * 4);
    if (!positions && spec.scale == 1)
      return;
    Value position;
    if (positions) {
      Value absolute = b.iadd(b.toIndex(args.pos), row);
      position = b.at(positions, b.imul(absolute, b.i64c(spec.k * 4)));
    }
    scaleAndAdd(b, spec, position, out);
  });
}

} // namespace headrace
