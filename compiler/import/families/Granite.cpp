// GraniteForCausalLM: Llama with four multipliers. Those of branches and logits go into weights.
#include "compiler/import/families/Decoder.h"

namespace headrace {

Result<void> fillGranite(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(decoder.readCommon());
  HR_TRY(input.config.optionalBool("attention_bias", decoder.qkvBias));
  decoder.outputBias = decoder.qkvBias;
  HR_TRY(input.config.optionalBool("mlp_bias", decoder.mlpBias));
  double logitsScaling = 1;
  decoder.attentionScale = 1;
  HR_TRY(input.config.optionalNumber("embedding_multiplier", 1e-6, 1e6, spec.embedScale));
  HR_TRY(input.config.optionalNumber("attention_multiplier", 1e-6, 1e6, decoder.attentionScale));
  HR_TRY(input.config.optionalNumber("residual_multiplier", 1e-6, 1e6, decoder.residualScale));
  HR_TRY(input.config.optionalNumber("logits_scaling", 1e-6, 1e6, logitsScaling));
  Result<RopeSpec> rope = readRope(input.config, decoder.dims);
  if (!rope)
    return rope.error();
  spec.ropes = {*rope};
  decoder.begin();
  decoder.embedding();
  for (int64_t layer = 0; layer < decoder.dims.layers; ++layer)
    spec.blocks.push_back(decoder.block(layer));
  decoder.finalNorm();
  if (logitsScaling != 1)
    spec.finalNorm.weight = spec.finalNorm.weight.scaled(float(1 / logitsScaling));
  decoder.head();
  return {};
}

} // namespace headrace
