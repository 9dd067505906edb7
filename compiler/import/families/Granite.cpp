// GraniteForCausalLM: Llama with four multipliers. Those of branches and logits go into weights.
// GraniteMoeForCausalLM: the same with a mixture of experts in every layer, whose matrices are stored as one.
#include "compiler/import/families/Decoder.h"

namespace headrace {

static Result<void> fillScaled(const FamilyInput &input, ModelSpec &spec, Decoder &decoder) {
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

Result<void> fillGranite(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(decoder.readCommon());
  HR_TRY(decoder.readBiases());
  return fillScaled(input, spec, decoder);
}

Result<void> fillGraniteMoE(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  decoder.experts.count = 8;
  decoder.experts.top = 2;
  decoder.experts.normalise = true;
  decoder.expertNames = {
      "", "router.layer", "", "", "", "block_sparse_moe", "input_linear.weight", "output_linear.weight"};
  HR_TRY(decoder.readCommon());
  HR_TRY(decoder.readAttentionBias());
  HR_TRY(decoder.readExperts());
  decoder.expertFeedForward = decoder.dims.feedForward;
  decoder.isSparse = [](int64_t) { return true; };
  return fillScaled(input, spec, decoder);
}

} // namespace headrace
