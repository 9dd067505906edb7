#include "compiler/import/gguf/Architecture.h"
#include "compiler/support/ErrorText.h"

#include <cmath>

namespace headrace {

namespace {

/// Local layers see model.window positions: those that the file lists, or all but the last of each `period` layers.
Result<void> readPattern(GgufModel &model, int64_t period) {
  Result<std::vector<bool>> listed = model.keys.flags("attention.sliding_window_pattern", model.layers);
  if (!listed)
    return listed.error();
  if (!listed->empty()) {
    model.isLocal = [flags = listed.take()](int64_t layer) { return flags[size_t(layer)]; };
    return {};
  }
  HR_TRY(model.keys.integer("attention.sliding_window_pattern", 1, 10000, period));
  model.isLocal = [period](int64_t layer) { return layer % period < period - 1; };
  return {};
}

Result<void> readWindowSize(GgufModel &model) {
  return model.keys.integer("attention.sliding_window", 0, int64_t(1) << 31, model.window);
}

/// All layers see a window, if there is one.
Result<void> readWindow(GgufModel &model) {
  HR_TRY(readWindowSize(model));
  model.isLocal = [](int64_t) { return true; };
  return {};
}

/// Whether the shares of the chosen experts are made to add up to one is the architecture's.
Result<void> readNormalisation(GgufModel &model, bool normalise) {
  bool said = normalise;
  HR_TRY(model.keys.boolean("expert_weights_norm", said));
  if (said != normalise)
    return expectedFound(model.keys.where("expert_weights_norm"),
                         normalise ? "true, as this architecture has it" : "false, as this architecture has it",
                         said ? "true" : "false");
  model.experts.normalise = normalise;
  return {};
}

/// Mixtures of experts in all layers, unless there are none.
Result<void> readExperts(GgufModel &model, bool normalise) {
  HR_TRY(model.keys.integer("expert_count", 0, 4096, model.experts.count));
  if (model.experts.count == 0)
    return {};
  HR_TRY(model.keys.require("expert_used_count"));
  HR_TRY(model.keys.integer("expert_used_count", 1, model.experts.count, model.experts.top));
  int64_t softmax = 1; // as 0, which leaves it to the architecture
  HR_TRY(model.keys.integer("expert_gating_func", 0, 1, softmax));
  model.expertFeedForward = model.spec.feedForward;
  HR_TRY(model.keys.integer("expert_feed_forward_length", 1, int64_t(1) << 24, model.expertFeedForward));
  return readNormalisation(model, normalise);
}

Result<void> llama(GgufModel &model) {
  HR_TRY(readWindow(model));
  return readExperts(model, true);
}

Result<void> olmoe(GgufModel &model) {
  HR_TRY(model.keys.require("expert_count"));
  return readExperts(model, false);
}

Result<void> qwen3moe(GgufModel &model) {
  for (const char *key : {"expert_count", "expert_feed_forward_length"})
    HR_TRY(model.keys.require(key));
  return readExperts(model, true);
}

Result<void> inParallel(GgufModel &model) {
  model.parallel = true;
  return {};
}

Result<void> readParallel(GgufModel &model) {
  HR_TRY(model.keys.require("use_parallel_residual"));
  return model.keys.boolean("use_parallel_residual", model.parallel);
}

/// Layers with a window turn by `local`, the others by the first of the rotary positions.
void turnLocally(GgufModel &model, RopeSpec local) {
  model.spec.ropes.push_back(std::move(local));
  model.ropeOf = [isLocal = model.isLocal](int64_t layer) { return isLocal(layer) ? 1 : 0; };
}

Result<void> gemma(GgufModel &model) {
  model.spec.embedScale = std::sqrt(double(model.spec.hidden));
  return {};
}

/// The scale of the scores that the format does not store: the largest model of a generation has its own.
void largestScale(GgufModel &model, int64_t layers) {
  if (model.layers == layers)
    model.attentionScale = 1.0 / std::sqrt(double(model.spec.hidden) / double(model.heads));
}

Result<void> gemma2(GgufModel &model) {
  HR_TRY(gemma(model));
  double window = 0;
  HR_TRY(model.keys.numberOr("attention.sliding_window", 0, 1 << 30, 4096, window, model.spec.warnings));
  model.window = int64_t(window);
  HR_TRY(readPattern(model, 2));
  HR_TRY(model.keys.numberOr("attn_logit_softcapping", 0, 1e6, 50, model.scoreSoftcap, model.spec.warnings));
  HR_TRY(model.keys.numberOr("final_logit_softcapping", 0, 1e6, 30, model.spec.finalSoftcap, model.spec.warnings));
  largestScale(model, 46);
  if (model.keys.has("rope.freq_base_swa")) {
    RopeSpec local = model.spec.ropes[0];
    HR_TRY(model.keys.number("rope.freq_base_swa", 1, 1e12, local.theta));
    turnLocally(model, local);
  }
  return {};
}

Result<void> gemma3(GgufModel &model) {
  HR_TRY(gemma(model));
  HR_TRY(readWindowSize(model));
  if (model.window != 0) // else all layers see all positions
    HR_TRY(readPattern(model, 6));
  HR_TRY(model.keys.number("final_logit_softcapping", 0, 1e6, model.spec.finalSoftcap));
  largestScale(model, 62);
  RopeSpec local;
  local.rotaryDim = model.spec.ropes[0].rotaryDim;
  HR_TRY(model.keys.number("rope.freq_base_swa", 1, 1e12, local.theta));
  turnLocally(model, local);
  return {};
}

Result<void> granite(GgufModel &model) {
  bool turns = true; // this architecture's meaning of the key
  HR_TRY(model.keys.boolean("rope.scaling.finetuned", turns));
  if (!turns)
    model.ropeOf = [](int64_t) { return -1; };
  HR_TRY(model.keys.number("embedding_scale", 1e-6, 1e6, model.spec.embedScale));
  HR_TRY(model.keys.number("attention.scale", 1e-6, 1e6, model.attentionScale));
  HR_TRY(model.keys.number("residual_scale", 1e-6, 1e6, model.residualScale));
  return {};
}

Result<void> graniteMoE(GgufModel &model) {
  HR_TRY(granite(model));
  HR_TRY(model.keys.require("expert_count"));
  return readExperts(model, true);
}

/// Logits are divided by logit_scale.
Result<void> graniteLogits(GgufModel &model) {
  double scale = 1;
  HR_TRY(model.keys.require("logit_scale"));
  HR_TRY(model.keys.number("logit_scale", 1e-6, 1e6, scale));
  if (scale != 1 && model.spec.finalNorm)
    model.spec.finalNorm.weight = model.spec.finalNorm.weight.scaled(float(1.0 / scale));
  return {};
}

Result<void> cohere2(GgufModel &model) {
  HR_TRY(model.keys.require("attention.sliding_window"));
  HR_TRY(readWindowSize(model));
  HR_TRY(readPattern(model, 4));
  model.ropeOf = [isLocal = model.isLocal](int64_t layer) { return isLocal(layer) ? 0 : -1; };
  return inParallel(model);
}

/// Logits are multiplied with logit_scale.
Result<void> cohereLogits(GgufModel &model) {
  double scale = 1;
  HR_TRY(model.keys.require("logit_scale"));
  HR_TRY(model.keys.number("logit_scale", 1e-6, 1e6, scale));
  if (scale != 1 && model.spec.finalNorm)
    model.spec.finalNorm.weight = model.spec.finalNorm.weight.scaled(float(scale));
  return {};
}

Result<void> olmo(GgufModel &model) {
  model.plainNorms = true;
  return {};
}

/// Every fourth layer goes without rotation.
Result<void> smollm3(GgufModel &model) {
  model.ropeOf = [](int64_t layer) { return (layer + 1) % 4 == 0 ? -1 : 0; };
  return {};
}

/// A second norm before attention moves the first to the mlp.
Result<void> falconNorms(GgufModel &model) {
  for (int64_t layer = 0; layer < model.layers; ++layer) {
    BlockSpec &block = model.spec.blocks[size_t(layer)];
    NormSpec second = model.normIfThere(model.blockName(layer) + "attn_norm_2", model.spec.hidden);
    if (!second)
      continue;
    block.mlpNorm = block.attnNorm;
    block.attnNorm = second;
  }
  return {};
}

/// Attention and mlp lie side by side where the mlp has no norm of its own; the key, which some files have wrong, does
/// not count.
Result<void> stablelmOrder(GgufModel &model) {
  HR_TRY(model.keys.boolean("use_parallel_residual", model.parallel));
  for (BlockSpec &block : model.spec.blocks)
    block.order = block.mlpNorm ? BlockSpec::Order::Default : BlockSpec::Order::Parallel;
  return {};
}

constexpr auto kRMS = NormKind::RMS, kLayer = NormKind::Layer;
constexpr auto kInTurn = BlockSpec::Order::Default, kNormSum = BlockSpec::Order::NormSum;

// Sorted by name.
const Architecture kArchitectures[] = {
    {"bert", RotaryPairs::None, kLayer, HiddenActivation::Gelu, kNormSum, nullptr, nullptr},
    {"cohere2", RotaryPairs::Beside, kLayer, HiddenActivation::Silu, kInTurn, cohere2, cohereLogits},
    {"command-r", RotaryPairs::Beside, kLayer, HiddenActivation::Silu, kInTurn, inParallel, cohereLogits},
    {"falcon", RotaryPairs::Halves, kLayer, HiddenActivation::Gelu, kInTurn, inParallel, falconNorms},
    {"gemma", RotaryPairs::Halves, kRMS, HiddenActivation::GeluTanh, kInTurn, gemma, nullptr},
    {"gemma2", RotaryPairs::Halves, kRMS, HiddenActivation::GeluTanh, kInTurn, gemma2, nullptr},
    {"gemma3", RotaryPairs::Halves, kRMS, HiddenActivation::GeluTanh, kInTurn, gemma3, nullptr},
    {"gpt2", RotaryPairs::None, kLayer, HiddenActivation::GeluTanh, kInTurn, nullptr, nullptr},
    {"gptneox", RotaryPairs::Halves, kLayer, HiddenActivation::Gelu, kInTurn, readParallel, nullptr},
    {"granite", RotaryPairs::Beside, kRMS, HiddenActivation::Silu, kInTurn, granite, graniteLogits},
    {"granitemoe", RotaryPairs::Beside, kRMS, HiddenActivation::Silu, kInTurn, graniteMoE, graniteLogits},
    {"internlm2", RotaryPairs::Beside, kRMS, HiddenActivation::Silu, kInTurn, nullptr, nullptr},
    {"llama", RotaryPairs::Beside, kRMS, HiddenActivation::Silu, kInTurn, llama, nullptr},
    {"olmo", RotaryPairs::Beside, kLayer, HiddenActivation::Silu, kInTurn, olmo, nullptr},
    {"olmo2", RotaryPairs::Halves, kRMS, HiddenActivation::Silu, kInTurn, nullptr, nullptr},
    {"olmoe", RotaryPairs::Halves, kRMS, HiddenActivation::Silu, kInTurn, olmoe, nullptr},
    {"phi2", RotaryPairs::Halves, kLayer, HiddenActivation::GeluTanh, kInTurn, inParallel, nullptr},
    {"phi3", RotaryPairs::Halves, kRMS, HiddenActivation::Silu, kInTurn, readWindow, nullptr},
    {"qwen2", RotaryPairs::Halves, kRMS, HiddenActivation::Silu, kInTurn, nullptr, nullptr},
    {"qwen3", RotaryPairs::Halves, kRMS, HiddenActivation::Silu, kInTurn, nullptr, nullptr},
    {"qwen3moe", RotaryPairs::Halves, kRMS, HiddenActivation::Silu, kInTurn, qwen3moe, nullptr},
    {"smollm3", RotaryPairs::Beside, kRMS, HiddenActivation::Silu, kInTurn, smollm3, nullptr},
    {"stablelm", RotaryPairs::Halves, kLayer, HiddenActivation::Silu, kInTurn, nullptr, stablelmOrder},
    {"starcoder2", RotaryPairs::Halves, kLayer, HiddenActivation::GeluTanh, kInTurn, nullptr, nullptr},
};

} // namespace

const Architecture *findArchitecture(const std::string &name) {
  for (const Architecture &row : kArchitectures)
    if (name == row.name)
      return &row;
  return nullptr;
}

std::string architectureNames() {
  std::string names;
  for (const Architecture &row : kArchitectures)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

} // namespace headrace
