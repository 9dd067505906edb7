// OlmoForCausalLM: Llama with layer norms that have no weights.
// Olmo2ForCausalLM: norms behind each branch instead of before it, and norms of query and key over all heads.
// OlmoeForCausalLM: Llama with such norms of query and key, and a mixture of experts in every layer.
#include "compiler/import/families/Decoder.h"

namespace headrace {

static Result<void> readOLMo(Decoder &decoder) {
  decoder.eps = 1e-5;
  HR_TRY(decoder.readCommon());
  HR_TRY(decoder.readAttentionBias());
  return decoder.readRope();
}

Result<void> fillOLMo(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readOLMo(decoder));
  decoder.normKind = NormKind::Layer;
  decoder.noWeights = true;
  decoder.eps = 1e-5; // the family's, whatever the configuration says
  decoder.fill([&](int64_t layer) { return decoder.block(layer); });
  return {};
}

Result<void> fillOLMo2(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readOLMo(decoder));
  decoder.fill([&](int64_t layer) {
    std::string name = decoder.layerName(layer);
    BlockSpec block;
    block.attention = decoder.attention(name + "self_attn");
    decoder.wholeNorms(block.attention, name + "self_attn.q_norm", name + "self_attn.k_norm");
    block.attnPostNorm = decoder.norm(name + "post_attention_layernorm");
    block.mlp = decoder.gatedMlp(name + "mlp");
    block.mlpPostNorm = decoder.norm(name + "post_feedforward_layernorm");
    return block;
  });
  return {};
}

Result<void> fillOLMoE(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields fields;
  fields.maxPositionsDefault = 4096;
  decoder.eps = 1e-5;
  decoder.experts.count = 64;
  decoder.experts.top = 8;
  HR_TRY(decoder.readCommon(fields));
  HR_TRY(decoder.readAttentionBias());
  HR_TRY(decoder.readExperts());
  HR_TRY(input.config.optionalBool("norm_topk_prob", decoder.experts.normalise));
  HR_TRY(decoder.readRope());
  decoder.expertFeedForward = decoder.dims.feedForward;
  decoder.isSparse = [](int64_t) { return true; };
  decoder.fill([&](int64_t layer) {
    BlockSpec block = decoder.block(layer);
    decoder.wholeNorms(block.attention, block.attention.name + ".q_norm", block.attention.name + ".k_norm");
    return block;
  });
  return {};
}

} // namespace headrace
