// MistralForCausalLM: Llama with a sliding window in every layer.
#include "compiler/import/families/Decoder.h"

namespace headrace {

Result<void> fillMistral(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields fields;
  fields.maxPositionsDefault = 131072;
  int64_t window = 4096;
  HR_TRY(decoder.readCommon(fields));
  HR_TRY(readWindow(input.config, window));
  HR_TRY(decoder.readRope());
  decoder.fill([&](int64_t layer) {
    BlockSpec block = decoder.block(layer);
    block.attention.window = window;
    return block;
  });
  return {};
}

} // namespace headrace
