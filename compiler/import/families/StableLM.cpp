// StableLmForCausalLM: Llama with layer norms and a part of each head rotated; later ones put attention and MLP side by
// side, with a norm for each head of query and key.
#include "compiler/import/families/Decoder.h"

namespace headrace {

/// One norm for each head, as one over all columns: "NAME.norms.0.weight" ...
static NormSpec perHead(Decoder &decoder, const std::string &name, int64_t heads) {
  std::vector<TensorExpr> weights;
  NormSpec made;
  for (int64_t head = 0; head < heads && !decoder.failed(); ++head) {
    made = decoder.norm(name + ".norms." + std::to_string(head), decoder.dims.headDim);
    weights.push_back(made.weight);
  }
  made.weight =
      decoder.failed() ? TensorExpr::zeros({heads * decoder.dims.headDim}) : TensorExpr::concat(std::move(weights));
  made.span = decoder.dims.headDim;
  made.name = name;
  return made;
}

static BlockSpec makeBlock(Decoder &decoder, int64_t layer, bool parallel, bool headNorms) {
  std::string name = decoder.layerName(layer);
  BlockSpec block;
  block.attnNorm = decoder.norm(name + "input_layernorm");
  block.attention = decoder.attention(name + "self_attn");
  if (headNorms) {
    decoder.normBias = false;
    block.attention.qNorm = perHead(decoder, name + "self_attn.q_layernorm", decoder.dims.heads);
    block.attention.kNorm = perHead(decoder, name + "self_attn.k_layernorm", decoder.dims.kvHeads);
    decoder.normBias = true;
  }
  if (parallel)
    block.order = BlockSpec::Order::Parallel;
  else
    block.mlpNorm = decoder.norm(name + "post_attention_layernorm");
  block.mlp = decoder.gatedMlp(name + "mlp");
  return block;
}

Result<void> fillStableLM(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.maxPositionsDefault = 4096;
  names.headDim = nullptr;
  decoder.useLayerNorms(1e-5);
  HR_TRY(decoder.readCommon(names, "layer_norm_eps"));
  bool parallel = false, headNorms = false;
  HR_TRY(input.config.optionalBool("use_qkv_bias", decoder.qkvBias));
  HR_TRY(input.config.optionalBool("use_parallel_residual", parallel));
  HR_TRY(input.config.optionalBool("qk_layernorm", headNorms));
  RopeDefaults defaults;
  defaults.partial = 0.25;
  defaults.partialField = "partial_rotary_factor";
  HR_TRY(decoder.readRope(defaults));
  decoder.fill([&](int64_t layer) { return makeBlock(decoder, layer, parallel, headNorms); });
  return {};
}

} // namespace headrace
