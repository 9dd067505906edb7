// Matrices of grouped codes in each layout of Grouped.h, packed here by their definition and read back.
#include "compiler/bundle/Grouped.h"
#include "compiler/bundle/Half.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <random>

using namespace headrace;

namespace {

/// A matrix as plain numbers, and packed.
struct Packed {
  Packed(GroupLayout layout, unsigned bits, size_t n, size_t k, size_t group) {
    matrix = {};
    matrix.layout = layout;
    matrix.bits = bits;
    matrix.n = n;
    matrix.k = k;
    matrix.group = group;
    matrix.scaleType = ScaleType::F16;
    std::mt19937 random(n + k + bits);
    bool isSigned = layout == GroupLayout::Bytes;
    int low = isSigned ? -100 : 0, high = isSigned ? 100 : (1 << bits) - 1;
    for (size_t i = 0; i != n * k; ++i)
      codes.push_back(std::uniform_int_distribution<int>(low, high)(random));
    for (size_t i = 0; i != n * matrix.groups(); ++i) {
      zeros.push_back(std::uniform_int_distribution<int>(low, high)(random));
      scales.push_back(floatToHalf(0.01f * float(1 + i % 37)));
    }
    pack();
  }
  int code(size_t o, size_t i) const { return codes[o * matrix.k + i]; }
  int zero(size_t o, size_t g) const { return zeros[o * matrix.groups() + g]; }

  GroupedMatrix matrix;
  std::vector<int> codes, zeros; // [n][k], [n][groups]
  std::vector<uint16_t> scales;  // [n][groups]
  std::vector<uint32_t> codeWords, zeroWords;
  std::vector<int8_t> codeBytes, zeroBytes;
  std::vector<uint16_t> placed;

private:
  void put(std::vector<uint32_t> &words, size_t word, unsigned place, int value) {
    words.at(word) |= uint32_t(value) << (place * matrix.bits);
  }
  void pack();
};

const size_t kOrder[8] = {0, 2, 4, 6, 1, 3, 5, 7}; // output in each place of a word of OutputsPacked

void Packed::pack() {
  size_t n = matrix.n, k = matrix.k, groups = matrix.groups(), per = 32 / matrix.bits;
  codeWords.resize(matrix.codeBytes() / 4);
  zeroWords.resize(matrix.zeroBytes() / 4);
  placed.resize(n * groups);
  for (size_t o = 0; o != n; ++o)
    for (size_t g = 0; g != groups; ++g) {
      bool byGroup = matrix.layout == GroupLayout::InputsPacked || matrix.layout == GroupLayout::OutputsPacked;
      placed[byGroup ? g * n + o : o * groups + g] = scales[o * groups + g];
    }
  auto place = [&](size_t o) { return unsigned(std::find(kOrder, kOrder + 8, o % 8) - kOrder); };
  for (size_t o = 0; o != n; ++o) {
    for (size_t i = 0; i != k; ++i) {
      if (matrix.layout == GroupLayout::InputsPacked)
        put(codeWords, i / per * n + o, unsigned(i % per), code(o, i));
      else if (matrix.layout == GroupLayout::OutputsPacked)
        put(codeWords, (i * n + o) / 8, place(o), code(o, i));
      else if (matrix.layout == GroupLayout::RowsPacked)
        put(codeWords, (o * k + i) / per, unsigned(i % per), code(o, i));
      else
        codeBytes.push_back(int8_t(code(o, i)));
    }
    for (size_t g = 0; g != groups; ++g) {
      if (matrix.layout == GroupLayout::InputsPacked)
        put(zeroWords, (g * n + o) / per, unsigned(o % per), zero(o, g));
      else if (matrix.layout == GroupLayout::OutputsPacked)
        put(zeroWords, (g * n + o) / 8, place(o), zero(o, g));
      else if (matrix.layout == GroupLayout::RowsPacked)
        put(zeroWords, o / per * groups + g, unsigned(o % per), zero(o, g));
      else
        zeroBytes.push_back(int8_t(zero(o, g)));
    }
  }
  bool bytes = matrix.layout == GroupLayout::Bytes;
  matrix.codes =
      bytes ? reinterpret_cast<const uint8_t *>(codeBytes.data()) : reinterpret_cast<const uint8_t *>(codeWords.data());
  matrix.zeros =
      bytes ? reinterpret_cast<const uint8_t *>(zeroBytes.data()) : reinterpret_cast<const uint8_t *>(zeroWords.data());
  matrix.scales = reinterpret_cast<const uint8_t *>(placed.data());
}

const std::pair<GroupLayout, unsigned> kLayouts[] = {
    {GroupLayout::InputsPacked, 4}, {GroupLayout::InputsPacked, 8}, {GroupLayout::OutputsPacked, 4},
    {GroupLayout::RowsPacked, 4},   {GroupLayout::RowsPacked, 8},   {GroupLayout::Bytes, 8},
};

} // namespace

TEST_CASE("grouped codes become values in every layout") {
  for (auto [layout, bits] : kLayouts) {
    Packed packed(layout, bits, 16, 96, 32);
    const GroupedMatrix &matrix = packed.matrix;
    std::vector<float> row(96);
    for (size_t o = 0; o != 16; ++o) {
      matrix.values(o, row.data());
      for (size_t i = 0; i != 96; ++i) {
        float scale = halfToFloat(packed.scales[o * 3 + i / 32]);
        REQUIRE(row[i] == float(packed.code(o, i) - packed.zero(o, i / 32)) * scale);
      }
    }
  }
}

TEST_CASE("a shift of zero points does not carry, and an order names groups") {
  Packed packed(GroupLayout::InputsPacked, 4, 8, 64, 32);
  packed.matrix.zeroShift = 1;
  for (size_t o = 0; o != 8; ++o)
    CHECK(packed.matrix.zero(o, 1) == (packed.zero(o, 1) + 1) % 16);
  std::vector<int32_t> order(64);
  for (size_t i = 0; i != 64; ++i)
    order[i] = int32_t(i % 2);
  CHECK(packed.matrix.isGroupedBy(32));
  packed.matrix.order = reinterpret_cast<const uint8_t *>(order.data());
  CHECK_FALSE(packed.matrix.isGroupedBy(32));
  std::vector<float> row(64);
  packed.matrix.values(3, row.data());
  CHECK(row[1] == float(packed.code(3, 1) - packed.matrix.zero(3, 1)) * packed.matrix.scale(3, 1));
}

TEST_CASE("grouped codes are kept where an encoding holds them") {
  Packed packed(GroupLayout::RowsPacked, 4, 8, 128, 128);
  CHECK(packed.matrix.isGroupedBy(32));
  CHECK(packed.matrix.isGroupedBy(128));
  bool exact = true;
  auto values = [&](Storage storage) {
    T32Shape shape{storage, 8, 128, 64};
    CodedRows rows(shape, 32);
    std::vector<float> out;
    if (!packed.matrix.recode(shape, 5, 0, rows, exact))
      return out;
    for (size_t i = 0; i != 128; ++i) {
      float zero = storage == Storage::W4Z ? halfToFloat(rows.offsets[i / 64]) : 0.0f;
      out.push_back((float(rows.codes[i]) - zero) * halfToFloat(rows.scales[i / 64]));
    }
    return out;
  };
  std::vector<float> expected(128);
  packed.matrix.values(5, expected.data());
  CHECK(values(Storage::W8) == expected);
  CHECK(values(Storage::W4Z) == expected);
  CHECK(values(Storage::W4).empty());  // zeros of 0 .. 15: codes of -15 .. 15
  CHECK(values(Storage::W4A).empty()); // minima are not what such matrices have
  packed.matrix.zeros = nullptr;       // zero 8
  packed.matrix.values(5, expected.data());
  CHECK(values(Storage::W4) == expected);
  CHECK(values(Storage::W4Z) == expected);
  CHECK(exact);
}

TEST_CASE("signed bytes of a small range are codes of four bits") {
  Packed packed(GroupLayout::Bytes, 8, 1, 32, 32);
  for (size_t i = 0; i != 32; ++i)
    packed.codeBytes[i] = int8_t(int(i % 16) - 8);
  packed.zeroBytes[0] = -3;
  T32Shape shape{Storage::W4Z, 1, 32, 32};
  CodedRows rows(shape, 32);
  bool exact = true;
  CHECK(packed.matrix.recode(shape, 0, 0, rows, exact));
  CHECK(rows.codes[0] == 0);
  CHECK(rows.codes[15] == 15);
  CHECK(halfToFloat(rows.offsets[0]) == 5.0f);
  packed.zeroBytes[0] = -9;
  CHECK_FALSE(packed.matrix.recode(shape, 0, 0, rows, exact));
}

TEST_CASE("numbers that an encoding has not are told") {
  Packed packed(GroupLayout::Bytes, 8, 1, 32, 32);
  T32Shape shape{Storage::W8, 1, 32, 32};
  CodedRows rows(shape, 32);
  bool exact = true;
  packed.matrix.zeros = nullptr;
  CHECK(packed.matrix.recode(shape, 0, 0, rows, exact));
  packed.codeBytes[7] = -128;
  CHECK(packed.matrix.recode(shape, 0, 0, rows, exact));
  CHECK(rows.codes[7] == -128);
  int8_t one[1] = {1}; // -129
  packed.matrix.zeros = reinterpret_cast<const uint8_t *>(one);
  CHECK_FALSE(packed.matrix.recode(shape, 0, 0, rows, exact));
}

TEST_CASE("a scale that is no binary16 is rounded and told, one beyond its precision is refused") {
  Packed packed(GroupLayout::Bytes, 8, 1, 32, 32);
  packed.matrix.zeros = nullptr;
  packed.matrix.scaleType = ScaleType::F32;
  T32Shape shape{Storage::W8, 1, 32, 32};
  CodedRows rows(shape, 32);
  auto recoded = [&](float scale, bool &exact) {
    packed.matrix.scales = reinterpret_cast<const uint8_t *>(&scale);
    exact = true;
    return packed.matrix.recode(shape, 0, 0, rows, exact);
  };
  bool exact = true;
  CHECK(recoded(0.375f, exact));
  CHECK(exact);
  CHECK(recoded(1.0f / 3, exact));
  CHECK_FALSE(exact);
  CHECK(halfToFloat(rows.scales[0]) == halfToFloat(floatToHalf(1.0f / 3)));
  CHECK(recoded(0x1p-24f, exact)); // the least of binary16
  CHECK(exact);
  CHECK_FALSE(recoded(0x1.4p-23f, exact)); // a fifth off
  CHECK_FALSE(recoded(1e6f, exact));
  CHECK_FALSE(recoded(std::numeric_limits<float>::quiet_NaN(), exact));
}

TEST_CASE("an order that keeps runs together is as good as none") {
  Packed packed(GroupLayout::InputsPacked, 4, 8, 128, 64);
  std::vector<int32_t> order(128);
  for (size_t i = 0; i != 128; ++i)
    order[i] = int32_t(i < 32 || i >= 96);
  packed.matrix.order = reinterpret_cast<const uint8_t *>(order.data());
  CHECK(packed.matrix.isGroupedBy(32));
  CHECK_FALSE(packed.matrix.isGroupedBy(64));
  T32Shape shape{Storage::W4Z, 8, 128, 32};
  CodedRows rows(shape, 32);
  bool exact = true;
  CHECK(packed.matrix.recode(shape, 2, 0, rows, exact));
  for (size_t g = 0; g != 4; ++g)
    CHECK(halfToFloat(rows.offsets[g]) == float(packed.zero(2, g == 0 || g == 3)));
}
