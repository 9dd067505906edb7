#include "compiler/bundle/Pack.h"

#include "compiler/bundle/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headrace {
namespace {

constexpr size_t tileRows = 32;

float magnitude(float value) { return floatFromBits(floatBits(value) & 0x7fffffff); }

/// Nearest even integer, clamped; a quotient that is not a number (0 / 0) cannot occur, the scale is not 0 here.
int8_t code(float quotient, float low, float high) {
  float rounded = std::nearbyint(quotient);
  return int8_t(rounded < low ? low : rounded > high ? high : rounded);
}

void packFloats(const T32Shape &shape, const float *rows, uint8_t *out) {
  for (size_t k = 0; k != shape.k; ++k)
    for (size_t row = 0; row != tileRows; ++row) {
      float value = rows[row * shape.k + k];
      size_t index = k * tileRows + row;
      if (shape.storage == Storage::F32) {
        std::memcpy(out + index * 4, &value, 4);
      } else {
        uint16_t half = floatToHalf(value);
        std::memcpy(out + index * 2, &half, 2);
      }
    }
}

/// q[k / 4][32 rows][4], code + 128.
void placeW8(const int8_t *codes, size_t paddedK, size_t row, uint8_t *out) {
  for (size_t k = 0; k != paddedK; ++k)
    out[(k / 4 * tileRows + row) * 4 + k % 4] = uint8_t(codes[k] + 128);
}

/// q[k / 8][32 rows][4]: byte j holds codes 8b + j (low nibble) and 8b + 4 + j, each + zero.
void placeW4(const int8_t *codes, int zero, size_t paddedK, size_t row, uint8_t *out) {
  for (size_t block = 0; block != paddedK / 8; ++block)
    for (size_t j = 0; j != 4; ++j) {
      unsigned low = unsigned(codes[8 * block + j] + zero), high = unsigned(codes[8 * block + 4 + j] + zero);
      out[(block * tileRows + row) * 4 + j] = uint8_t(low | high << 4);
    }
}

/// plane[groups][32 rows].
void placeHalves(const std::vector<uint16_t> &halves, size_t groups, uint8_t *plane) {
  for (size_t row = 0; row != tileRows; ++row)
    for (size_t group = 0; group != groups; ++group)
      std::memcpy(plane + (group * tileRows + row) * 2, &halves[row * groups + group], 2);
}

GroupNumbers encodeSymmetric(Storage storage, const float *values, size_t count, int8_t *codes) {
  float extreme = 0; // the value of largest magnitude, the first among equals
  for (size_t i = 0; i != count; ++i)
    if (magnitude(values[i]) > magnitude(extreme))
      extreme = values[i];
  bool wide = storage == Storage::W8;
  uint16_t scale = floatToHalf(wide ? magnitude(extreme) / 127.0f : extreme / -8.0f);
  float divisor = halfToFloat(scale);
  if (divisor == 0) {
    std::memset(codes, 0, count);
    return {};
  }
  float low = wide ? -127 : -8, high = wide ? 127 : 7;
  for (size_t i = 0; i != count; ++i)
    codes[i] = code(values[i] / divisor, low, high);
  return {scale, 0};
}

/// Sixteen values in equal steps from `low` to `high`, and how far a group is from the nearest of them.
class Ramp {
public:
  Ramp() = default;
  Ramp(float low, float high)
      : numbers{floatToHalf((high - low) / 15.0f), floatToHalf(low)}, scale(halfToFloat(numbers.scale)),
        minimum(halfToFloat(numbers.offset)) {}

  /// 0 .. 15, in f32. Adding 1.5 * 2^23 rounds to the nearest even integer, as nearbyint does and without its call.
  float codeOf(float value) const {
    if (scale == 0)
      return 0;
    float quotient = (value - minimum) / scale;
    float clamped = quotient < 0 ? 0 : quotient > 15 ? 15 : quotient;
    return (clamped + 0x1.8p23f) - 0x1.8p23f;
  }
  float squaredError(const float *values, size_t count) const {
    float sum = 0;
    for (size_t i = 0; i != count; ++i) {
      float error = codeOf(values[i]) * scale + minimum - values[i];
      sum += error * error;
    }
    return sum;
  }

  GroupNumbers numbers;

private:
  float scale = 0, minimum = 0;
};

/// Ends up to a tenth inside the values' own are tried: the few values beyond them cost less than smaller steps gain.
GroupNumbers encodeWithMinimum(const float *values, size_t count, int8_t *codes) {
  auto [low, high] = std::minmax_element(values, values + count);
  float step = (*high - *low) / 40.0f, least = HUGE_VALF;
  Ramp best;
  for (int i = 0; i != 5; ++i)
    for (int j = 0; j != 5; ++j) {
      Ramp ramp(*low + float(i) * step, *high - float(j) * step);
      float error = ramp.squaredError(values, count);
      if (error < least)
        least = error, best = ramp;
    }
  for (size_t i = 0; i != count; ++i)
    codes[i] = int8_t(best.codeOf(values[i]));
  return best.numbers;
}

/// Equal steps over the values and 0, which a code of its own stands for.
GroupNumbers encodeWithZeroPoint(const float *values, size_t count, int8_t *codes) {
  auto [least, greatest] = std::minmax_element(values, values + count);
  float low = std::min(0.0f, *least), high = std::max(0.0f, *greatest);
  uint16_t scale = floatToHalf((high - low) / 15.0f);
  float divisor = halfToFloat(scale);
  if (divisor == 0) {
    std::memset(codes, 0, count);
    return {};
  }
  int zero = code(-low / divisor, 0, 15);
  for (size_t i = 0; i != count; ++i)
    codes[i] = int8_t(zero + code(values[i] / divisor, float(-zero), float(15 - zero)));
  return {scale, floatToHalf(float(zero))};
}

} // namespace

size_t T32Shape::codeBytes() const {
  switch (storage) {
  case Storage::F32:
    return k * tileRows * 4;
  case Storage::F16:
    return k * tileRows * 2;
  case Storage::W8:
    return paddedK() * tileRows;
  case Storage::W4:
  case Storage::W4A:
  case Storage::W4Z:
    return paddedK() * tileRows / 2;
  }
  return 0;
}

size_t T32Shape::tileBytes() const {
  if (!isCoded())
    return codeBytes();
  size_t planes = hasOffsets() ? 2 : 1;
  return (codeBytes() + planes * groups() * tileRows * 2 + 127) / 128 * 128;
}

float largestStorable(Storage storage) {
  constexpr float largestHalf = 0x1.ffdffep15f; // rounds to 65504; the next one is 65520 and rounds to infinity
  switch (storage) {
  case Storage::F32:
    return 0x1.fffffep127f;
  case Storage::F16:
  case Storage::W4A: // as a minimum
    return largestHalf;
  case Storage::W8:
    return 65504.0f * 127.0f;
  case Storage::W4:
    return largestHalf * 8.0f;
  case Storage::W4Z: // both ends
    return 65504.0f * 7.5f;
  }
  return 0;
}

size_t firstUnstorable(Storage storage, const float *values, size_t count) {
  const float most = largestStorable(storage);
  for (size_t i = 0; i != count; ++i)
    if (!(magnitude(values[i]) <= most)) // also when it is not a number
      return i;
  return count;
}

CodedRows::CodedRows(const T32Shape &shape, size_t count)
    : codes(count * shape.k), scales(count * shape.groups()), offsets(shape.hasOffsets() ? count * shape.groups() : 0) {
}

GroupNumbers encodeGroup(Storage storage, const float *values, size_t count, int8_t *codes) {
  return storage == Storage::W4A   ? encodeWithMinimum(values, count, codes)
         : storage == Storage::W4Z ? encodeWithZeroPoint(values, count, codes)
                                   : encodeSymmetric(storage, values, count, codes);
}

void packTile(const T32Shape &shape, const CodedRows &rows, uint8_t *out) {
  std::memset(out + shape.codeBytes(), 0, shape.tileBytes() - shape.codeBytes());
  std::vector<int8_t> codes(shape.paddedK(), 0);
  for (size_t row = 0; row != tileRows; ++row) {
    std::memcpy(codes.data(), rows.codes.data() + row * shape.k, shape.k);
    if (shape.storage == Storage::W8)
      placeW8(codes.data(), shape.paddedK(), row, out);
    else
      placeW4(codes.data(), shape.storage == Storage::W4 ? 8 : 0, shape.paddedK(), row, out);
  }
  placeHalves(rows.scales, shape.groups(), out + shape.codeBytes());
  if (!rows.offsets.empty())
    placeHalves(rows.offsets, shape.groups(), out + shape.codeBytes() + shape.groups() * tileRows * 2);
}

void packTile(const T32Shape &shape, const float *rows, uint8_t *out) {
  if (!shape.isCoded())
    return packFloats(shape, rows, out);
  CodedRows coded(shape, tileRows);
  for (size_t row = 0; row != tileRows; ++row)
    for (size_t group = 0; group != shape.groups(); ++group) {
      size_t first = row * shape.k + group * shape.group, at = row * shape.groups() + group;
      size_t count = std::min(shape.group, shape.k - group * shape.group);
      GroupNumbers numbers = encodeGroup(shape.storage, rows + first, count, coded.codes.data() + first);
      coded.scales[at] = numbers.scale;
      if (!coded.offsets.empty())
        coded.offsets[at] = numbers.offset;
    }
  packTile(shape, coded, out);
}

} // namespace headrace
