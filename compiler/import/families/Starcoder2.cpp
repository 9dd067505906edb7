// Starcoder2ForCausalLM: layer norms and biases, ungated MLP, rotated heads; a window in every layer of some sizes.
#include "compiler/import/families/Decoder.h"

namespace headrace {

static BlockSpec makeBlock(Decoder &decoder, int64_t layer, int64_t window) {
  int64_t hidden = decoder.dims.hidden, ffn = decoder.dims.feedForward;
  std::string name = decoder.layerName(layer);
  BlockSpec block;
  block.attnNorm = decoder.norm(name + "input_layernorm");
  block.attention = decoder.attention(name + "self_attn");
  block.attention.window = window;
  block.mlpNorm = decoder.norm(name + "post_attention_layernorm");
  block.mlp.activation = decoder.activation;
  block.mlp.up = decoder.project(name + "mlp.c_fc", ffn, hidden, decoder.mlpBias);
  block.mlp.down = decoder.project(name + "mlp.c_proj", hidden, ffn, decoder.mlpBias);
  return block;
}

Result<void> fillStarcoder2(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields fields;
  fields.maxPositionsDefault = 4096;
  decoder.useLayerNorms(1e-5);
  decoder.activation = HiddenActivation::GeluTanh;
  decoder.tied = true;
  HR_TRY(decoder.readCommon(fields, "norm_epsilon"));
  bool bias = true;
  int64_t window = 0;
  HR_TRY(input.config.optionalBool("use_bias", bias));
  HR_TRY(readWindow(input.config, window));
  decoder.qkvBias = decoder.outputBias = decoder.mlpBias = bias;
  HR_TRY(decoder.readRope());
  decoder.fill([&](int64_t layer) { return makeBlock(decoder, layer, window); });
  return {};
}

} // namespace headrace
