// Matrices of grouped codes in each layout of Grouped.h, packed here by their definition and read back.
#include "compiler/bundle/Grouped.h"
#include "compiler/bundle/Half.h"

#include <catch2/catch.hpp>
#include <cstring>
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
  auto values = [&](Storage storage, bool &held, bool &exact) {
    T32Shape shape{storage, 8, 128, 64};
    CodedRows rows(shape, 32);
    std::vector<float> out;
    held = packed.matrix.recode(shape, 5, 0, rows, exact);
    for (size_t i = 0; i != 128; ++i)
      out.push_back(float(rows.codes[i]) * halfToFloat(rows.scales[i / 64]) +
                    (storage == Storage::W4A ? halfToFloat(rows.minima[i / 64]) : 0.0f));
    return out;
  };
  std::vector<float> expected(128);
  bool held = false, exact = true;
  packed.matrix.values(5, expected.data());
  CHECK(values(Storage::W8, held, exact) == expected);
  CHECK(held);
  packed.matrix.zeros = nullptr; // zero 8
  packed.matrix.values(5, expected.data());
  CHECK(values(Storage::W4, held, exact) == expected);
  CHECK(held);
  CHECK(values(Storage::W4A, held, exact) == expected);
  CHECK(held);
  CHECK(exact);
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
  packed.matrix.zeros = nullptr;
  float scales[1] = {1.0f / 3};
  packed.matrix.scales = reinterpret_cast<const uint8_t *>(scales);
  packed.matrix.scaleType = ScaleType::F32;
  CHECK_FALSE(packed.matrix.recode(shape, 0, 0, rows, exact)); // no binary16
  scales[0] = 0.375f;
  CHECK(packed.matrix.recode(shape, 0, 0, rows, exact));

  Packed four(GroupLayout::RowsPacked, 4, 8, 32, 32);
  four.scales.assign(8, floatToHalf(0.1f)); // 11 bits of fraction: times 7 it has 14
  std::memcpy(four.placed.data(), four.scales.data(), 16);
  four.zeroWords.assign(four.zeroWords.size(), 0x77777777u);
  T32Shape withMinimum{Storage::W4A, 8, 32, 32};
  CodedRows other(withMinimum, 32);
  CHECK(four.matrix.recode(withMinimum, 0, 0, other, exact));
  CHECK_FALSE(exact);
}
