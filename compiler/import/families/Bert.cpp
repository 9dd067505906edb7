// BertModel, RobertaModel, XLMRobertaModel, DistilBertModel: encoders with layer norms behind the sums and learned
// positions. The row of the only token type that embeddings use, 0, is added to the positions.
#include "compiler/import/families/Decoder.h"
#include "compiler/support/ErrorText.h"

namespace headrace {

namespace {
/// How an encoder calls its parts, below "NAME." of the model and below a layer.
struct EncoderNames {
  const char *base, *layers;
  const char *q, *k, *v, *o, *attnNorm, *up, *down, *mlpNorm;
};
const EncoderNames kBert = {"bert.",
                            "encoder.layer.",
                            "attention.self.query",
                            "attention.self.key",
                            "attention.self.value",
                            "attention.output.dense",
                            "attention.output.LayerNorm",
                            "intermediate.dense",
                            "output.dense",
                            "output.LayerNorm"};
const EncoderNames kDistilBert = {"distilbert.",     "transformer.layer.", "attention.q_lin", "attention.k_lin",
                                  "attention.v_lin", "attention.out_lin",  "sa_layer_norm",   "ffn.lin1",
                                  "ffn.lin2",        "output_layer_norm"};
} // namespace

static BlockSpec makeBlock(Decoder &decoder, const EncoderNames &names, int64_t layer) {
  int64_t hidden = decoder.dims.hidden, ffn = decoder.dims.feedForward;
  std::string name = std::string(names.base) + names.layers + std::to_string(layer) + ".";
  BlockSpec block;
  block.order = BlockSpec::Order::NormSum;
  block.attention = decoder.plainAttention(name + "attention");
  block.attention.q = decoder.project(name + names.q, hidden, hidden, true);
  block.attention.k = decoder.project(name + names.k, hidden, hidden, true);
  block.attention.v = decoder.project(name + names.v, hidden, hidden, true);
  block.attention.o = decoder.project(name + names.o, hidden, hidden, true);
  block.attention.rope = -1;
  block.attnPostNorm = decoder.norm(name + names.attnNorm);
  block.mlp.activation = decoder.activation;
  block.mlp.up = decoder.project(name + names.up, ffn, hidden, true);
  block.mlp.down = decoder.project(name + names.down, hidden, ffn, true);
  block.mlpPostNorm = decoder.norm(name + names.mlpNorm);
  return block;
}

/// The embedding and the blocks. Positions before `skipped` belong to padding; `types` is 0 for a model without token
/// types.
static void fillEncoder(const FamilyInput &input, ModelSpec &spec, Decoder &decoder, const EncoderNames &names,
                        int64_t skipped, int64_t types) {
  std::string base = names.base;
  decoder.names.base = base;
  decoder.names.embedding = base + "embeddings.word_embeddings";
  decoder.begin();
  spec.kind = ModelKind::Encoder;
  input.tensors.ignoreEnding("embeddings.position_ids", "follows from config.json");
  input.tensors.ignoreEnding("embeddings.token_type_ids", "follows from config.json");
  for (const char *part : {"pooler.", "cls.", "lm_head.", "vocab_layer_norm.", "vocab_projector.", "vocab_transform."})
    for (const std::string &beginning : {part + std::string(), base + part})
      input.tensors.ignoreBeginning(beginning, "is not part of the encoder");
  int64_t hidden = decoder.dims.hidden, positions = decoder.dims.maxPositions;
  decoder.embedding();
  spec.positions = input.tensors.get(base + "embeddings.position_embeddings.weight", {positions, hidden});
  if (skipped) {
    spec.maxPositions = positions - skipped;
    spec.positions = spec.positions.slice(skipped, spec.maxPositions);
  }
  if (types) {
    TensorExpr rows = input.tensors.get(base + "embeddings.token_type_embeddings.weight", {types, hidden});
    spec.positions = spec.positions.plus(rows.slice(0, 1));
  }
  spec.embedNorm = decoder.norm(base + "embeddings.LayerNorm");
  for (int64_t layer = 0; layer < decoder.dims.layers; ++layer)
    spec.blocks.push_back(makeBlock(decoder, names, layer));
}

static Result<void> readEncoder(const FamilyInput &input, Decoder &decoder, const DimensionFields &names,
                                const char *activationField) {
  decoder.useLayerNorms(1e-12);
  decoder.activation = HiddenActivation::Gelu;
  HR_TRY(decoder.readCommon(names, "layer_norm_eps", activationField));
  bool causal = false;
  HR_TRY(input.config.optionalBool("is_decoder", causal));
  return causal ? Result<void>(expectedFound(input.config.place("is_decoder"), "false", "true")) : Result<void>();
}

static DimensionFields bertFields() {
  DimensionFields names;
  names.kvHeads = names.headDim = nullptr;
  names.maxPositionsDefault = 512;
  return names;
}

Result<void> fillBert(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readEncoder(input, decoder, bertFields(), "hidden_act"));
  int64_t types = 2;
  HR_TRY(input.config.optionalInteger("type_vocab_size", 1, 1 << 16, types));
  fillEncoder(input, spec, decoder, kBert, 0, types);
  return {};
}

Result<void> fillRoberta(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(readEncoder(input, decoder, bertFields(), "hidden_act"));
  int64_t types = 2, padding = 1;
  HR_TRY(input.config.optionalInteger("type_vocab_size", 1, 1 << 16, types));
  HR_TRY(input.config.optionalInteger("pad_token_id", 0, decoder.dims.maxPositions - 2, padding));
  EncoderNames names = kBert;
  names.base = "roberta.";
  fillEncoder(input, spec, decoder, names, padding + 1, types);
  return {};
}

Result<void> fillDistilBert(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names = bertFields();
  names.hidden = "dim";
  names.feedForward = "hidden_dim";
  names.layers = "n_layers";
  names.heads = "n_heads";
  HR_TRY(readEncoder(input, decoder, names, "activation"));
  bool sinusoidal = false; // how the positions were made; they are in the checkpoint all the same
  HR_TRY(input.config.optionalBool("sinusoidal_pos_embds", sinusoidal));
  fillEncoder(input, spec, decoder, kDistilBert, 0, 0);
  return {};
}

} // namespace headrace
