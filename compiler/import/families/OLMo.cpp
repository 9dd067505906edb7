// OlmoForCausalLM: Llama with layer norms that have no weights.
// Olmo2ForCausalLM: norms behind each branch instead of before it, and norms of query and key over all heads.
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
  const Dimensions &dims = decoder.dims;
  decoder.fill([&](int64_t layer) {
    std::string name = decoder.layerName(layer);
    BlockSpec block;
    block.attention = decoder.attention(name + "self_attn");
    block.attention.qNorm = decoder.norm(name + "self_attn.q_norm", dims.queries());
    block.attention.qNorm.span = dims.queries();
    block.attention.kNorm = decoder.norm(name + "self_attn.k_norm", dims.keys());
    block.attention.kNorm.span = dims.keys();
    block.attnPostNorm = decoder.norm(name + "post_attention_layernorm");
    block.mlp = decoder.gatedMlp(name + "mlp");
    block.mlpPostNorm = decoder.norm(name + "post_feedforward_layernorm");
    return block;
  });
  return {};
}

} // namespace headrace
