// GPTNeoXForCausalLM: layer norms, a part of each head rotated, attention and MLP side by side; query, key and value
// are one tensor with the three of a head together.
#include "compiler/import/families/Decoder.h"

namespace headrace {

static BlockSpec makeBlock(Decoder &decoder, int64_t layer, bool parallel) {
  int64_t hidden = decoder.dims.hidden, head = decoder.dims.headDim, ffn = decoder.dims.feedForward;
  std::string name = "gpt_neox.layers." + std::to_string(layer) + ".";
  BlockSpec block;
  block.order = parallel ? BlockSpec::Order::Parallel : BlockSpec::Order::Default;
  block.attnNorm = decoder.norm(name + "input_layernorm");
  block.attention = decoder.plainAttention(name + "attention");
  LinearSpec all = decoder.project(name + "attention.query_key_value", 3 * hidden, hidden, decoder.qkvBias);
  block.attention.q = outputsOf(all, 3 * head, 0, head);
  block.attention.k = outputsOf(all, 3 * head, head, head);
  block.attention.v = outputsOf(all, 3 * head, 2 * head, head);
  block.attention.o = decoder.project(name + "attention.dense", hidden, hidden, decoder.outputBias);
  block.mlpNorm = decoder.norm(name + "post_attention_layernorm");
  block.mlp.activation = decoder.activation;
  block.mlp.up = decoder.project(name + "mlp.dense_h_to_4h", ffn, hidden, true);
  block.mlp.down = decoder.project(name + "mlp.dense_4h_to_h", hidden, ffn, true);
  return block;
}

Result<void> fillGPTNeoX(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.kvHeads = names.headDim = nullptr;
  decoder.useLayerNorms(1e-5);
  decoder.activation = HiddenActivation::Gelu;
  decoder.qkvBias = true;
  HR_TRY(decoder.readCommon(names, "layer_norm_eps"));
  HR_TRY(decoder.readAttentionBias());
  bool parallel = true;
  HR_TRY(input.config.optionalBool("use_parallel_residual", parallel));
  RopeDefaults defaults;
  defaults.partial = 0.25;
  defaults.thetaField = "rotary_emb_base";
  defaults.partialField = "rotary_pct";
  HR_TRY(decoder.readRope(defaults));
  input.tensors.ignoreEnding(".attention.bias", "follows from config.json");
  input.tensors.ignoreEnding(".attention.masked_bias", "follows from config.json");
  decoder.names = {"gpt_neox.", "gpt_neox.embed_in", "gpt_neox.final_layer_norm", "embed_out"};
  decoder.fill([&](int64_t layer) { return makeBlock(decoder, layer, parallel); });
  return {};
}

} // namespace headrace
