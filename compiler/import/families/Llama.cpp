// LlamaForCausalLM: Llama 1 to 3, and what calls itself so.
#include "compiler/import/families/Decoder.h"

namespace headrace {

Result<void> fillLlama(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(decoder.readCommon());
  HR_TRY(input.config.optionalBool("attention_bias", decoder.qkvBias));
  decoder.outputBias = decoder.qkvBias;
  HR_TRY(input.config.optionalBool("mlp_bias", decoder.mlpBias));
  Result<RopeSpec> rope = readRope(input.config, decoder.dims);
  if (!rope)
    return rope.error();
  spec.ropes = {*rope};
  decoder.begin();
  decoder.embedding();
  for (int64_t layer = 0; layer < decoder.dims.layers; ++layer)
    spec.blocks.push_back(decoder.block(layer));
  decoder.finalNorm();
  decoder.head();
  return {};
}

} // namespace headrace
