// Decoder.h - what Llama and its many relatives share: names of tensors, order of a block, tied or untied head.
#ifndef HEADRACE_IMPORT_DECODER_H
#define HEADRACE_IMPORT_DECODER_H

#include "compiler/import/families/Family.h"

#include <cmath>

namespace headrace {

/// The parts of
///   model.embed_tokens, model.layers.N.{input_layernorm, self_attn.{q,k,v,o}_proj, post_attention_layernorm,
///   mlp.{gate,up,down}_proj}, model.norm, lm_head
/// as a family asks for them in turn; members say how it departs from Llama.
class Decoder {
public:
  Decoder(const FamilyInput &input, ModelSpec &spec) : input(input), spec(spec), tensors(input.tensors) {}

  Dimensions dims;
  double eps = 1e-6;
  NormKind normKind = NormKind::RMS;
  bool normBias = false; // of layer norms
  bool onePlus = false;  // norm weights are stored less one
  HiddenActivation activation = HiddenActivation::Silu;
  bool tied = false;
  bool qkvBias = false, outputBias = false, mlpBias = false;
  double residualScale = 1; // of what attention and MLP add
  double attentionScale = 0;

  /// Sizes, epsilon, activation and tying by Llama's names; the defaults are what the members hold.
  Result<void> readCommon(const DimensionFields &names = {}, const char *epsField = "rms_norm_eps",
                          const char *activationField = "hidden_act");
  /// The facts of `spec` that follow from the sizes; before the first tensor.
  void begin(const std::string &base = "model.");
  void embedding(const std::string &name = "model.embed_tokens");

  std::string layerName(int64_t layer) const { return "model.layers." + std::to_string(layer) + "."; }
  NormSpec norm(const std::string &name, int64_t columns);
  NormSpec norm(const std::string &name) { return norm(name, dims.hidden); }
  /// Norms of query and key over each head, of weights that all heads share.
  void headNorms(AttentionSpec &attention, const std::string &q, const std::string &k);
  /// A tensor was missing: the rest of a large model need not be described.
  bool failed() const { return tensors.failed(); }
  LinearSpec project(const std::string &name, int64_t outputs, int64_t inputs, bool bias);
  /// Heads, scale and name; no weights.
  AttentionSpec plainAttention(const std::string &name) const;
  /// Query, key, value and output projections by Llama's names below `name`.
  AttentionSpec attention(const std::string &name);
  MlpSpec gatedMlp(const std::string &name);
  /// A block as Llama has it.
  BlockSpec block(int64_t layer);

  void finalNorm(const std::string &name = "model.norm") { spec.finalNorm = norm(name); }
  void head(const std::string &name = "lm_head", const std::string &embedding = "model.embed_tokens");

private:
  const FamilyInput &input;
  ModelSpec &spec;
  Tensors &tensors;
};

} // namespace headrace
#endif
