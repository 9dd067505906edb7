// FalconForCausalLM: layer norms, ungated MLP; query, key and value are one tensor, in groups of some query heads with
// their key and value head. Three generations of blocks. RWForCausalLM is what the first releases were called, with
// shorter names of fields.
#include "compiler/import/families/Decoder.h"
#include "compiler/support/ErrorText.h"

namespace headrace {

namespace {
struct FalconConfig {
  bool grouped = false; // new_decoder_architecture
  bool multiQuery = true;
  bool parallel = true;
  bool bias = false;
  int64_t parallelNorms = 0;
};
} // namespace

static Result<void> readFalcon(const FieldReader &config, FalconConfig &made) {
  std::string type;
  HR_TRY(config.optionalString("model_type", type));
  made.grouped = type == "RefinedWeb"; // the first release of what "new_decoder_architecture" says now
  HR_TRY(config.optionalBool("new_decoder_architecture", made.grouped));
  HR_TRY(config.optionalBool("multi_query", made.multiQuery));
  HR_TRY(config.optionalBool("parallel_attn", made.parallel));
  HR_TRY(config.optionalBool("bias", made.bias));
  made.parallelNorms = made.grouped ? 2 : 1;
  HR_TRY(config.optionalInteger("num_ln_in_parallel_attn", 1, made.grouped ? 2 : 1, made.parallelNorms));
  if (made.grouped && !made.parallel)
    return expectedFound(config.place("parallel_attn"), "true, as new_decoder_architecture is", "false");
  return {};
}

static DimensionFields falconFields(const FieldReader &config) {
  DimensionFields fields;
  auto either = [&](const char *name, const char *older) {
    return config.has(older) && !config.has(name) ? older : name;
  };
  fields.heads = either("num_attention_heads", "n_head");
  fields.kvHeads = either("num_kv_heads", "n_head_kv");
  fields.layers = either("num_hidden_layers", "n_layer");
  fields.hidden = either("hidden_size", "n_embed");
  fields.feedForward = "ffn_hidden_size";
  fields.feedForwardPerHidden = 4;
  fields.headDim = nullptr;
  return fields;
}

static BlockSpec makeBlock(Decoder &decoder, int64_t layer, const FalconConfig &falcon) {
  const Dimensions &dims = decoder.dims;
  std::string name = "transformer.h." + std::to_string(layer) + ".";
  bool twoNorms = falcon.parallelNorms == 2;
  BlockSpec block;
  block.order = falcon.parallel ? BlockSpec::Order::Parallel : BlockSpec::Order::Default;
  block.attnNorm = decoder.norm(name + (twoNorms ? "ln_attn" : "input_layernorm"));
  block.attention = decoder.plainAttention(name + "self_attention");
  LinearSpec all = decoder.project(name + "self_attention.query_key_value", dims.queries() + 2 * dims.keys(),
                                   dims.hidden, falcon.bias);
  int64_t queries = dims.heads / dims.kvHeads * dims.headDim, group = queries + 2 * dims.headDim;
  block.attention.q = outputsOf(all, group, 0, queries);
  block.attention.k = outputsOf(all, group, queries, dims.headDim);
  block.attention.v = outputsOf(all, group, queries + dims.headDim, dims.headDim);
  block.attention.o = decoder.project(name + "self_attention.dense", dims.hidden, dims.queries(), falcon.bias);
  if (twoNorms)
    block.mlpNorm = decoder.norm(name + "ln_mlp");
  else if (!falcon.parallel)
    block.mlpNorm = decoder.norm(name + "post_attention_layernorm");
  block.mlp.activation = decoder.activation;
  block.mlp.up = decoder.project(name + "mlp.dense_h_to_4h", dims.feedForward, dims.hidden, falcon.bias);
  block.mlp.down = decoder.project(name + "mlp.dense_4h_to_h", dims.hidden, dims.feedForward, falcon.bias);
  return block;
}

Result<void> fillFalcon(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  FalconConfig falcon;
  HR_TRY(readFalcon(input.config, falcon));
  decoder.useLayerNorms(1e-5);
  decoder.activation = HiddenActivation::Gelu;
  decoder.tied = true;
  HR_TRY(decoder.readCommon(falconFields(input.config), "layer_norm_epsilon", "activation"));
  if (!falcon.grouped)
    decoder.dims.kvHeads = falcon.multiQuery ? 1 : decoder.dims.heads;
  HR_TRY(decoder.readRope());
  decoder.names = {"transformer.", "transformer.word_embeddings", "transformer.ln_f", "lm_head"};
  decoder.fill([&](int64_t layer) { return makeBlock(decoder, layer, falcon); });
  return {};
}

} // namespace headrace
