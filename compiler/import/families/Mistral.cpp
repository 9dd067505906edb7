// MistralForCausalLM: Llama with a sliding window in every layer.
#include "compiler/import/families/Decoder.h"

namespace headrace {

Result<void> fillMistral(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.maxPositionsDefault = 131072;
  HR_TRY(decoder.readCommon(names));
  int64_t window = input.config.isNull("sliding_window") ? 0 : 4096;
  HR_TRY(input.config.optionalInteger("sliding_window", 1, 1 << 24, window));
  Result<RopeSpec> rope = readRope(input.config, decoder.dims);
  if (!rope)
    return rope.error();
  spec.ropes = {*rope};
  decoder.begin();
  decoder.embedding();
  for (int64_t layer = 0; layer < decoder.dims.layers; ++layer) {
    spec.blocks.push_back(decoder.block(layer));
    spec.blocks.back().attention.window = window;
  }
  decoder.finalNorm();
  decoder.head();
  return {};
}

} // namespace headrace
