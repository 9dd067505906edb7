// Phi3ForCausalLM: Llama whose query, key and value are one tensor, and gate and up another; a window in every layer.
#include "compiler/import/families/Decoder.h"

namespace headrace {

static BlockSpec fusedBlock(Decoder &decoder, int64_t layer) {
  const Dimensions &dims = decoder.dims;
  std::string name = decoder.layerName(layer);
  BlockSpec block;
  block.attnNorm = decoder.norm(name + "input_layernorm");
  AttentionSpec attention = decoder.plainAttention(name + "self_attn");
  int64_t rows = dims.queries() + 2 * dims.keys();
  LinearSpec all = decoder.project(attention.name + ".qkv_proj", rows, dims.hidden, false);
  attention.q = outputsOf(all, rows, 0, dims.queries());
  attention.k = outputsOf(all, rows, dims.queries(), dims.keys());
  attention.v = outputsOf(all, rows, dims.queries() + dims.keys(), dims.keys());
  attention.o = decoder.project(attention.name + ".o_proj", dims.hidden, dims.queries(), false);
  block.attention = std::move(attention);
  block.mlpNorm = decoder.norm(name + "post_attention_layernorm");
  LinearSpec both = decoder.project(name + "mlp.gate_up_proj", 2 * dims.feedForward, dims.hidden, false);
  block.mlp.activation = decoder.activation;
  block.mlp.gate = outputsOf(both, 2 * dims.feedForward, 0, dims.feedForward);
  block.mlp.up = outputsOf(both, 2 * dims.feedForward, dims.feedForward, dims.feedForward);
  block.mlp.down = decoder.project(name + "mlp.down_proj", dims.hidden, dims.feedForward, false);
  return block;
}

Result<void> fillPhi3(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields fields;
  fields.maxPositionsDefault = 4096;
  decoder.eps = 1e-5;
  HR_TRY(decoder.readCommon(fields));
  int64_t window = 0;
  HR_TRY(readWindow(input.config, window));
  RopeDefaults rope;
  rope.onlyLongRope = true;
  rope.partialField = "partial_rotary_factor";
  rope.originalPositions = 4096;
  HR_TRY(input.config.optionalInteger("original_max_position_embeddings", 2, 1 << 24, rope.originalPositions));
  HR_TRY(decoder.readRope(rope));
  decoder.fill([&](int64_t layer) {
    BlockSpec block = fusedBlock(decoder, layer);
    block.attention.window = window;
    return block;
  });
  return {};
}

} // namespace headrace
