// GraniteForCausalLM: Llama with four multipliers. Those of branches and logits go into weights.
#include "compiler/import/families/Decoder.h"

namespace headrace {

Result<void> fillGranite(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(decoder.readCommon());
  HR_TRY(decoder.readBiases());
  double logitsScaling = 1;
  decoder.attentionScale = 1;
  HR_TRY(input.config.optionalNumber("embedding_multiplier", 1e-6, 1e6, spec.embedScale));
  HR_TRY(input.config.optionalNumber("attention_multiplier", 1e-6, 1e6, decoder.attentionScale));
  HR_TRY(input.config.optionalNumber("residual_multiplier", 1e-6, 1e6, decoder.residualScale));
  HR_TRY(input.config.optionalNumber("logits_scaling", 1e-6, 1e6, logitsScaling));
  decoder.logitScale = 1 / logitsScaling;
  HR_TRY(decoder.readRope());
  decoder.fill([&](int64_t layer) { return decoder.block(layer); });
  return {};
}

} // namespace headrace
