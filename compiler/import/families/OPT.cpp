// OPTForCausalLM: layer norms, learned positions behind two that are never used, ungated MLP; one size has its norms
// behind the sums, and an embedding of fewer columns that is projected to the hidden size and back.
#include "compiler/import/families/Decoder.h"

namespace headrace {

static BlockSpec makeBlock(Decoder &decoder, int64_t layer, bool normsBefore) {
  int64_t hidden = decoder.dims.hidden, ffn = decoder.dims.feedForward;
  std::string name = "model.decoder.layers." + std::to_string(layer) + ".";
  BlockSpec block;
  AttentionSpec attention = decoder.plainAttention(name + "self_attn");
  attention.q = decoder.project(attention.name + ".q_proj", hidden, hidden, decoder.qkvBias);
  attention.k = decoder.project(attention.name + ".k_proj", hidden, hidden, decoder.qkvBias);
  attention.v = decoder.project(attention.name + ".v_proj", hidden, hidden, decoder.qkvBias);
  attention.o = decoder.project(attention.name + ".out_proj", hidden, hidden, decoder.qkvBias);
  attention.rope = -1;
  block.attention = std::move(attention);
  block.order = normsBefore ? BlockSpec::Order::Default : BlockSpec::Order::NormSum;
  (normsBefore ? block.attnNorm : block.attnPostNorm) = decoder.norm(name + "self_attn_layer_norm");
  block.mlp.activation = decoder.activation;
  block.mlp.up = decoder.project(name + "fc1", ffn, hidden, decoder.mlpBias);
  block.mlp.down = decoder.project(name + "fc2", hidden, ffn, decoder.mlpBias);
  (normsBefore ? block.mlpNorm : block.mlpPostNorm) = decoder.norm(name + "final_layer_norm");
  return block;
}

/// Embedding and head of `columns`: the projection behind the embedding becomes part of it, as positions are added to
/// the sum; that before the head stays a step of its own, as both together are far smaller than their product.
static void project(Tensors &tensors, ModelSpec &spec, const Decoder &decoder, int64_t columns) {
  int64_t hidden = decoder.dims.hidden, vocab = decoder.dims.vocab;
  const std::string base = "model.decoder.";
  TensorExpr table = tensors.get(decoder.names.embedding + ".weight", {vocab, columns});
  spec.embedding.weight = table.times(tensors.get(base + "project_in.weight", {hidden, columns}).transposed());
  spec.headProjection = linear(tensors, base + "project_out", columns, hidden, false);
  spec.head.weight = decoder.tied ? table : tensors.get(decoder.names.head + ".weight", {vocab, columns});
}

Result<void> fillOPT(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.feedForward = "ffn_dim";
  names.kvHeads = names.headDim = nullptr;
  decoder.useLayerNorms(1e-5);
  decoder.activation = HiddenActivation::Relu;
  decoder.tied = true;
  HR_TRY(decoder.readCommon(names, "layer_norm_eps", "activation_function"));
  bool normsBefore = true, noFinalNorm = false, bias = true;
  HR_TRY(input.config.optionalBool("do_layer_norm_before", normsBefore));
  HR_TRY(input.config.optionalBool("_remove_final_layer_norm", noFinalNorm));
  HR_TRY(input.config.optionalBool("enable_bias", bias));
  decoder.qkvBias = decoder.mlpBias = bias;
  int64_t hidden = decoder.dims.hidden, columns = hidden;
  HR_TRY(input.config.optionalInteger("word_embed_proj_dim", 1, 1 << 20, columns));
  decoder.projects = columns != hidden;
  decoder.names = {"model.", "model.decoder.embed_tokens",
                   normsBefore && !noFinalNorm ? "model.decoder.final_layer_norm" : "", "lm_head"};
  decoder.fill([&](int64_t layer) { return makeBlock(decoder, layer, normsBefore); });
  TensorExpr positions =
      input.tensors.get("model.decoder.embed_positions.weight", {decoder.dims.maxPositions + 2, hidden});
  spec.positions = positions.slice(2, decoder.dims.maxPositions);
  if (decoder.projects)
    project(input.tensors, spec, decoder, columns);
  return {};
}

} // namespace headrace
