// MistralForCausalLM: Llama with a sliding window in every layer.
// MixtralForCausalLM: the same with a mixture of experts in every layer, and no window unless the configuration says
// so.
#include "compiler/import/families/Decoder.h"

namespace headrace {

/// `window` and the rotary base count where the configuration has none.
static Result<void> fillWindowed(const FamilyInput &input, Decoder &decoder, int64_t window, double theta) {
  RopeDefaults rope;
  rope.theta = theta;
  HR_TRY(readWindow(input.config, window));
  HR_TRY(decoder.readRope(rope));
  decoder.fill([&](int64_t layer) {
    BlockSpec block = decoder.block(layer);
    block.attention.window = window;
    return block;
  });
  return {};
}

static Result<void> readMistral(Decoder &decoder) {
  DimensionFields fields;
  fields.maxPositionsDefault = 131072;
  return decoder.readCommon(fields);
}

Result<void> fillMistral(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readMistral(decoder));
  return fillWindowed(input, decoder, 4096, 10000.0);
}

Result<void> fillMixtral(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  decoder.eps = 1e-5;
  decoder.experts.count = 8;
  decoder.experts.top = 2;
  decoder.experts.normalise = true;
  decoder.expertNames = {"block_sparse_moe", "gate", "w1", "w3", "w2"};
  HR_TRY(readMistral(decoder));
  HR_TRY(decoder.readExperts());
  decoder.expertFeedForward = decoder.dims.feedForward;
  decoder.isSparse = [](int64_t) { return true; };
  return fillWindowed(input, decoder, 0, 1e6);
}

} // namespace headrace
