// Qwen2ForCausalLM: biases of query, key and value, a window in the later layers if it is switched on.
// Qwen3ForCausalLM: norms of query and key instead of the biases.
#include "compiler/import/families/Decoder.h"

namespace headrace {

/// The window of each layer.
static Result<std::vector<int64_t>> readWindows(const FieldReader &config, int64_t layers) {
  bool use = false;
  int64_t window = 4096, first = 28;
  HR_TRY(config.optionalBool("use_sliding_window", use));
  HR_TRY(readWindow(config, window));
  HR_TRY(config.optionalInteger("max_window_layers", 0, 1 << 20, first));
  if (!use)
    window = 0;
  Result<std::vector<bool>> sliding =
      readSlidingLayers(config, layers, [&](int64_t layer) { return window != 0 && layer >= first; });
  if (!sliding)
    return sliding.error();
  std::vector<int64_t> windows;
  for (bool slides : *sliding)
    windows.push_back(slides ? window : 0);
  return windows;
}

static Result<void> fillQwen(const FamilyInput &input, Decoder &decoder, bool headNorms) {
  Result<std::vector<int64_t>> windows = readWindows(input.config, decoder.dims.layers);
  if (!windows)
    return windows.error();
  HR_TRY(decoder.readRope());
  decoder.fill([&](int64_t layer) {
    BlockSpec block = decoder.block(layer);
    block.attention.window = (*windows)[size_t(layer)];
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
  return fillQwen(input, decoder, false);
}

Result<void> fillQwen3(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.maxPositionsDefault = 32768;
  names.headDimDefault = 128;
  HR_TRY(decoder.readCommon(names));
  HR_TRY(decoder.readAttentionBias());
  return fillQwen(input, decoder, true);
}

} // namespace headrace
