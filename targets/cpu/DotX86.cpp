#include "targets/cpu/Dot.h"

using namespace mlir;

namespace headrace {
namespace {

/// Four codes of x in every 32-bit lane.
Value broadcastWord(VectorBuilder &b, Value x, int64_t offset) {
  return b.bitcast(b.splat(b.load(b.i32, x, offset, 4), b.lanes), b.vec(b.i8, b.variant.vectorBytes));
}

/// vpdpbusd multiplies unsigned by signed: offset weight codes as they are, and -zero * sum as the start.
class VpdpbusdDot : public Dot {
  /// Few registers: low and high words get accumulators of their own. That shortens the chains, and lets high nibbles
  /// stay where they are: sixteen times the sum, at most 240 * 127 * 128, is exact too.
  static bool isSplit(const DotInput &in) { return in.x.size() * in.registers <= 4; }

  Values start(VectorBuilder &b, const DotInput &in) const override {
    Values acc;
    for (unsigned row = 0; row != in.x.size(); ++row)
      acc.append(in.registers, zeroPoint(b, in, row));
    if (isSplit(in))
      acc.append(in.x.size() * in.registers, b.integer(b.ints(), 0));
    return acc;
  }

  Values step(VectorBuilder &b, const DotInput &in, Value weights, ArrayRef<Value> x,
              ValueRange carried) const override {
    Values acc(carried);
    StringRef name = b.lanes == 16 ? "llvm.x86.avx512.vpdpbusd.512" : "llvm.x86.avx512.vpdpbusd.256";
    size_t half = isSplit(in) ? acc.size() / 2 : 0;
    for (unsigned octet = 0; octet != 4; ++octet) {
      SmallVector<WeightWords> words;
      for (unsigned v = 0; v != in.registers; ++v)
        words.push_back(loadWords(b, in, weights, octet, v, isSplit(in) ? WordForm::HighInPlace : WordForm::Offset));
      for (auto [row, codes] : llvm::enumerate(x)) {
        Value low = broadcastWord(b, codes, octet * 8), high = broadcastWord(b, codes, octet * 8 + 4);
        for (unsigned v = 0; v != in.registers; ++v) {
          Value &first = acc[row * in.registers + v], &second = acc[half + row * in.registers + v];
          first = b.intrinsic(name, b.ints(), {first, words[v].low, low});
          second = b.intrinsic(name, b.ints(), {second, words[v].high, high});
        }
      }
    }
    return acc;
  }

  Values finish(VectorBuilder &b, const DotInput &in, ValueRange acc) const override {
    size_t count = in.x.size() * in.registers;
    if (!isSplit(in))
      return Values(acc);
    Values dots;
    for (size_t i = 0; i != count; ++i) {
      Value high = acc[count + i];
      dots.push_back(b.iadd(acc[i], isFourBits(in.enc) ? b.shra(high, 4) : high));
    }
    return dots;
  }
};

/// AVX2: vpmaddubsw adds pairs of products in 16 bits. Four bits: 15 * 127 * 2 a pair, so the eight of a step fit; W8:
/// |w| times x with w's sign, at most 128 * 127 * 2 (x is never -128, whose sign could not change). Neither saturates.
/// vpmaddwd by ones widens.
class MaddubsDot : public Dot {
  Values start(VectorBuilder &b, const DotInput &in) const override {
    Values acc;
    for (unsigned row = 0; row != in.x.size(); ++row)
      acc.append(in.registers, isFourBits(in.enc) ? zeroPoint(b, in, row) : b.integer(b.ints(), 0));
    return acc;
  }

  static Value pairs(VectorBuilder &b, Value asUnsigned, Value asSigned) {
    return b.intrinsic("llvm.x86.avx2.pmadd.ub.sw", b.vec(b.i16, 16), {asUnsigned, asSigned});
  }

  static Value widen(VectorBuilder &b, Value words) {
    return b.intrinsic("llvm.x86.avx2.pmadd.wd", b.ints(), {words, b.integer(b.vec(b.i16, 16), 1)});
  }

  static void stepFourBits(VectorBuilder &b, const DotInput &in, Value weights, ArrayRef<Value> x, Values &acc) {
    Values sums(acc.size());
    for (unsigned octet = 0; octet != 4; ++octet) {
      SmallVector<WeightWords> words;
      for (unsigned v = 0; v != in.registers; ++v)
        words.push_back(loadWords(b, in, weights, octet, v, WordForm::Offset));
      for (auto [row, codes] : llvm::enumerate(x)) {
        Value low = broadcastWord(b, codes, octet * 8), high = broadcastWord(b, codes, octet * 8 + 4);
        for (unsigned v = 0; v != in.registers; ++v) {
          Value &sum = sums[row * in.registers + v];
          Value first = pairs(b, words[v].low, low), second = pairs(b, words[v].high, high);
          sum = sum ? b.iadd(b.iadd(sum, first), second) : b.iadd(first, second);
        }
      }
    }
    for (auto [to, sum] : llvm::zip(acc, sums))
      to = b.iadd(to, widen(b, sum));
  }

  static void stepW8(VectorBuilder &b, const DotInput &in, Value weights, ArrayRef<Value> x, Values &acc) {
    VectorType bytes = b.vec(b.i8, 32);
    Value zero = b.integer(bytes, 0);
    auto magnitude = [&](Value w) { return b.smax(w, b.isub(zero, w)); }; // of -128: 128 as unsigned
    auto product = [&](Value w, Value unsignedW, Value code) {
      return widen(b, pairs(b, unsignedW, b.intrinsic("llvm.x86.avx2.psign.b", bytes, {code, w})));
    };
    for (unsigned octet = 0; octet != 4; ++octet) {
      SmallVector<WeightWords> words, magnitudes;
      for (unsigned v = 0; v != in.registers; ++v) {
        words.push_back(loadWords(b, in, weights, octet, v, WordForm::Signed));
        Value low = magnitude(words[v].low), high = magnitude(words[v].high);
        magnitudes.push_back({low, high});
      }
      for (auto [row, codes] : llvm::enumerate(x)) {
        Value low = broadcastWord(b, codes, octet * 8), high = broadcastWord(b, codes, octet * 8 + 4);
        for (unsigned v = 0; v != in.registers; ++v) {
          Value &to = acc[row * in.registers + v];
          to = b.iadd(to, product(words[v].low, magnitudes[v].low, low));
          to = b.iadd(to, product(words[v].high, magnitudes[v].high, high));
        }
      }
    }
  }

  Values step(VectorBuilder &b, const DotInput &in, Value weights, ArrayRef<Value> x,
              ValueRange carried) const override {
    Values acc(carried);
    if (isFourBits(in.enc))
      stepFourBits(b, in, weights, x, acc);
    else
      stepW8(b, in, weights, x, acc);
    return acc;
  }

  Values finish(VectorBuilder &b, const DotInput &in, ValueRange acc) const override { return Values(acc); }
};

} // namespace

std::unique_ptr<Dot> createVpdpbusdDot() { return std::make_unique<VpdpbusdDot>(); }
std::unique_ptr<Dot> createMaddubsDot() { return std::make_unique<MaddubsDot>(); }

} // namespace headrace
