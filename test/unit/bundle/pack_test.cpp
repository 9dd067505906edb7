// Encodings and layouts of weights against their definition in runtime/abi/README.md, element by element.
#include "compiler/bundle/Half.h"
#include "compiler/bundle/Pack.h"
#include "headrace.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace headrace;

namespace {

std::vector<float> someRows(size_t n, size_t k) {
  std::vector<float> rows(32 * k, 0.0f);
  uint32_t state = 1;
  for (size_t i = 0; i != n * k; ++i) {
    state = state * 1664525u + 1013904223u;
    rows[i] = float(int32_t(state >> 8) % 2001 - 1000) / 777.0f;
  }
  return rows;
}

/// What a kernel sees at [row][k] of a packed tile.
float decode(const T32Shape &shape, const std::vector<uint8_t> &tile, size_t row, size_t k) {
  if (shape.storage == Storage::F32) {
    float value;
    std::memcpy(&value, &tile[(k * 32 + row) * 4], 4);
    return value;
  }
  uint16_t half;
  if (shape.storage == Storage::F16) {
    std::memcpy(&half, &tile[(k * 32 + row) * 2], 2);
    return halfToFloat(half);
  }
  const uint8_t *scale = &tile[shape.codeBytes() + (k / shape.group * 32 + row) * 2];
  std::memcpy(&half, scale, 2);
  if (shape.storage == Storage::W8)
    return float(tile[(k / 4 * 32 + row) * 4 + k % 4] - 128) * halfToFloat(half);
  uint8_t byte = tile[(k / 8 * 32 + row) * 4 + k % 4];
  int code = k % 8 < 4 ? byte & 15 : byte >> 4;
  if (shape.storage == Storage::W4)
    return float(code - 8) * halfToFloat(half);
  uint16_t offset;
  std::memcpy(&offset, scale + shape.groups() * 64, 2);
  if (shape.storage == Storage::W4Z)
    return (float(code) - halfToFloat(offset)) * halfToFloat(half);
  return float(code) * halfToFloat(half) + halfToFloat(offset);
}

} // namespace

TEST_CASE("binary16: every value survives, and rounding is to nearest even") {
  for (uint32_t bits = 0; bits != 0x10000; ++bits) {
    bool isNan = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff);
    if (!isNan)
      REQUIRE(floatToHalf(halfToFloat(uint16_t(bits))) == bits);
  }
  CHECK(floatToHalf(1.0f + 0x1p-11f) == 0x3c00); // a tie goes to the even neighbour
  CHECK(floatToHalf(1.0f + 3 * 0x1p-11f) == 0x3c02);
  CHECK(floatToHalf(1.0f + 0x1p-11f + 0x1p-20f) == 0x3c01);
  CHECK(floatToHalf(65519.0f) == 0x7bff);
  CHECK(floatToHalf(65520.0f) == 0x7c00);
  CHECK(floatToHalf(0x1p-25f) == 0); // half of the least subnormal: even is 0
  CHECK(floatToHalf(0x1.8p-25f) == 1);
  CHECK(floatToHalf(-0x1p-24f) == 0x8001);
}

TEST_CASE("bfloat16 rounds to nearest even") {
  CHECK(floatToBfloat16(1.0f + 0x1p-8f) == 0x3f80);
  CHECK(floatToBfloat16(1.0f + 3 * 0x1p-8f) == 0x3f82);
  CHECK(bfloat16ToFloat(floatToBfloat16(-2.5f)) == -2.5f);
}

TEST_CASE("a group is coded against its signed extreme (w4) or its magnitude (w8)") {
  const float values[] = {0.5f, -2.0f, 1.0f, 2.0f};
  int8_t codes[4];
  uint16_t scale = encodeGroup(Storage::W4, values, 4, codes).scale;
  CHECK(halfToFloat(scale) == 0.25f); // the first of the two extremes is -2: -2 / -8
  CHECK(codes[0] == 2);
  CHECK(codes[1] == -8);
  CHECK(codes[3] == 7); // 8 is clamped
  const float positive[] = {2.0f, -2.0f, 0.0f, 0.25f};
  scale = encodeGroup(Storage::W4, positive, 4, codes).scale;
  CHECK(halfToFloat(scale) == -0.25f);
  CHECK(codes[0] == -8);
  CHECK(codes[1] == 7);
  CHECK(codes[3] == -1);
  scale = encodeGroup(Storage::W8, values, 4, codes).scale;
  CHECK(halfToFloat(scale) == halfToFloat(floatToHalf(2.0f / 127.0f)));
  CHECK(codes[1] == -127);
  CHECK(codes[3] == 127);
}

TEST_CASE("groups of zeros, and groups too small for a scale, are zeros") {
  const float zeros[] = {0.0f, -0.0f, 0.0f}, tiny[] = {1e-9f, -1e-9f, 1e-10f};
  int8_t codes[3] = {1, 1, 1};
  for (Storage storage : {Storage::W4, Storage::W8})
    for (const float *values : {zeros, tiny}) {
      CHECK(encodeGroup(storage, values, 3, codes).scale == 0);
      CHECK((codes[0] == 0 && codes[1] == 0 && codes[2] == 0));
    }
}

TEST_CASE("a group with a minimum (w4a) uses all codes between its ends") {
  const float values[] = {0.5f, -1.0f, 2.75f, 0.8f};
  int8_t codes[4];
  GroupNumbers numbers = encodeGroup(Storage::W4A, values, 4, codes);
  CHECK(halfToFloat(numbers.scale) == 0.25f);
  CHECK(halfToFloat(numbers.offset) == -1.0f);
  CHECK((codes[0] == 6 && codes[1] == 0 && codes[2] == 15 && codes[3] == 7));
  const float equal[] = {0.3125f, 0.3125f, 0.3125f};
  numbers = encodeGroup(Storage::W4A, equal, 3, codes);
  CHECK(numbers.scale == 0);
  CHECK(halfToFloat(numbers.offset) == 0.3125f);
  CHECK((codes[0] == 0 && codes[1] == 0 && codes[2] == 0));
}

TEST_CASE("a group with a zero point (w4z) has a code for 0 and for both ends") {
  const float values[] = {-1.25f, 2.5f, 0.0f, 0.6f};
  int8_t codes[4];
  GroupNumbers numbers = encodeGroup(Storage::W4Z, values, 4, codes);
  CHECK(halfToFloat(numbers.scale) == 0.25f);
  CHECK(halfToFloat(numbers.offset) == 5.0f);
  CHECK((codes[0] == 0 && codes[1] == 15 && codes[2] == 5 && codes[3] == 7));
  const float above[] = {3.75f, 1.0f}, below[] = {-3.75f, -1.0f};
  numbers = encodeGroup(Storage::W4Z, above, 2, codes);
  CHECK((numbers.offset == 0 && codes[0] == 15 && codes[1] == 4));
  numbers = encodeGroup(Storage::W4Z, below, 2, codes);
  CHECK((halfToFloat(numbers.offset) == 15.0f && codes[0] == 0 && codes[1] == 11));
  const float zeros[] = {0.0f, -0.0f};
  numbers = encodeGroup(Storage::W4Z, zeros, 2, codes);
  CHECK((numbers.scale == 0 && numbers.offset == 0 && codes[0] == 0 && codes[1] == 0));
}

TEST_CASE("codes that a checkpoint holds are packed as codes made here") {
  auto storage = GENERATE(Storage::W8, Storage::W4, Storage::W4A, Storage::W4Z);
  T32Shape shape = {storage, 20, 172, 64};
  std::vector<float> rows = someRows(20, shape.k);
  CodedRows coded(shape, 32);
  for (size_t row = 0; row != 32; ++row)
    for (size_t group = 0; group != shape.groups(); ++group) {
      size_t first = row * shape.k + group * 64, at = row * shape.groups() + group;
      GroupNumbers numbers = encodeGroup(storage, &rows[first], group == 2 ? 44 : 64, &coded.codes[first]);
      coded.scales[at] = numbers.scale;
      if (shape.hasOffsets())
        coded.offsets[at] = numbers.offset;
    }
  std::vector<uint8_t> fromValues(shape.tileBytes(), 0xAA), fromCodes(shape.tileBytes(), 0x55);
  packTile(shape, rows.data(), fromValues.data());
  packTile(shape, coded, fromCodes.data());
  CHECK(fromValues == fromCodes);
}

TEST_CASE("tiles hold what was put in, with short last groups and zero padding") {
  auto storage = GENERATE(Storage::F32, Storage::F16, Storage::W8, Storage::W4, Storage::W4A, Storage::W4Z);
  auto k = GENERATE(size_t(5), size_t(64), size_t(172));
  auto group = GENERATE(size_t(32), size_t(64), size_t(128));
  T32Shape shape = {storage, 40, k, group};
  std::vector<float> rows = someRows(20, k);
  std::vector<uint8_t> tile(shape.tileBytes(), 0xAA);
  packTile(shape, rows.data(), tile.data());
  float step = !shape.isCoded() ? 1e-3f : storage == Storage::W8 ? 1.3f / 127 : 1.3f / 7;
  for (size_t row = 0; row != 32; ++row)
    for (size_t i = 0; i != k; ++i)
      REQUIRE(std::fabs(decode(shape, tile, row, i) - rows[row * k + i]) <= step);
  if (shape.isCoded()) {
    for (size_t i = k; i != shape.paddedK(); ++i) { // stored as the code 0
      uint8_t byte = storage == Storage::W8 ? tile[(i / 4 * 32 + 3) * 4 + i % 4] : tile[(i / 8 * 32 + 3) * 4 + i % 4];
      int code = storage == Storage::W8 ? byte - 128 : i % 8 < 4 ? byte & 15 : byte >> 4;
      REQUIRE(code == (storage == Storage::W4 ? 8 : 0));
    }
    size_t planes = shape.hasOffsets() ? 2 : 1;
    for (size_t i = shape.codeBytes() + planes * shape.groups() * 64; i != tile.size(); ++i)
      REQUIRE(tile[i] == 0);
    CHECK(tile.size() % 128 == 0);
  }
  CHECK(shape.bytes() == 2 * tile.size());
}

TEST_CASE("values that a storage cannot hold are found") {
  auto first = [](Storage storage, float value) {
    float values[3] = {1.0f, value, value};
    return firstUnstorable(storage, values, 3);
  };
  for (Storage storage : {Storage::F32, Storage::F16, Storage::W8, Storage::W4, Storage::W4A, Storage::W4Z}) {
    CHECK(first(storage, NAN) == 1);
    CHECK(first(storage, -INFINITY) == 1);
    CHECK(first(storage, -65504.0f) == 3);
    float most = largestStorable(storage), values[3] = {1.0f, -most, 1.0f};
    CHECK(first(storage, most) == 3);
    if (storage == Storage::F16)
      CHECK(halfToFloat(floatToHalf(most)) == 65504.0f);
    int8_t codes[3];
    if (T32Shape{storage, 1, 3, 32}.isCoded()) {
      GroupNumbers numbers = encodeGroup(storage, values, 3, codes);
      CHECK(std::isfinite(halfToFloat(numbers.scale)));
      CHECK(std::isfinite(halfToFloat(numbers.offset)));
    }
  }
  CHECK(first(Storage::F16, 65520.0f) == 1);
  CHECK(first(Storage::W4, 65520.0f) == 3);
}

TEST_CASE("the bytes of an encoding are pinned") {
  // From any compiler on any host; a change here is a change of every bundle.
  auto hashOf = [](T32Shape shape) {
    std::vector<float> rows = someRows(32, shape.k);
    std::vector<uint8_t> tile(shape.tileBytes());
    packTile(shape, rows.data(), tile.data());
    return hr_hash64(tile.data(), tile.size(), 0);
  };
  CHECK(hashOf({Storage::W4, 32, 172, 64}) == 0x3a6bb7a22f280b27);
  CHECK(hashOf({Storage::W4A, 32, 172, 64}) == 0x0e9f95d1efd1e667);
  CHECK(hashOf({Storage::W4Z, 32, 172, 64}) == 0xf397b6e6612e92c0);
  CHECK(hashOf({Storage::W8, 32, 172, 32}) == 0xa84a5e126b12f912);
  CHECK(hashOf({Storage::F16, 32, 172, 0}) == 0x2b57ecd8639d7872);
}

TEST_CASE("the bytes of a checkpoint's own codes are pinned, those of all of w8 among them") {
  auto hashOf = [](Storage storage, int low, int count) {
    T32Shape shape = {storage, 32, 300, 64};
    CodedRows rows(shape, 32);
    for (size_t i = 0; i != rows.codes.size(); ++i)
      rows.codes[i] = int8_t(low + int(i * 7 % size_t(count)));
    for (size_t i = 0; i != rows.scales.size(); ++i)
      rows.scales[i] = uint16_t(0x2000 + i);
    for (size_t i = 0; i != rows.offsets.size(); ++i)
      rows.offsets[i] = floatToHalf(float(i % 16));
    std::vector<uint8_t> tile(shape.tileBytes());
    packTile(shape, rows, tile.data());
    return hr_hash64(tile.data(), tile.size(), 0);
  };
  CHECK(hashOf(Storage::W8, -128, 256) == 0x823e79be6bc1618e);
  CHECK(hashOf(Storage::W4, -8, 16) == 0x0cbe19be3ee5f07e);
  CHECK(hashOf(Storage::W4A, 0, 16) == 0x13afa2e6f82f2e1d);
  CHECK(hashOf(Storage::W4Z, 0, 16) == hashOf(Storage::W4A, 0, 16)); // one layout
}
