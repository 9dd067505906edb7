// Values of blocks: reads blocks of a GGUF type from stdin, writes their f32 values to stdout. With a storage, by way
// of its codes, and zeros for a group of 32 that it does not hold.
//
// usage: blocks_values TYPE [w4|w4a|w8]
#include "compiler/bundle/Blocks.h"
#include "compiler/bundle/Half.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace headrace;

static void byCodes(const BlockType &type, const uint8_t *block, Storage storage, float *out) {
  int8_t codes[32];
  GroupNumbers numbers;
  bool exact = true;
  for (size_t group = 0; group != type.elements / 32; ++group, out += 32) {
    bool held = recodeGroup(type, block, group, storage, codes, numbers, exact);
    float scale = halfToFloat(numbers.scale), minimum = halfToFloat(numbers.offset);
    for (size_t i = 0; i != 32; ++i)
      out[i] = !held                     ? 0.0f
               : storage == Storage::W4A ? std::fma(float(codes[i]), scale, minimum)
                                         : float(codes[i]) * scale;
  }
}

int main(int count, char **arguments) {
  const BlockType *type = count > 1 ? findBlockType(arguments[1]) : nullptr;
  std::string name = count > 2 ? arguments[2] : "";
  Storage storage = name == "w4" ? Storage::W4 : name == "w4a" ? Storage::W4A : Storage::W8;
  if (!type || (!name.empty() && !canHold(*type, storage)))
    return 2;
  std::vector<uint8_t> block(type->bytes);
  std::vector<float> values(type->elements);
  while (std::fread(block.data(), 1, block.size(), stdin) == block.size()) {
    if (name.empty())
      dequantizeBlocks(*type, block.data(), 1, values.data());
    else
      byCodes(*type, block.data(), storage, values.data());
    std::fwrite(values.data(), 4, values.size(), stdout);
  }
  return 0;
}
