#include "compiler/bundle/Blocks.h"

#include "compiler/bundle/Half.h"

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
void q4_0(const uint8_t *block, float *out) {
  float scale = half(block);
  for (size_t i = 0; i != 32; ++i)
    out[i] = scale * float(int(nibble(block + 2, i)) - 8);
}

// f16 scale, f16 minimum, 16 bytes of nibbles.
void q4_1(const uint8_t *block, float *out) {
  float scale = half(block), minimum = half(block + 2);
  for (size_t i = 0; i != 32; ++i)
    out[i] = scale * float(nibble(block + 4, i)) + minimum;
}

// f16 scale, 4 bytes of fifth bits, 16 bytes of nibbles.
void q5_0(const uint8_t *block, float *out) {
  float scale = half(block);
  for (size_t i = 0; i != 32; ++i)
    out[i] = scale * float(int(nibble(block + 6, i) | bit(block + 2, i) << 4) - 16);
}

// f16 scale, f16 minimum, 4 bytes of fifth bits, 16 bytes of nibbles.
void q5_1(const uint8_t *block, float *out) {
  float scale = half(block), minimum = half(block + 2);
  for (size_t i = 0; i != 32; ++i)
    out[i] = scale * float(nibble(block + 8, i) | bit(block + 4, i) << 4) + minimum;
}

// f16 scale, 32 signed bytes.
void q8_0(const uint8_t *block, float *out) {
  float scale = half(block);
  for (size_t i = 0; i != 32; ++i)
    out[i] = scale * float(int8_t(block[2 + i]));
}

const int8_t kNonlinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

// f16 scale, 16 bytes of nibbles that index kNonlinear.
void iq4_nl(const uint8_t *block, float *out) {
  float scale = half(block);
  for (size_t i = 0; i != 32; ++i)
    out[i] = scale * float(kNonlinear[nibble(block + 2, i)]);
}

// One byte of exponent, 16 bytes of nibbles: sign, two bits of exponent, one of fraction. Values here are twice those,
// the scale half.
void mxfp4(const uint8_t *block, float *out) {
  const int8_t values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  uint32_t exponent = block[0];
  float scale = floatFromBits(exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23);
  for (size_t i = 0; i != 32; ++i)
    out[i] = scale * float(values[nibble(block + 1, i)]);
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

/// Q4_K and Q5_K: f16 unit of the scales, f16 unit of the minima, 12 bytes of those; fifth: 32 bytes of fifth bits, or
/// null.
void fourOrFiveBits(const uint8_t *block, const uint8_t *fifth, const uint8_t *nibbles, float *out) {
  float unit = half(block), minimumUnit = half(block + 2);
  for (size_t e = 0; e != 256; ++e) {
    unsigned scaleCode, minimumCode, code = nibbleOf64(nibbles, e);
    sixBits(block + 4, e / 32, scaleCode, minimumCode);
    if (fifth)
      code |= (fifth[e % 32] >> (e / 32) & 1u) << 4;
    float scale = unit * float(scaleCode), minimum = minimumUnit * float(minimumCode);
    float product = scale * float(code);
    out[e] = product - minimum;
  }
}
void q4_k(const uint8_t *block, float *out) { fourOrFiveBits(block, nullptr, block + 16, out); }
void q5_k(const uint8_t *block, float *out) { fourOrFiveBits(block, block + 16, block + 48, out); }

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
void iq4_xs(const uint8_t *block, float *out) {
  float unit = half(block);
  unsigned high = block[2] | unsigned(block[3]) << 8;
  for (size_t group = 0; group != 8; ++group) {
    unsigned low = block[4 + group / 2] >> (group % 2 * 4) & 15u;
    float scale = unit * float(int(low | (high >> (2 * group) & 3u) << 4) - 32);
    for (size_t i = 0; i != 32; ++i)
      out[group * 32 + i] = scale * float(kNonlinear[nibble(block + 8 + group * 16, i)]);
  }
}

const BlockType kTypes[] = {
    {"Q4_0", 32, 18, q4_0},   {"Q4_1", 32, 20, q4_1},   {"Q5_0", 32, 22, q5_0},     {"Q5_1", 32, 24, q5_1},
    {"Q8_0", 32, 34, q8_0},   {"Q2_K", 256, 84, q2_k},  {"Q3_K", 256, 110, q3_k},   {"Q4_K", 256, 144, q4_k},
    {"Q5_K", 256, 176, q5_k}, {"Q6_K", 256, 210, q6_k}, {"IQ4_NL", 32, 18, iq4_nl}, {"IQ4_XS", 256, 136, iq4_xs},
    {"MXFP4", 32, 17, mxfp4},
};

/// Types of which an encoding holds the numbers: code and scale, and a minimum.
bool isQ4_0(const BlockType &type) { return type.dequantize == q4_0; }
bool isQ4_1(const BlockType &type) { return type.dequantize == q4_1; }
bool isQ8_0(const BlockType &type) { return type.dequantize == q8_0; }

uint16_t rawHalf(const uint8_t *from) {
  uint16_t bits;
  std::memcpy(&bits, from, 2);
  return bits;
}
bool isFinite(uint16_t bits) { return (bits & 0x7c00) != 0x7c00; }

} // namespace

const BlockType *findBlockType(std::string_view name) {
  for (const BlockType &type : kTypes)
    if (name == type.name)
      return &type;
  return nullptr;
}

void dequantizeBlocks(const BlockType &type, const uint8_t *blocks, size_t count, float *out) {
  for (size_t i = 0; i != count; ++i)
    type.dequantize(blocks + i * type.bytes, out + i * type.elements);
}

std::optional<Storage> exactStorage(const BlockType &type) {
  if (isQ4_0(type))
    return Storage::W4;
  if (isQ4_1(type))
    return Storage::W4A;
  if (isQ8_0(type))
    return Storage::W8;
  return std::nullopt;
}

bool canHold(const BlockType &type, Storage storage) {
  bool coded = storage == Storage::W4 || storage == Storage::W4A || storage == Storage::W8;
  return (isQ4_0(type) && coded) || (isQ4_1(type) && storage == Storage::W4A) ||
         (isQ8_0(type) && storage == Storage::W8);
}

bool recodeBlock(const BlockType &type, const uint8_t *block, Storage storage, int8_t *codes, GroupNumbers &numbers) {
  numbers = {rawHalf(block), 0};
  bool good = isFinite(numbers.scale);
  if (isQ8_0(type)) {
    std::memcpy(codes, block + 2, 32);
    return good;
  }
  const uint8_t *nibbles = block + (isQ4_1(type) ? 4 : 2);
  int zero = isQ4_0(type) && storage != Storage::W4A ? 8 : 0;
  for (size_t i = 0; i != 32; ++i)
    codes[i] = int8_t(int(nibble(nibbles, i)) - zero);
  if (isQ4_1(type))
    numbers.minimum = rawHalf(block + 2);
  else if (storage == Storage::W4A)
    numbers.minimum = floatToHalf(halfToFloat(numbers.scale) * -8.0f);
  return good && isFinite(numbers.minimum);
}

} // namespace headrace
