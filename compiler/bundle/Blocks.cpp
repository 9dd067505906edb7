#include "compiler/bundle/Blocks.h"

#include "compiler/bundle/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headrace {
namespace {

float half(const uint8_t *from) {
  uint16_t bits;
  std::memcpy(&bits, from, 2);
  return halfToFloat(bits);
}

/// Element i of a block of 32 whose first 16 lie in the low nibbles and the others in the high ones.
unsigned nibble(const uint8_t *bytes, size_t i) { return i < 16 ? bytes[i] & 15u : bytes[i - 16] >> 4; }
unsigned bit(const uint8_t *bits, size_t i) { return bits[i / 8] >> (i % 8) & 1u; }

//===-- blocks of 32: a scale, perhaps a minimum
//------------------------------------------------------------------------------===//

// f16 scale, 16 bytes of nibbles.
void q4_0(const uint8_t *block, size_t, CodedGroup &out) {
  out.scale = half(block);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = int8_t(int(nibble(block + 2, i)) - 8);
}

// f16 scale, f16 minimum, 16 bytes of nibbles.
void q4_1(const uint8_t *block, size_t, CodedGroup &out) {
  out.scale = half(block);
  out.minimum = half(block + 2);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = int8_t(nibble(block + 4, i));
}

// f16 scale, 4 bytes of fifth bits, 16 bytes of nibbles.
void q5_0(const uint8_t *block, size_t, CodedGroup &out) {
  out.scale = half(block);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = int8_t(int(nibble(block + 6, i) | bit(block + 2, i) << 4) - 16);
}

// f16 scale, f16 minimum, 4 bytes of fifth bits, 16 bytes of nibbles.
void q5_1(const uint8_t *block, size_t, CodedGroup &out) {
  out.scale = half(block);
  out.minimum = half(block + 2);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = int8_t(nibble(block + 8, i) | bit(block + 4, i) << 4);
}

// f16 scale, 32 signed bytes.
void q8_0(const uint8_t *block, size_t, CodedGroup &out) {
  out.scale = half(block);
  std::memcpy(out.codes, block + 2, 32);
}

const int8_t kNonlinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

// f16 scale, 16 bytes of nibbles that index kNonlinear.
void iq4_nl(const uint8_t *block, size_t, CodedGroup &out) {
  out.scale = half(block);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = kNonlinear[nibble(block + 2, i)];
}

// One byte of exponent, 16 bytes of nibbles: sign, two bits of exponent, one of fraction. Codes here are twice those,
// the scale half.
void mxfp4(const uint8_t *block, size_t, CodedGroup &out) {
  const int8_t values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  uint32_t exponent = block[0];
  out.scale = floatFromBits(exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = values[nibble(block + 1, i)];
}

//===-- blocks of 256: scales of 16 or 32 elements, themselves in units of the block's
//----------------------------------------------===//

/// Element e of two-bit codes: 32 bytes hold elements l, 32 + l, 64 + l and 96 + l.
unsigned twoBits(const uint8_t *bytes, size_t e) { return bytes[e / 128 * 32 + e % 32] >> (e / 32 % 4 * 2) & 3u; }
/// Element e of nibbles: 32 bytes hold elements l and 32 + l.
unsigned nibbleOf64(const uint8_t *bytes, size_t e) { return bytes[e / 64 * 32 + e % 32] >> (e / 32 % 2 * 4) & 15u; }

// 16 bytes of scale and minimum, 64 of two-bit codes, f16 unit of the scales, f16 unit of the minima.
void q2_k(const uint8_t *block, float *out) {
  float unit = half(block + 80), minimumUnit = half(block + 82);
  for (size_t e = 0; e != 256; ++e) {
    float scale = unit * float(block[e / 16] & 15), minimum = minimumUnit * float(block[e / 16] >> 4);
    float product = scale * float(twoBits(block + 16, e));
    out[e] = product - minimum;
  }
}

// 32 bytes of third bits (0 means minus 4), 64 of two-bit codes, 12 of six-bit scales, f16 unit.
void q3_k(const uint8_t *block, float *out) {
  const uint8_t *scales = block + 96;
  float unit = half(block + 108);
  for (size_t e = 0; e != 256; ++e) {
    size_t group = e / 16;
    unsigned low = group < 8 ? scales[group] & 15u : scales[group - 8] >> 4;
    unsigned high = scales[8 + group % 4] >> (group / 4 * 2) & 3u;
    float scale = unit * float(int(low | high << 4) - 32);
    int third = block[e % 32] >> (e / 32) & 1;
    out[e] = scale * float(int(twoBits(block + 32, e)) - (third ? 0 : 4));
  }
}

/// Scale and minimum of 32 elements, six bits each, from the 12 bytes that Q4_K and Q5_K have for eight of both.
void sixBits(const uint8_t *bytes, size_t group, unsigned &scale, unsigned &minimum) {
  if (group < 4) {
    scale = bytes[group] & 63u;
    minimum = bytes[4 + group] & 63u;
    return;
  }
  scale = (bytes[4 + group] & 15u) | (bytes[group - 4] >> 2 & 0x30u);
  minimum = unsigned(bytes[4 + group] >> 4) | (bytes[group] >> 2 & 0x30u);
}

/// Scale and minimum of a group of Q4_K and Q5_K: f16 unit of the scales, f16 unit of the minima, 12 bytes of those.
void scaleAndMinimum(const uint8_t *block, size_t group, CodedGroup &out) {
  unsigned scale, minimum;
  sixBits(block + 4, group, scale, minimum);
  out.scale = half(block) * float(scale);
  out.minimum = -(half(block + 2) * float(minimum));
}

// Scales and minima, 128 bytes of nibbles.
void q4_k(const uint8_t *block, size_t group, CodedGroup &out) {
  scaleAndMinimum(block, group, out);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = int8_t(nibbleOf64(block + 16, group * 32 + i));
}

// Scales and minima, 32 bytes of fifth bits, 128 bytes of nibbles.
void q5_k(const uint8_t *block, size_t group, CodedGroup &out) {
  scaleAndMinimum(block, group, out);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = int8_t(nibbleOf64(block + 48, group * 32 + i) | (block[16 + i] >> group & 1u) << 4);
}

// 128 bytes of low nibbles (64 bytes hold elements l and 64 + l), 64 of two high bits, 16 signed scales, f16 unit.
void q6_k(const uint8_t *block, float *out) {
  float unit = half(block + 208);
  for (size_t e = 0; e != 256; ++e) {
    float scale = unit * float(int8_t(block[192 + e / 16]));
    unsigned low = block[e / 128 * 64 + e % 64] >> (e / 64 % 2 * 4) & 15u;
    out[e] = scale * float(int(low | twoBits(block + 128, e) << 4) - 32);
  }
}

// f16 unit, 16 bits of the scales' high bits, 4 bytes of their low nibbles, 128 bytes of nibbles that index kNonlinear.
void iq4_xs(const uint8_t *block, size_t group, CodedGroup &out) {
  unsigned high = block[2] | unsigned(block[3]) << 8, low = block[4 + group / 2] >> (group % 2 * 4) & 15u;
  out.scale = half(block) * float(int(low | (high >> (2 * group) & 3u) << 4) - 32);
  for (size_t i = 0; i != 32; ++i)
    out.codes[i] = kNonlinear[nibble(block + 8 + group * 16, i)];
}

const BlockType kTypes[] = {
    {"Q4_0", 32, 18, nullptr, q4_0, -8, 7, 1, false},
    {"Q4_1", 32, 20, nullptr, q4_1, 0, 15, 1, true},
    {"Q5_0", 32, 22, nullptr, q5_0, -16, 15, 1, false},
    {"Q5_1", 32, 24, nullptr, q5_1, 0, 31, 1, true},
    {"Q8_0", 32, 34, nullptr, q8_0, -128, 127, 1, false},
    {"IQ4_NL", 32, 18, nullptr, iq4_nl, -127, 113, 11, false},
    {"MXFP4", 32, 17, nullptr, mxfp4, -12, 12, 1, false},
    {"Q2_K", 256, 84, q2_k, nullptr, 0, 0, 1, false},
    {"Q3_K", 256, 110, q3_k, nullptr, 0, 0, 1, false},
    {"Q4_K", 256, 144, nullptr, q4_k, 0, 15, 1, true},
    {"Q5_K", 256, 176, nullptr, q5_k, 0, 31, 1, true},
    {"Q6_K", 256, 210, q6_k, nullptr, 0, 0, 1, false},
    {"IQ4_XS", 256, 136, nullptr, iq4_xs, -127, 113, 11, false},
};

void dequantizeCoded(const BlockType &type, const uint8_t *block, float *out) {
  CodedGroup coded;
  for (size_t group = 0; group != type.elements / 32; ++group) {
    type.decode(block, group, coded);
    for (size_t i = 0; i != 32; ++i) {
      float product = coded.scale * float(coded.codes[i]);
      *out++ = type.hasMinimum ? product + coded.minimum : product;
    }
  }
}

/// The nearest binary16; false when it is further off than `tolerance`.
bool nearHalf(float value, float tolerance, uint16_t &bits, bool &exact) {
  bits = floatToHalf(value);
  float rounded = halfToFloat(bits);
  exact = exact && rounded == value;
  return std::fabs(rounded - value) <= tolerance; // never of an infinity
}

} // namespace

const BlockType *findBlockType(std::string_view name) {
  for (const BlockType &type : kTypes)
    if (name == type.name)
      return &type;
  return nullptr;
}

void dequantizeBlocks(const BlockType &type, const uint8_t *blocks, size_t count, float *out) {
  auto one = [&](const uint8_t *block, float *values) {
    type.decode ? dequantizeCoded(type, block, values) : type.dequantize(block, values);
  };
  for (size_t i = 0; i != count; ++i)
    one(blocks + i * type.bytes, out + i * type.elements);
}

bool canHold(const BlockType &type, Storage storage) {
  bool fourBits = type.low >= -8 && type.high <= 7;
  switch (storage) {
  case Storage::W4:
    return type.decode && !type.hasMinimum && fourBits;
  case Storage::W4A:
    return type.decode && (type.hasMinimum ? type.high <= 15 : fourBits);
  case Storage::W8:
    return type.decode && !type.hasMinimum;
  case Storage::W4Z:
  case Storage::F16:
  case Storage::F32:
    break;
  }
  return false;
}

bool recodeGroup(const BlockType &type, const uint8_t *block, size_t group, Storage storage, int8_t *codes,
                 GroupNumbers &numbers, bool &exact) {
  CodedGroup coded;
  type.decode(block, group, coded);
  int base = 0;
  if (storage == Storage::W4A && !type.hasMinimum) {
    base = 8;
    coded.minimum = coded.scale * -8.0f; // exact up to infinity
  }
  for (size_t i = 0; i != 32; ++i)
    codes[i] = int8_t(coded.codes[i] + base);
  // A sixteenth of a step, at the code that is farthest from 0 and in the minimum.
  int farthest = std::max(type.high, -type.low);
  float tolerance = std::fabs(coded.scale) * float(type.gap) / 16.0f;
  numbers.offset = 0;
  bool good = nearHalf(coded.scale, tolerance / float(farthest), numbers.scale, exact);
  if (storage != Storage::W4A)
    return good;
  float ofMinimum = coded.scale != 0 ? tolerance : std::fabs(coded.minimum) * 0x1p-11f;
  return nearHalf(coded.minimum, ofMinimum, numbers.offset, exact) && good;
}

} // namespace headrace
