// Qwen2ForCausalLM: biases of query, key and value, a window in the later layers if it is switched on.
// Qwen3ForCausalLM: norms of query and key instead of the biases.
// Qwen3MoeForCausalLM: the same with mixtures of experts in most layers, and a window in all layers if it is on.
#include "compiler/import/families/Decoder.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <set>

namespace headrace {

/// The window of the layers that have one, 0 if it is off.
static Result<void> readQwenWindow(const FieldReader &config, int64_t &window) {
  bool use = false;
  window = 4096;
  HR_TRY(config.optionalBool("use_sliding_window", use));
  HR_TRY(readWindow(config, window));
  if (!use)
    window = 0;
  return {};
}

/// The window of each layer.
static Result<std::vector<int64_t>> readWindows(const FieldReader &config, int64_t layers) {
  int64_t window = 0, first = 28;
  HR_TRY(readQwenWindow(config, window));
  HR_TRY(config.optionalInteger("max_window_layers", 0, 1 << 20, first));
  Result<std::vector<bool>> sliding =
      readSlidingLayers(config, layers, [&](int64_t layer) { return window != 0 && layer >= first; });
  if (!sliding)
    return sliding.error();
  std::vector<int64_t> windows;
  for (bool slides : *sliding)
    windows.push_back(slides ? window : 0);
  return windows;
}

static Result<void> fillQwen(Decoder &decoder, const std::vector<int64_t> &windows, bool headNorms) {
  HR_TRY(decoder.readRope());
  decoder.fill([&](int64_t layer) {
    BlockSpec block = decoder.block(layer);
    block.attention.window = windows[size_t(layer)];
    if (headNorms)
      decoder.headNorms(block.attention, block.attention.name + ".q_norm", block.attention.name + ".k_norm");
    return block;
  });
  return {};
}

Result<void> fillQwen2(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.maxPositionsDefault = 32768;
  HR_TRY(decoder.readCommon(names));
  decoder.qkvBias = true;
  Result<std::vector<int64_t>> windows = readWindows(input.config, decoder.dims.layers);
  return windows ? fillQwen(decoder, *windows, false) : windows.error();
}

Result<void> fillQwen3(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.maxPositionsDefault = 32768;
  names.headDimDefault = 128;
  HR_TRY(decoder.readCommon(names));
  HR_TRY(decoder.readAttentionBias());
  Result<std::vector<int64_t>> windows = readWindows(input.config, decoder.dims.layers);
  return windows ? fillQwen(decoder, *windows, true) : windows.error();
}

/// "mlp_only_layers": numbers of layers without experts.
static Result<std::set<int64_t>> readDenseLayers(const FieldReader &config) {
  std::set<int64_t> dense;
  const nlohmann::json *list = config.find("mlp_only_layers");
  if (!list)
    return dense;
  const std::string expected = "a list of layers";
  if (!list->is_array())
    return expectedFound(config.place("mlp_only_layers"), expected, jsonKindText(*list));
  for (const nlohmann::json &layer : *list) {
    if (!layer.is_number_unsigned())
      return expectedFound(config.place("mlp_only_layers"), expected, jsonKindText(layer));
    dense.insert(layer.get<int64_t>());
  }
  return dense;
}

/// Of each decoder_sparse_step layers the last has experts, but those that are listed.
static Result<void> readSparseLayers(const FieldReader &config, Decoder &decoder) {
  int64_t step = 1;
  HR_TRY(config.optionalInteger("decoder_sparse_step", 1, 1 << 20, step));
  Result<std::set<int64_t>> dense = readDenseLayers(config);
  if (!dense)
    return dense.error();
  decoder.expertFeedForward = 768;
  decoder.experts.count = 128;
  decoder.experts.top = 8;
  HR_TRY(decoder.readExperts(0));
  HR_TRY(config.optionalInteger("moe_intermediate_size", 1, 1 << 22, decoder.expertFeedForward));
  HR_TRY(config.optionalBool("norm_topk_prob", decoder.experts.normalise));
  decoder.isSparse = [any = decoder.experts.count != 0, step, dense = dense.take()](int64_t layer) {
    return any && (layer + 1) % step == 0 && dense.count(layer) == 0;
  };
  return {};
}

Result<void> fillQwen3MoE(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.maxPositionsDefault = 32768;
  HR_TRY(decoder.readCommon(names));
  HR_TRY(decoder.readAttentionBias());
  HR_TRY(readSparseLayers(input.config, decoder));
  int64_t window = 0;
  HR_TRY(readQwenWindow(input.config, window));
  return fillQwen(decoder, std::vector<int64_t>(size_t(decoder.dims.layers), window), true);
}

} // namespace headrace
