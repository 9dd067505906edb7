#include "compiler/bundle/Pack.h"

#include "compiler/bundle/Half.h"

#include <cmath>
#include <cstring>
#include <vector>

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

/// q[k / 8][32 rows][4]: byte j holds codes 8b + j (low nibble) and 8b + 4 + j, each + 8.
void placeW4(const int8_t *codes, size_t paddedK, size_t row, uint8_t *out) {
  for (size_t block = 0; block != paddedK / 8; ++block)
    for (size_t j = 0; j != 4; ++j) {
      unsigned low = unsigned(codes[8 * block + j] + 8), high = unsigned(codes[8 * block + 4 + j] + 8);
      out[(block * tileRows + row) * 4 + j] = uint8_t(low | high << 4);
    }
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
    return paddedK() * tileRows / 2;
  }
  return 0;
}

size_t T32Shape::tileBytes() const {
  if (storage == Storage::F32 || storage == Storage::F16)
    return codeBytes();
  return (codeBytes() + groups() * tileRows * 2 + 127) / 128 * 128;
}

float largestStorable(Storage storage) {
  constexpr float largestHalf = 0x1.ffdffep15f; // rounds to 65504; the next one is 65520 and rounds to infinity
  switch (storage) {
  case Storage::F32:
    return 0x1.fffffep127f;
  case Storage::F16:
    return largestHalf;
  case Storage::W8:
    return 65504.0f * 127.0f;
  case Storage::W4:
    return largestHalf * 8.0f;
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

uint16_t encodeGroup(Storage storage, const float *values, size_t count, int8_t *codes) {
  float extreme = 0; // the value of largest magnitude, the first among equals
  for (size_t i = 0; i != count; ++i)
    if (magnitude(values[i]) > magnitude(extreme))
      extreme = values[i];
  bool wide = storage == Storage::W8;
  uint16_t scale = floatToHalf(wide ? magnitude(extreme) / 127.0f : extreme / -8.0f);
  float divisor = halfToFloat(scale);
  if (divisor == 0) {
    std::memset(codes, 0, count);
    return 0;
  }
  float low = wide ? -127.0f : -8.0f, high = wide ? 127.0f : 7.0f;
  for (size_t i = 0; i != count; ++i)
    codes[i] = code(values[i] / divisor, low, high);
  return scale;
}

void packTile(const T32Shape &shape, const float *rows, uint8_t *out) {
  if (shape.storage == Storage::F32 || shape.storage == Storage::F16)
    return packFloats(shape, rows, out);
  std::memset(out + shape.codeBytes(), 0, shape.tileBytes() - shape.codeBytes());
  std::vector<int8_t> codes(shape.paddedK(), 0);
  for (size_t row = 0; row != tileRows; ++row) {
    const float *values = rows + row * shape.k;
    for (size_t group = 0; group != shape.groups(); ++group) {
      size_t first = group * shape.group, count = shape.k - first < shape.group ? shape.k - first : shape.group;
      uint16_t scale = encodeGroup(shape.storage, values + first, count, codes.data() + first);
      std::memcpy(out + shape.codeBytes() + (group * tileRows + row) * 2, &scale, 2);
    }
    if (shape.storage == Storage::W8)
      placeW8(codes.data(), shape.paddedK(), row, out);
    else
      placeW4(codes.data(), shape.paddedK(), row, out);
  }
}

} // namespace headrace
