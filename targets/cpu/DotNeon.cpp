#include "targets/cpu/Dot.h"

using namespace mlir;

namespace headrace {
namespace {

/// 16 codes of each row at a time: two octets.
Values loadCodes(VectorBuilder &b, ArrayRef<Value> x, unsigned octet) {
  Values codes;
  for (Value row : x)
    codes.push_back(b.bitcast(b.load(b.vec(b.i8, 16), row, octet * 8), b.vec(b.i32, 4)));
  return codes;
}

/// Word `lane` of four in `count` 32-bit lanes, as i8: the by-lane operand of sdot.
Value wordOf(VectorBuilder &b, Value codes, int64_t lane, unsigned count) {
  return b.bitcast(b.shuffle(codes, SmallVector<int64_t>(count, lane)), b.vec(b.i8, count * 4));
}

/// dotprod: sdot by lane. Codes of four bits as stored are small enough to be signed; W8 becomes signed by flipping its
/// top bit.
class SdotDot : public Dot {
  Values start(VectorBuilder &b, const DotInput &in) const override {
    Values acc;
    for (unsigned row = 0; row != in.x.size(); ++row)
      acc.append(in.registers, isFourBits(in.enc) ? zeroPoint(b, in, row) : b.integer(b.ints(), 0));
    return acc;
  }

  Values step(VectorBuilder &b, const DotInput &in, Value weights, ArrayRef<Value> x,
              ValueRange carried) const override {
    Values acc(carried), codes;
    auto sdot = [&](Value &to, Value w, Value word) {
      to = b.intrinsic("llvm.aarch64.neon.sdot", b.ints(), {to, w, word});
    };
    for (unsigned octet = 0; octet != 4; ++octet) {
      if (octet % 2 == 0)
        codes = loadCodes(b, x, octet);
      for (unsigned v = 0; v != in.registers; ++v) {
        WeightWords words = loadWords(b, in, weights, octet, v, WordForm::Signed);
        for (unsigned row = 0; row != x.size(); ++row) {
          Value &to = acc[row * in.registers + v];
          sdot(to, words.low, wordOf(b, codes[row], octet % 2 * 2, 4));
          sdot(to, words.high, wordOf(b, codes[row], octet % 2 * 2 + 1, 4));
        }
      }
    }
    return acc;
  }

  Values finish(VectorBuilder &b, const DotInput &in, ValueRange acc) const override { return Values(acc); }
};

/// i8mm: smmla multiplies two rows of x (8 codes each) by two outputs. An accumulator holds
/// [row0 out0, row0 out1, row1 out0, row1 out1]; a weight register of four outputs needs two of them.
class SmmlaDot : public Dot {
  Values start(VectorBuilder &b, const DotInput &in) const override {
    return Values(in.x.size() * in.registers, b.integer(b.ints(), 0));
  }

  Values step(VectorBuilder &b, const DotInput &in, Value weights, ArrayRef<Value> x,
              ValueRange carried) const override {
    Values acc(carried);
    VectorType bytes = b.vec(b.i8, 16);
    auto smmla = [&](Value &to, Value codes, Value w) {
      to = b.intrinsic("llvm.aarch64.neon.smmla", b.ints(), {to, codes, w});
    };
    for (unsigned octet = 0; octet != 4; ++octet) {
      Values codes;
      for (unsigned pair = 0; pair != x.size() / 2; ++pair) {
        Value even = b.load(b.vec(b.i8, 8), x[2 * pair], octet * 8);
        Value odd = b.load(b.vec(b.i8, 8), x[2 * pair + 1], octet * 8);
        codes.push_back(b.concat(even, odd));
      }
      for (unsigned v = 0; v != in.registers; ++v) {
        WeightWords words = loadWords(b, in, weights, octet, v, WordForm::Signed);
        Value low = b.bitcast(words.low, b.ints()), high = b.bitcast(words.high, b.ints());
        Value first = b.bitcast(b.shuffle(low, high, {0, 4, 1, 5}), bytes);
        Value second = b.bitcast(b.shuffle(low, high, {2, 6, 3, 7}), bytes);
        for (unsigned pair = 0; pair != codes.size(); ++pair) {
          unsigned at = (pair * in.registers + v) * 2;
          smmla(acc[at], codes[pair], first);
          smmla(acc[at + 1], codes[pair], second);
        }
      }
    }
    return acc;
  }

  Values finish(VectorBuilder &b, const DotInput &in, ValueRange acc) const override {
    Values dots(in.x.size() * in.registers);
    for (unsigned pair = 0; pair != in.x.size() / 2; ++pair)
      for (unsigned v = 0; v != in.registers; ++v) {
        unsigned at = (pair * in.registers + v) * 2;
        dots[2 * pair * in.registers + v] = b.shuffle(acc[at], acc[at + 1], {0, 1, 4, 5});
        dots[(2 * pair + 1) * in.registers + v] = b.shuffle(acc[at], acc[at + 1], {2, 3, 6, 7});
      }
    if (in.enc == Encoding::W4)
      for (unsigned row = 0; row != in.x.size(); ++row)
        for (unsigned v = 0; v != in.registers; ++v) {
          Value &dot = dots[row * in.registers + v];
          dot = b.iadd(dot, zeroPoint(b, in, row));
        }
    return dots;
  }
};

/// Armv8.0: smull and smlal into 16 bits, then sadalp. A weight register is two outputs in its low half and two in its
/// high half; each half has an accumulator [out0 even, out0 odd, out1 even, out1 odd]. Four bits: 15 * 127, so the
/// eight products of a step fit in 16 bits; W8: 128 * 127, so two do.
class NeonMullDot : public Dot {
  Values start(VectorBuilder &b, const DotInput &in) const override {
    return Values(in.x.size() * in.registers * 2, b.integer(b.ints(), 0));
  }

  static Value product(VectorBuilder &b, Value w, unsigned half, Value word) {
    Value part = b.slice(w, half * 8, 8);
    return b.intrinsic("llvm.aarch64.neon.smull", b.vec(b.i16, 8), {part, word});
  }

  static void flush(VectorBuilder &b, Value &acc, Value &sum) {
    acc = b.iadd(acc, b.intrinsic("llvm.aarch64.neon.saddlp", b.ints(), {sum}));
    sum = Value();
  }

  Values step(VectorBuilder &b, const DotInput &in, Value weights, ArrayRef<Value> x,
              ValueRange carried) const override {
    Values acc(carried), sums(carried.size()), codes;
    for (unsigned octet = 0; octet != 4; ++octet) {
      if (octet % 2 == 0)
        codes = loadCodes(b, x, octet);
      for (unsigned v = 0; v != in.registers; ++v) {
        WeightWords words = loadWords(b, in, weights, octet, v, WordForm::Signed);
        for (unsigned row = 0; row != x.size(); ++row) {
          Value low = wordOf(b, codes[row], octet % 2 * 2, 2), high = wordOf(b, codes[row], octet % 2 * 2 + 1, 2);
          for (unsigned half = 0; half != 2; ++half) {
            unsigned at = (row * in.registers + v) * 2 + half;
            Value first = product(b, words.low, half, low), second = product(b, words.high, half, high);
            Value both = b.iadd(first, second);
            sums[at] = sums[at] ? b.iadd(sums[at], both) : both;
            if (in.enc == Encoding::W8)
              flush(b, acc[at], sums[at]);
          }
        }
      }
    }
    if (isFourBits(in.enc))
      for (auto [to, sum] : llvm::zip(acc, sums))
        flush(b, to, sum);
    return acc;
  }

  Values finish(VectorBuilder &b, const DotInput &in, ValueRange acc) const override {
    Values dots;
    for (unsigned row = 0; row != in.x.size(); ++row)
      for (unsigned v = 0; v != in.registers; ++v) {
        unsigned at = (row * in.registers + v) * 2;
        Value dot = b.intrinsic("llvm.aarch64.neon.addp", b.ints(), {acc[at], acc[at + 1]});
        dots.push_back(in.enc == Encoding::W4 ? b.iadd(dot, zeroPoint(b, in, row)) : dot);
      }
    return dots;
  }
};

} // namespace

std::unique_ptr<Dot> createSdotDot() { return std::make_unique<SdotDot>(); }
std::unique_ptr<Dot> createSmmlaDot() { return std::make_unique<SmmlaDot>(); }
std::unique_ptr<Dot> createNeonMullDot() { return std::make_unique<NeonMullDot>(); }

} // namespace headrace
