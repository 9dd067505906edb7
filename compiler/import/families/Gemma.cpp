// GemmaForCausalLM: Llama with a scaled embedding and norm weights stored less one.
// Gemma2ForCausalLM: norms after each branch too, caps on scores and logits, a window in every other layer.
// Gemma3ForCausalLM: norms of query and key instead of the caps, and rotary positions of their own for layers with a
// window.
#include "compiler/import/families/Decoder.h"
#include "compiler/support/ErrorText.h"

namespace headrace {

/// What all of them share; `activationField` as the version calls it.
static Result<void> readGemma(const FamilyInput &input, ModelSpec &spec, Decoder &decoder, int64_t maxPositions,
                              const char *activationField) {
  DimensionFields names;
  names.maxPositionsDefault = maxPositions;
  names.headDimDefault = 256;
  decoder.activation = HiddenActivation::GeluTanh;
  decoder.tied = true;
  decoder.onePlus = true;
  HR_TRY(decoder.readCommon(names, "rms_norm_eps", activationField));
  HR_TRY(decoder.readAttentionBias());
  spec.embedScale = std::sqrt(double(decoder.dims.hidden));
  return {};
}

Result<void> fillGemma(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readGemma(input, spec, decoder, 8192, "hidden_act"));
  // The first releases say "gelu" and mean its approximation. "hidden_activation" is a later name that does not count.
  if (decoder.activation == HiddenActivation::Gelu)
    decoder.activation = HiddenActivation::GeluTanh;
  HiddenActivation later = decoder.activation;
  HR_TRY(readActivation(input.config, "hidden_activation", later));
  if (later != decoder.activation)
    return expectedFound(input.config.place("hidden_activation"),
                         std::string("the same as hidden_act, ") + activationName(decoder.activation),
                         activationName(later));
  HR_TRY(decoder.readRope());
  decoder.fill([&](int64_t layer) { return decoder.block(layer); });
  return {};
}

/// Caps of Gemma 2 and 3: absent ones are the family's, null means none.
static Result<void> readCap(const FieldReader &config, const char *field, double &cap) {
  if (config.isNull(field))
    cap = 0;
  return config.optionalNumber(field, 1e-3, 1e9, cap);
}

/// Gemma 2 and 3: scale of the scores.
static Result<void> readScores(const FieldReader &config, Decoder &decoder) {
  HiddenActivation ignored; // "hidden_act" may be there too; what counts is "hidden_activation"
  HR_TRY(readActivation(config, "hidden_act", ignored));
  double perHead = 256;
  HR_TRY(config.optionalNumber("query_pre_attn_scalar", 1e-3, 1e9, perHead));
  decoder.attentionScale = 1.0 / std::sqrt(perHead);
  return {};
}

/// A block with a norm before and behind each branch.
static BlockSpec fourNorms(Decoder &decoder, int64_t layer) {
  BlockSpec block;
  std::string name = decoder.layerName(layer);
  block.attnNorm = decoder.norm(name + "input_layernorm");
  block.attention = decoder.attention(name + "self_attn");
  block.attnPostNorm = decoder.norm(name + "post_attention_layernorm");
  block.mlpNorm = decoder.norm(name + "pre_feedforward_layernorm");
  block.mlp = decoder.gatedMlp(name + "mlp");
  block.mlpPostNorm = decoder.norm(name + "post_feedforward_layernorm");
  return block;
}

Result<void> fillGemma2(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readGemma(input, spec, decoder, 8192, "hidden_activation"));
  double scoreCap = 50;
  spec.finalSoftcap = 30;
  HR_TRY(readScores(input.config, decoder));
  HR_TRY(readCap(input.config, "attn_logit_softcapping", scoreCap));
  HR_TRY(readCap(input.config, "final_logit_softcapping", spec.finalSoftcap));
  int64_t window = 4096;
  HR_TRY(readWindow(input.config, window));
  Result<std::vector<bool>> sliding =
      readSlidingLayers(input.config, decoder.dims.layers, [](int64_t layer) { return layer % 2 == 0; });
  if (!sliding)
    return sliding.error();
  HR_TRY(decoder.readRope());
  decoder.fill([&](int64_t layer) {
    BlockSpec block = fourNorms(decoder, layer);
    block.attention.softcap = scoreCap;
    block.attention.window = (*sliding)[size_t(layer)] ? window : 0;
    return block;
  });
  return {};
}

/// Every how many layers one attends to all positions, by the two names that the field has had.
static Result<int64_t> readPattern(const FieldReader &config) {
  int64_t pattern = 6;
  HR_TRY(config.optionalInteger("_sliding_window_pattern", 1, 1 << 20, pattern));
  HR_TRY(config.optionalInteger("sliding_window_pattern", 1, 1 << 20, pattern));
  return pattern;
}

Result<void> fillGemma3(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readGemma(input, spec, decoder, 131072, "hidden_activation"));
  HR_TRY(readScores(input.config, decoder)); // scores are not capped: checkOtherFields refuses a field that says so
  HR_TRY(readCap(input.config, "final_logit_softcapping", spec.finalSoftcap));
  int64_t window = 4096;
  HR_TRY(readWindow(input.config, window));
  Result<int64_t> pattern = readPattern(input.config);
  if (!pattern)
    return pattern.error();
  Result<std::vector<bool>> sliding =
      readSlidingLayers(input.config, decoder.dims.layers, [&](int64_t layer) { return (layer + 1) % *pattern != 0; });
  if (!sliding)
    return sliding.error();
  Result<LayerRopes> ropes = readLayerRopes(input.config, decoder.dims, 1e6, 1e4);
  if (!ropes)
    return ropes.error();
  addRope(spec, ropes->full, "config.json");
  addRope(spec, ropes->sliding, "config.json");
  decoder.fill([&](int64_t layer) {
    BlockSpec block = fourNorms(decoder, layer);
    decoder.headNorms(block.attention, block.attention.name + ".q_norm", block.attention.name + ".k_norm");
    block.attention.window = (*sliding)[size_t(layer)] ? window : 0;
    block.attention.rope = (*sliding)[size_t(layer)] ? 1 : 0;
    return block;
  });
  return {};
}

} // namespace headrace
