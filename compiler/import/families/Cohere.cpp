// CohereForCausalLM: one layer norm without bias for attention and MLP side by side, rotary pairs side by side, scaled
// logits. Cohere2ForCausalLM: three layers of four have a window, and only those are rotated.
#include "compiler/import/families/Decoder.h"

namespace headrace {

/// Pairs of a head's elements that lie side by side become halves.
static TensorExpr halves(const TensorExpr &rows, const Decoder &decoder) {
  return rows ? rows.swapRows(decoder.dims.headDim / 2, 2) : rows;
}

static void halve(LinearSpec &linear, const Decoder &decoder) {
  linear.weight = halves(linear.weight, decoder);
  linear.bias = halves(linear.bias, decoder);
}

/// A norm with a weight for each element of each head, [heads, head_dim].
static NormSpec headNorm(const Decoder &decoder, Tensors &tensors, const std::string &name, int64_t heads) {
  NormSpec made;
  made.kind = NormKind::Layer;
  made.weight = halves(
      tensors.get(name + ".weight", {heads, decoder.dims.headDim}).reshaped({heads * decoder.dims.headDim}), decoder);
  made.eps = decoder.eps;
  made.span = decoder.dims.headDim;
  made.name = name;
  return made;
}

static BlockSpec makeBlock(Decoder &decoder, Tensors &tensors, int64_t layer, bool headNorms) {
  std::string name = decoder.layerName(layer);
  BlockSpec block;
  block.order = BlockSpec::Order::Parallel;
  block.attnNorm = decoder.norm(name + "input_layernorm");
  block.attention = decoder.attention(name + "self_attn");
  halve(block.attention.q, decoder);
  halve(block.attention.k, decoder);
  if (headNorms) {
    block.attention.qNorm = headNorm(decoder, tensors, name + "self_attn.q_norm", decoder.dims.heads);
    block.attention.kNorm = headNorm(decoder, tensors, name + "self_attn.k_norm", decoder.dims.kvHeads);
  }
  block.mlp = decoder.gatedMlp(name + "mlp");
  return block;
}

/// What both share.
static Result<void> readCohere(const FamilyInput &input, Decoder &decoder, double theta) {
  DimensionFields fields;
  fields.maxPositionsDefault = 8192;
  decoder.normKind = NormKind::Layer;
  decoder.eps = 1e-5;
  decoder.tied = true;
  HR_TRY(decoder.readCommon(fields, "layer_norm_eps"));
  HR_TRY(decoder.readAttentionBias());
  decoder.logitScale = 0.0625;
  HR_TRY(input.config.optionalNumber("logit_scale", 1e-6, 1e6, decoder.logitScale));
  RopeDefaults defaults;
  defaults.theta = theta;
  return decoder.readRope(defaults);
}

Result<void> fillCohere(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  bool headNorms = false;
  HR_TRY(input.config.optionalBool("use_qk_norm", headNorms));
  HR_TRY(readCohere(input, decoder, 500000.0));
  decoder.fill([&](int64_t layer) { return makeBlock(decoder, input.tensors, layer, headNorms); });
  return {};
}

/// What published configurations say of every model of this family.
static Result<void> checkCohere2(const FieldReader &config, int64_t pattern) {
  HR_TRY(expectValue(config, "layer_switch", pattern));
  HR_TRY(expectValue(config, "order_of_interleaved_layers", "local_attn_first"));
  HR_TRY(expectValue(config, "position_embedding_type", "rope_gptj"));
  HR_TRY(expectValue(config, "rotary_pct", 1.0));
  for (const char *field :
       {"use_embedding_sharing", "use_gated_activation", "use_parallel_block", "use_parallel_embedding"})
    HR_TRY(expectValue(config, field, true));
  return {};
}

Result<void> fillCohere2(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  int64_t window = 4096, pattern = 4;
  HR_TRY(readWindow(input.config, window));
  HR_TRY(input.config.optionalInteger("sliding_window_pattern", 1, 1 << 20, pattern));
  HR_TRY(checkCohere2(input.config, pattern));
  HR_TRY(readCohere(input, decoder, 10000.0));
  Result<std::vector<bool>> sliding =
      readSlidingLayers(input.config, decoder.dims.layers, [&](int64_t layer) { return (layer + 1) % pattern != 0; });
  if (!sliding)
    return sliding.error();
  decoder.fill([&](int64_t layer) {
    BlockSpec block = makeBlock(decoder, input.tensors, layer, false);
    block.attention.window = (*sliding)[size_t(layer)] ? window : 0;
    block.attention.rope = block.attention.window != 0 ? 0 : -1;
    return block;
  });
  return {};
}

} // namespace headrace
