// GPT2LMHeadModel: layer norms, learned positions, and matrices stored as [inputs, outputs].
#include "compiler/import/families/Decoder.h"

namespace headrace {

/// "NAME.weight" of [inputs, outputs] and its bias.
static LinearSpec conv1D(Tensors &tensors, const std::string &name, int64_t inputs, int64_t outputs) {
  LinearSpec made;
  made.weight = tensors.get(name + ".weight", {inputs, outputs}).transposed();
  made.bias = tensors.get(name + ".bias", {outputs});
  made.name = name;
  return made;
}

static BlockSpec makeBlock(Decoder &decoder, Tensors &tensors, int64_t layer) {
  int64_t hidden = decoder.dims.hidden, ffn = decoder.dims.feedForward;
  std::string name = "transformer.h." + std::to_string(layer) + ".";
  BlockSpec block;
  block.attnNorm = decoder.norm(name + "ln_1");
  block.attention = decoder.plainAttention(name + "attn");
  LinearSpec all = conv1D(tensors, name + "attn.c_attn", hidden, 3 * hidden);
  block.attention.q = outputsOf(all, 3 * hidden, 0, hidden);
  block.attention.k = outputsOf(all, 3 * hidden, hidden, hidden);
  block.attention.v = outputsOf(all, 3 * hidden, 2 * hidden, hidden);
  block.attention.o = conv1D(tensors, name + "attn.c_proj", hidden, hidden);
  block.attention.rope = -1;
  block.mlpNorm = decoder.norm(name + "ln_2");
  block.mlp.activation = decoder.activation;
  block.mlp.up = conv1D(tensors, name + "mlp.c_fc", hidden, ffn);
  block.mlp.down = conv1D(tensors, name + "mlp.c_proj", ffn, hidden);
  return block;
}

Result<void> fillGPT2(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.hidden = "n_embd";
  names.feedForward = "n_inner";
  names.feedForwardPerHidden = 4;
  names.layers = "n_layer";
  names.heads = "n_head";
  names.kvHeads = names.headDim = nullptr;
  names.maxPositions = "n_positions";
  names.maxPositionsDefault = 1024;
  decoder.useLayerNorms(1e-5);
  decoder.activation = HiddenActivation::GeluTanh;
  decoder.tied = true;
  HR_TRY(decoder.readCommon(names, "layer_norm_epsilon", "activation_function"));
  int64_t again = decoder.dims.maxPositions; // older files say it twice
  HR_TRY(input.config.optionalInteger("n_ctx", again, again, again));
  bool scaled = true, byLayer = false;
  HR_TRY(input.config.optionalBool("scale_attn_weights", scaled));
  HR_TRY(input.config.optionalBool("scale_attn_by_inverse_layer_idx", byLayer));
  if (!scaled)
    decoder.attentionScale = 1;
  input.tensors.ignoreEnding(".attn.bias", "follows from config.json");
  input.tensors.ignoreEnding(".attn.masked_bias", "follows from config.json");
  decoder.names = {"transformer.", "transformer.wte", "transformer.ln_f", "lm_head"};
  decoder.fill([&](int64_t layer) {
    BlockSpec block = makeBlock(decoder, input.tensors, layer);
    if (byLayer)
      block.attention.scale /= double(layer + 1);
    return block;
  });
  spec.positions = input.tensors.get("transformer.wpe.weight", {decoder.dims.maxPositions, decoder.dims.hidden});
  return {};
}

} // namespace headrace
