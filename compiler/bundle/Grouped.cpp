#include "compiler/bundle/Grouped.h"

#include "compiler/bundle/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headrace {
namespace {

uint32_t word(const uint8_t *words, size_t index) {
  uint32_t value;
  std::memcpy(&value, words + index * 4, 4);
  return value;
}

/// Where output o of eight lies in a word of OutputsPacked.
unsigned placeOfOutput(size_t o) { return o % 2 ? 4 + unsigned(o / 2) : unsigned(o / 2); }

size_t wordsOf(size_t count, unsigned perWord) { return (count + perWord - 1) / perWord; }

/// A scale as binary16; false when that loses more than the rounding of a normal number.
bool halfScale(float scale, uint16_t &bits, bool &exact) {
  bits = floatToHalf(scale);
  float rounded = halfToFloat(bits);
  exact = exact && rounded == scale;
  return std::fabs(rounded - scale) <= std::fabs(scale) * 0x1p-11f;
}

} // namespace

static const char *const kLayouts[] = {"inputs_packed", "outputs_packed", "rows_packed", "bytes"};

const char *groupLayoutName(GroupLayout layout) { return kLayouts[unsigned(layout)]; }

std::optional<GroupLayout> findGroupLayout(std::string_view name) {
  for (unsigned i = 0; i != std::size(kLayouts); ++i)
    if (name == kLayouts[i])
      return GroupLayout(i);
  return std::nullopt;
}

size_t GroupedMatrix::groupOf(size_t input) const { return order ? size_t(word(order, input)) : input / group; }

int GroupedMatrix::code(size_t output, size_t input) const {
  unsigned per = perWord(), mask = (1u << bits) - 1;
  switch (layout) {
  case GroupLayout::InputsPacked:
    return int(word(codes, input / per * n + output) >> (input % per * bits) & mask);
  case GroupLayout::OutputsPacked:
    return int(word(codes, input * wordsOf(n, 8) + output / 8) >> (placeOfOutput(output % 8) * 4) & mask);
  case GroupLayout::RowsPacked:
    return int(word(codes, output * wordsOf(k, per) + input / per) >> (input % per * bits) & mask);
  case GroupLayout::Bytes:
    break;
  }
  return int8_t(codes[output * k + input]);
}

int GroupedMatrix::zero(size_t output, size_t index) const {
  unsigned per = perWord(), mask = (1u << bits) - 1;
  if (!zeros)
    return layout == GroupLayout::Bytes ? 0 : 1 << (bits - 1);
  uint32_t stored = 0;
  switch (layout) {
  case GroupLayout::InputsPacked:
    stored = word(zeros, index * wordsOf(n, per) + output / per) >> (output % per * bits);
    break;
  case GroupLayout::OutputsPacked:
    stored = word(zeros, index * wordsOf(n, 8) + output / 8) >> (placeOfOutput(output % 8) * 4);
    break;
  case GroupLayout::RowsPacked:
    stored = word(zeros, output / per * groups() + index) >> (output % per * bits);
    break;
  case GroupLayout::Bytes:
    return int8_t(zeros[output * groups() + index]);
  }
  return int((stored + uint32_t(zeroShift)) & mask);
}

float GroupedMatrix::scale(size_t output, size_t index) const {
  bool byGroup = layout == GroupLayout::InputsPacked || layout == GroupLayout::OutputsPacked;
  size_t at = byGroup ? index * n + output : output * groups() + index;
  if (scaleType == ScaleType::F32)
    return floatFromBits(word(scales, at));
  uint16_t bits16;
  std::memcpy(&bits16, scales + at * 2, 2);
  return scaleType == ScaleType::F16 ? halfToFloat(bits16) : bfloat16ToFloat(bits16);
}

size_t GroupedMatrix::codeBytes() const {
  switch (layout) {
  case GroupLayout::InputsPacked:
    return wordsOf(k, perWord()) * n * 4;
  case GroupLayout::OutputsPacked:
    return k * wordsOf(n, 8) * 4;
  case GroupLayout::RowsPacked:
    return n * wordsOf(k, perWord()) * 4;
  case GroupLayout::Bytes:
    break;
  }
  return n * k;
}

size_t GroupedMatrix::zeroBytes() const {
  switch (layout) {
  case GroupLayout::InputsPacked:
    return groups() * wordsOf(n, perWord()) * 4;
  case GroupLayout::OutputsPacked:
    return groups() * wordsOf(n, 8) * 4;
  case GroupLayout::RowsPacked:
    return wordsOf(n, perWord()) * groups() * 4;
  case GroupLayout::Bytes:
    break;
  }
  return n * groups();
}

size_t GroupedMatrix::scaleBytes() const { return n * groups() * (scaleType == ScaleType::F32 ? 4 : 2); }

void GroupedMatrix::values(size_t output, float *out) const {
  for (size_t input = 0; input != k; ++input) {
    size_t index = groupOf(input);
    out[input] = float(code(output, input) - zero(output, index)) * scale(output, index);
  }
}

bool GroupedMatrix::isGroupedBy(size_t size) const {
  if (!order)
    return group % size == 0 || group >= k;
  for (size_t input = 0; input != k; ++input)
    if (groupOf(input) != groupOf(input / size * size))
      return false;
  return true;
}

bool GroupedMatrix::recode(const T32Shape &shape, size_t output, size_t row, CodedRows &out, bool &exact) const {
  if (shape.storage == Storage::W4A)
    return false;
  bool hasZeros = shape.storage == Storage::W4Z, good = true;
  int least = hasZeros                       ? 0
              : shape.storage == Storage::W8 ? -128
                                             : -8,
      most = hasZeros                       ? 15
             : shape.storage == Storage::W8 ? 127
                                            : 7;
  // Codes of W4Z are 0 .. 15: what is stored, or signed bytes moved up.
  int base = hasZeros && layout == GroupLayout::Bytes ? 8 : 0;
  for (size_t first = 0, g = 0; first < k; first += shape.group, ++g) {
    size_t index = groupOf(first), last = std::min(first + shape.group, k);
    int zeroPoint = zero(output, index) + base;
    good = halfScale(scale(output, index), out.scales[row * shape.groups() + g], exact) && good;
    for (size_t input = first; input != last; ++input) {
      int value = code(output, input) + base - (hasZeros ? 0 : zeroPoint);
      good = good && value >= least && value <= most;
      out.codes[row * k + input] = int8_t(value);
    }
    if (hasZeros) {
      good = good && zeroPoint >= 0 && zeroPoint <= 15;
      out.offsets[row * shape.groups() + g] = floatToHalf(float(zeroPoint));
    }
  }
  return good;
}

} // namespace headrace
