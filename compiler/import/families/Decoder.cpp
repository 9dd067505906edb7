#include "compiler/import/families/Decoder.h"
#include "compiler/support/ErrorText.h"

namespace headrace {

Result<void> Decoder::readCommon(const DimensionFields &fields, const char *epsField, const char *activationField) {
  Result<Dimensions> read = readDimensions(input.config, fields);
  if (!read)
    return read.error();
  dims = *read;
  HR_TRY(input.config.optionalNumber(epsField, 1e-30, 1.0, eps));
  HR_TRY(readActivation(input.config, activationField, activation));
  attentionScale = 1.0 / std::sqrt(double(dims.headDim));
  spec.maxPositions = dims.maxPositions;
  spec.maxPositionsField = fields.maxPositions;
  return input.config.optionalBool("tie_word_embeddings", tied);
}

Result<void> Decoder::readAttentionBias() {
  HR_TRY(input.config.optionalBool("attention_bias", qkvBias));
  outputBias = qkvBias;
  return {};
}

Result<void> Decoder::readBiases() {
  HR_TRY(readAttentionBias());
  return input.config.optionalBool("mlp_bias", mlpBias);
}

Result<void> Decoder::readExperts(int64_t leastCount) {
  const int64_t most = 4096;
  const FieldReader &config = input.config;
  HR_TRY(config.optionalInteger("num_local_experts", leastCount, most, experts.count));
  int64_t count = experts.count;
  HR_TRY(config.optionalInteger("num_experts", leastCount, most, count));
  if (config.has("num_local_experts") && count != experts.count)
    return expectedFound(config.place("num_experts"), "the same as num_local_experts, " + std::to_string(experts.count),
                         std::to_string(count));
  experts.count = count;
  HR_TRY(config.optionalInteger("num_experts_per_tok", 1, most, experts.top));
  if (count != 0 && experts.top > count)
    return expectedFound(config.place("num_experts_per_tok"), "1 to " + std::to_string(count),
                         std::to_string(experts.top));
  return {};
}

Result<void> Decoder::readRope(const RopeDefaults &defaults) {
  Result<RopeSpec> rope = headrace::readRope(input.config, dims, defaults);
  if (!rope)
    return rope.error();
  addRope(spec, rope.take(), "config.json");
  return {};
}

void Decoder::fill(const std::function<BlockSpec(int64_t)> &makeBlock) {
  begin();
  embedding();
  for (int64_t layer = 0; layer < dims.layers; ++layer)
    spec.blocks.push_back(makeBlock(layer));
  finalNorm();
  head();
}

void Decoder::begin() {
  spec.kind = ModelKind::Decoder;
  spec.vocab = dims.vocab;
  spec.hidden = dims.hidden;
  spec.feedForward = dims.feedForward;
  tensors.setBase(names.base);
  tensors.ignoreEnding("rotary_emb.inv_freq", "follows from config.json");
}

void Decoder::embedding() {
  if (!projects)
    spec.embedding = linear(tensors, names.embedding, dims.vocab, dims.hidden, false);
  spec.embedding.name = names.embedding;
}

void Decoder::finalNorm() {
  if (names.finalNorm.empty())
    return;
  spec.finalNorm = norm(names.finalNorm);
  if (logitScale != 1)
    spec.finalNorm.weight = spec.finalNorm.weight.scaled(float(logitScale));
}

void Decoder::head() {
  if (tied)
    tensors.ignoreCopy(names.head + ".weight", names.embedding + ".weight");
  else if (!projects)
    spec.head = linear(tensors, names.head, dims.vocab, dims.hidden, false);
  spec.head.name = names.head;
}

NormSpec Decoder::norm(const std::string &name, int64_t columns) {
  if (noWeights)
    return bareNorm(normKind, name, columns, eps);
  NormSpec made = normKind == NormKind::RMS ? rmsNorm(tensors, name, columns, eps)
                                            : layerNorm(tensors, name, columns, eps, normBias);
  if (onePlus)
    made.weight = made.weight.plus(1.0f);
  return made;
}

void Decoder::headNorms(AttentionSpec &attention, const std::string &q, const std::string &k) {
  attention.qNorm = norm(q, dims.headDim);
  attention.kNorm = norm(k, dims.headDim);
  attention.qNorm.span = attention.kNorm.span = dims.headDim;
}

void Decoder::wholeNorms(AttentionSpec &attention, const std::string &q, const std::string &k) {
  attention.qNorm = norm(q, dims.queries());
  attention.qNorm.span = dims.queries();
  attention.kNorm = norm(k, dims.keys());
  attention.kNorm.span = dims.keys();
}

LinearSpec Decoder::project(const std::string &name, int64_t outputs, int64_t inputs, bool bias) {
  return linear(tensors, name, outputs, inputs, bias);
}

AttentionSpec Decoder::plainAttention(const std::string &name) const {
  AttentionSpec made;
  made.heads = dims.heads;
  made.kvHeads = dims.kvHeads;
  made.headDim = dims.headDim;
  made.scale = attentionScale;
  made.name = name;
  return made;
}

AttentionSpec Decoder::attention(const std::string &name) {
  AttentionSpec made = plainAttention(name);
  made.q = project(name + ".q_proj", dims.queries(), dims.hidden, qkvBias);
  made.k = project(name + ".k_proj", dims.keys(), dims.hidden, qkvBias);
  made.v = project(name + ".v_proj", dims.keys(), dims.hidden, qkvBias);
  made.o = scaled(project(name + ".o_proj", dims.hidden, dims.queries(), outputBias), residualScale);
  return made;
}

MlpSpec Decoder::gatedMlp(const std::string &name) {
  MlpSpec made;
  made.activation = activation;
  made.gate = project(name + ".gate_proj", dims.feedForward, dims.hidden, mlpBias);
  made.up = project(name + ".up_proj", dims.feedForward, dims.hidden, mlpBias);
  made.down = scaled(project(name + ".down_proj", dims.hidden, dims.feedForward, mlpBias), residualScale);
  return made;
}

MlpSpec Decoder::mixture(const std::string &prefix) {
  const std::string fused = prefix + expertNames.fused + ".", gateUp = fused + expertNames.gateUp;
  const bool isFused = expertNames.gate.empty() || tensors.has(gateUp);
  const std::string name = isFused ? fused : prefix + expertNames.mlp + ".", all = name + "experts";
  const int64_t count = experts.count, inner = expertFeedForward;
  MlpSpec made;
  made.activation = activation;
  made.experts = experts;
  made.experts.router = project(name + expertNames.router, count, dims.hidden, false);
  if (isFused) {
    LinearSpec both = stackedLinear(tensors, gateUp, count, 2 * inner, dims.hidden);
    made.gate = outputsOf(both, 2 * inner, 0, inner);
    made.up = outputsOf(both, 2 * inner, inner, inner);
    made.down = stackedLinear(tensors, fused + expertNames.fusedDown, count, dims.hidden, inner);
  } else {
    made.gate = stackedLinear(tensors, all, expertNames.gate, count, inner, dims.hidden);
    made.up = stackedLinear(tensors, all, expertNames.up, count, inner, dims.hidden);
    made.down = stackedLinear(tensors, all, expertNames.down, count, dims.hidden, inner);
  }
  made.down = scaled(made.down, residualScale);
  return made;
}

BlockSpec Decoder::block(int64_t layer) {
  BlockSpec made;
  made.attnNorm = norm(layerName(layer) + "input_layernorm");
  made.attention = attention(layerName(layer) + "self_attn");
  made.mlpNorm = norm(layerName(layer) + "post_attention_layernorm");
  made.mlp = isSparse(layer) ? mixture(layerName(layer)) : gatedMlp(layerName(layer) + "mlp");
  return made;
}

} // namespace headrace
