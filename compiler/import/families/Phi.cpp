// PhiForCausalLM: one layer norm for attention and MLP side by side, biases everywhere, a part of each head rotated.
#include "compiler/import/families/Decoder.h"

namespace headrace {

static BlockSpec makeBlock(Decoder &decoder, int64_t layer, bool headNorms) {
  const Dimensions &dims = decoder.dims;
  std::string name = decoder.layerName(layer);
  BlockSpec block;
  block.order = BlockSpec::Order::Parallel;
  block.attnNorm = decoder.norm(name + "input_layernorm");
  AttentionSpec attention = decoder.plainAttention(name + "self_attn");
  attention.q = decoder.project(attention.name + ".q_proj", dims.queries(), dims.hidden, true);
  attention.k = decoder.project(attention.name + ".k_proj", dims.keys(), dims.hidden, true);
  attention.v = decoder.project(attention.name + ".v_proj", dims.keys(), dims.hidden, true);
  attention.o = decoder.project(attention.name + ".dense", dims.hidden, dims.queries(), true);
  if (headNorms)
    decoder.headNorms(attention, attention.name + ".q_layernorm", attention.name + ".k_layernorm");
  block.attention = std::move(attention);
  block.mlp.activation = decoder.activation;
  block.mlp.up = decoder.project(name + "mlp.fc1", dims.feedForward, dims.hidden, true);
  block.mlp.down = decoder.project(name + "mlp.fc2", dims.hidden, dims.feedForward, true);
  return block;
}

Result<void> fillPhi(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  decoder.useLayerNorms(1e-5);
  decoder.activation = HiddenActivation::GeluTanh;
  HR_TRY(decoder.readCommon({}, "layer_norm_eps"));
  bool headNorms = false;
  HR_TRY(input.config.optionalBool("qk_layernorm", headNorms));
  RopeDefaults defaults;
  defaults.partial = 0.5;
  defaults.partialField = "partial_rotary_factor";
  HR_TRY(decoder.readRope(defaults));
  decoder.names.finalNorm = "model.final_layernorm";
  decoder.fill([&](int64_t layer) { return makeBlock(decoder, layer, headNorms); });
  spec.head.bias = input.tensors.get("lm_head.bias", {decoder.dims.vocab});
  return {};
}

} // namespace headrace
