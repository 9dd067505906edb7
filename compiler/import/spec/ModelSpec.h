// ModelSpec.h - one transformer, whatever the format or the family it comes from: what the builder of the module needs
// to know, and nothing else. A family file (compiler/import/families) or a format's reader fills it; the builder
// (compiler/import/module) maps it to the model dialect. No MLIR here.
//
// Everything is already in the form of the model dialect: weights are [outputs, inputs] matrices, rotary heads are in
// halves (element i turns with element i + rotary / 2), norm weights are what the normalised value is multiplied with,
// and constant multipliers of branches and logits are folded into weights.
#ifndef HEADRACE_IMPORT_MODELSPEC_H
#define HEADRACE_IMPORT_MODELSPEC_H

#include "compiler/import/spec/TensorExpr.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headrace {

enum class ModelKind { Decoder, Encoder };
enum class Pooling { None, Mean, Cls };

/// "none", "mean", "cls"
const char *poolingName(Pooling pooling);

enum class HiddenActivation { Silu, Gelu, GeluTanh, Relu };

/// "silu", "gelu", "gelu_tanh", "relu": the names of runtime/abi/README.md.
const char *activationName(HiddenActivation activation);

enum class RopeKind { Default, Linear, Llama3, Yarn, LongRope };

/// "default", "linear", "llama3", "yarn", "longrope"
const char *ropeKindName(RopeKind kind);

/// Rotary positions; the numbers are those of the file, in double.
struct RopeSpec {
  RopeKind kind = RopeKind::Default;
  double theta = 10000.0;
  int64_t rotaryDim = 0;         // elements of a head that turn: even, <= headDim
  double factor = 1.0;           // Linear, Llama3, Yarn
  double lowFreqFactor = 1.0;    // Llama3
  double highFreqFactor = 1.0;   // Llama3
  int64_t originalPositions = 0; // Llama3, Yarn, LongRope
  double betaFast = 32.0;        // Yarn
  double betaSlow = 1.0;         // Yarn
  bool truncate = true;          // Yarn: the ramp's ends are whole dimensions
  double attentionFactor = 1.0;  // of the cosines and sines
  TensorExpr divisors;           // [rotaryDim / 2] that the frequencies are divided by; LongRope's for short contexts
                                 // of up to originalPositions, the others' may be absent
};

enum class NormKind { RMS, Layer };

struct NormSpec {
  NormKind kind = NormKind::RMS;
  TensorExpr weight; // [columns], or for query and key norms [span], repeated by the builder; absent: no norm here
  TensorExpr bias;   // may be absent
  double eps = 0;
  int64_t span = 0; // query and key norms: columns that are normalised together, a head's or all
  std::string name; // what the checkpoint calls the place: "model.norm"
  explicit operator bool() const { return bool(weight); }
};

struct LinearSpec {
  TensorExpr weight; // [outputs, inputs]
  TensorExpr bias;   // [outputs]; may be absent
  std::string name;  // "model.layers.0.self_attn.q_proj"
  // How the weight is stored where the checkpoint decides it (keep/KeepEncodings.h); empty: as --quant says.
  std::string encoding; // "w4a"
  int64_t group = 0;    // of a coded encoding
  std::string codes;    // what becomes of stored codes: "codes kept", "requantized" ...; empty: there are none
};

struct AttentionSpec {
  int64_t heads = 0, kvHeads = 0, headDim = 0;
  LinearSpec q, k, v, o;
  NormSpec qNorm, kNorm; // before the rotation; may be absent
  int rope = 0;          // index into ModelSpec::ropes; -1: no rotation
  double scale = 0;      // of query times key
  int64_t window = 0;    // positions that are seen, the own one included; 0: all
  double softcap = 0;    // of the scores; 0: none
  std::string name;      // "model.layers.0.self_attn"
};

/// Several gated MLPs of which each row goes through the `top` that the router scores highest. Their results are added,
/// each times its share: the softmax of all scores at its place, or with `normalise` of the chosen scores alone.
struct ExpertsSpec {
  int64_t count = 0, top = 0;
  bool normalise = false;
  LinearSpec router; // weight [count, inputs], no bias
};

struct MlpSpec {
  HiddenActivation activation = HiddenActivation::Silu;
  LinearSpec gate; // absent weight: down(act(up(x))); else down(act(gate(x)) * up(x))
  LinearSpec up, down;
  // With a count, gate, up and down hold the experts' matrices one below the other, [count * outputs, inputs], and have
  // no bias.
  ExpertsSpec experts;
};

/// x is the block's input. With A = attention, M = mlp, and absent norms left out:
///   default    x += attnPostNorm(A(attnNorm(x)));  x += mlpPostNorm(M(mlpNorm(x)))
///   parallel   x += A(attnNorm(x)) + M(mlpNorm(x));  without an mlpNorm M reads what A reads
///   normSum    x = attnPostNorm(x + A(x));  x = mlpPostNorm(x + M(x))
struct BlockSpec {
  enum class Order { Default, Parallel, NormSum } order = Order::Default;
  NormSpec attnNorm, attnPostNorm, mlpNorm, mlpPostNorm;
  AttentionSpec attention;
  MlpSpec mlp;
};

struct ModelSpec {
  // Where it comes from.
  std::string architecture;       // as the checkpoint names it: "LlamaForCausalLM"
  std::string folder;             // that StoredTensor::file is relative to
  std::vector<std::string> files; // that hold tensors, ascending
  uint64_t parameters = 0;        // stored values of the model
  std::vector<std::string> warnings;
  bool isQuantized = false; // weights are stored in blocks or groups of codes

  // What it computes.
  ModelKind kind = ModelKind::Decoder;
  int64_t vocab = 0, hidden = 0, feedForward = 0;
  int64_t maxPositions = 0;
  int64_t computedPositions = 0; // the longest context that is computed, where it is shorter than maxPositions; else 0
  std::string maxPositionsField = "max_position_embeddings"; // what errors call it
  LinearSpec embedding;                                      // weight [vocab, hidden]
  double embedScale = 1.0;
  TensorExpr positions; // learned ones, [at least maxPositions, hidden], added to the embedding; may be absent
  NormSpec embedNorm;   // of the embedding; may be absent
  std::vector<RopeSpec> ropes;
  std::vector<BlockSpec> blocks;
  NormSpec finalNorm;        // may be absent
  LinearSpec headProjection; // between the final norm and the head, whose columns are then its outputs; may be absent
  LinearSpec head;           // decoders; absent weight: tied to the embedding
  double finalSoftcap = 0;
  Pooling pooling = Pooling::None; // encoders
  int64_t textPositions = 0;       // encoders: the most tokens of a text, where fewer than maxPositions; else 0
  bool normalize = false;          // encoders: the pooled vector gets length 1

  // What the tokenizer's side needs.
  int32_t bosId = -1;          // -1: none
  std::vector<int32_t> eosIds; // ascending; may be empty
};

/// Appends `rope` to spec.ropes. Rotary positions of kind LongRope change as a whole where a context exceeds
/// `originalPositions`: longer ones are not computed, which the warnings say, after `where`.
void addRope(ModelSpec &spec, RopeSpec rope, const std::string &where);

} // namespace headrace
#endif
