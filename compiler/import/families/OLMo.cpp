// OlmoForCausalLM: Llama with layer norms that have no weights.
// Olmo2ForCausalLM: norms behind each branch instead of before it, and norms of query and key over all heads.
#include "compiler/import/families/Decoder.h"

namespace headrace {

static Result<void> readOLMo(const FamilyInput &input, ModelSpec &spec, Decoder &decoder) {
  decoder.eps = 1e-5;
  HR_TRY(decoder.readCommon());
  HR_TRY(input.config.optionalBool("attention_bias", decoder.qkvBias));
  decoder.outputBias = decoder.qkvBias;
  Result<RopeSpec> rope = readRope(input.config, decoder.dims);
  if (!rope)
    return rope.error();
  spec.ropes = {*rope};
  return {};
}

/// A layer norm of weight one, as the family states it.
static NormSpec plainNorm(const Decoder &decoder, const std::string &name) {
  NormSpec made;
  made.kind = NormKind::Layer;
  made.weight = TensorExpr::zeros({decoder.dims.hidden}).plus(1.0f);
  made.eps = 1e-5;
  made.name = name;
  return made;
}

Result<void> fillOLMo(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readOLMo(input, spec, decoder));
  decoder.begin();
  decoder.embedding();
  for (int64_t layer = 0; layer < decoder.dims.layers; ++layer) {
    std::string name = decoder.layerName(layer);
    BlockSpec block;
    block.attnNorm = plainNorm(decoder, name + "input_layernorm");
    block.attention = decoder.attention(name + "self_attn");
    block.mlpNorm = plainNorm(decoder, name + "post_attention_layernorm");
    block.mlp = decoder.gatedMlp(name + "mlp");
    spec.blocks.push_back(std::move(block));
  }
  spec.finalNorm = plainNorm(decoder, "model.norm");
  decoder.head();
  return {};
}

Result<void> fillOLMo2(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readOLMo(input, spec, decoder));
  const Dimensions &dims = decoder.dims;
  decoder.begin();
  decoder.embedding();
  for (int64_t layer = 0; layer < dims.layers; ++layer) {
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
    spec.blocks.push_back(std::move(block));
  }
  decoder.finalNorm();
  decoder.head();
  return {};
}

} // namespace headrace
