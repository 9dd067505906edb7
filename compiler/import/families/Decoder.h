// Decoder.h - what Llama and its many relatives share: names of tensors, order of a block, tied or untied head.
#ifndef HEADRACE_IMPORT_DECODER_H
#define HEADRACE_IMPORT_DECODER_H

#include "compiler/import/families/Family.h"

#include <cmath>
#include <functional>

namespace headrace {

/// What a family calls the parts outside of its blocks; without a name, there is no final norm.
struct DecoderNames {
  std::string base = "model.", embedding = "model.embed_tokens", finalNorm = "model.norm", head = "lm_head";
};

/// Where a block keeps a mixture of experts: NAME.{ROUTER, experts.N.{gate, up, down}}, or the matrices of all experts
/// in one tensor of three dimensions, FUSED.{ROUTER, gateUp, fusedDown}. Without `gate` they are always fused.
struct ExpertNames {
  std::string mlp = "mlp", router = "gate", gate = "gate_proj", up = "up_proj", down = "down_proj";
  std::string fused = "mlp", gateUp = "experts.gate_up_proj", fusedDown = "experts.down_proj";
};

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
  bool normBias = false;  // of layer norms
  bool onePlus = false;   // norm weights are stored less one
  bool projects = false;  // embedding and head have other columns than the hidden size: the family fills their weights
  bool noWeights = false; // norms only normalise
  HiddenActivation activation = HiddenActivation::Silu;
  bool tied = false;
  bool qkvBias = false, outputBias = false, mlpBias = false;
  /// The layers whose MLP is a mixture of experts, each of which has expertFeedForward columns inside.
  std::function<bool(int64_t)> isSparse = [](int64_t) { return false; };
  ExpertsSpec experts;
  int64_t expertFeedForward = 0;
  ExpertNames expertNames;
  double residualScale = 1; // of what attention and MLP add
  double attentionScale = 0;
  double logitScale = 1; // goes into the final norm's weight
  DecoderNames names;

  /// Layer norms with biases instead of RMS norms.
  void useLayerNorms(double defaultEps) {
    normKind = NormKind::Layer;
    normBias = true;
    eps = defaultEps;
  }
  /// Sizes, epsilon, activation and tying by Llama's names; the defaults are what the members hold.
  Result<void> readCommon(const DimensionFields &fields = {}, const char *epsField = "rms_norm_eps",
                          const char *activationField = "hidden_act");
  /// "attention_bias", of all four projections, and "mlp_bias".
  Result<void> readAttentionBias();
  Result<void> readBiases();
  /// How many experts there are, by either name of the field, and how many a row goes through; the defaults are what
  /// `experts` holds.
  Result<void> readExperts(int64_t leastCount = 1);
  /// Rotary positions that all layers share.
  Result<void> readRope(const RopeDefaults &defaults = {});

  /// The whole model: embedding, a block for each layer, final norm, head. Families whose parts come otherwise call
  /// begin() and those that they have.
  void fill(const std::function<BlockSpec(int64_t)> &makeBlock);
  /// The facts of `spec` that follow from the sizes; before the first tensor.
  void begin();
  void embedding();
  void finalNorm();
  void head();

  std::string layerName(int64_t layer) const { return "model.layers." + std::to_string(layer) + "."; }
  NormSpec norm(const std::string &name, int64_t columns);
  NormSpec norm(const std::string &name) { return norm(name, dims.hidden); }
  /// Norms of query and key over each head, of weights that all heads share.
  void headNorms(AttentionSpec &attention, const std::string &q, const std::string &k);
  /// The same over all columns together.
  void wholeNorms(AttentionSpec &attention, const std::string &q, const std::string &k);
  /// A tensor was missing: the rest of a large model need not be described.
  bool failed() const { return tensors.failed(); }
  LinearSpec project(const std::string &name, int64_t outputs, int64_t inputs, bool bias);
  /// Heads, scale and name; no weights.
  AttentionSpec plainAttention(const std::string &name) const;
  /// Query, key, value and output projections by Llama's names below `name`.
  AttentionSpec attention(const std::string &name);
  MlpSpec gatedMlp(const std::string &name);
  /// The mixture of experts of the block whose names begin with `prefix`, as `expertNames` has it, or fused:
  /// mlp.{gate, experts.{gate_up_proj, down_proj}}.
  MlpSpec mixture(const std::string &prefix);
  /// A block as Llama has it, or with a mixture of experts.
  BlockSpec block(int64_t layer);

private:
  const FamilyInput &input;
  ModelSpec &spec;
  Tensors &tensors;
};

} // namespace headrace
#endif
