#include "compiler/import/gguf/GgufModel.h"
#include "compiler/import/gguf/Architecture.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>
#include <cmath>

namespace headrace {

static const int64_t kMostSize = int64_t(1) << 24;
static const char kShortFactors[] = "rope_factors_short.weight", kLongFactors[] = "rope_factors_long.weight";

GgufModel::GgufModel(const GgufFile &file, const Architecture &row)
    : keys(file.metadata, row.name), tensors(file.checkpoint, "the architecture " + std::string(row.name)), file(file),
      row(row) {}

//===-- numbers
//------------------------------------------------------------------------------------------------------------===//

Result<void> GgufModel::readSizes() {
  for (const char *key :
       {"block_count", "embedding_length", "feed_forward_length", "attention.head_count", "context_length"})
    HR_TRY(keys.require(key));
  HR_TRY(keys.integer("block_count", 1, 10000, layers));
  HR_TRY(keys.integer("embedding_length", 1, kMostSize, spec.hidden));
  HR_TRY(keys.integer("feed_forward_length", 1, kMostSize, spec.feedForward));
  HR_TRY(keys.integer("attention.head_count", 1, kMostSize, heads));
  HR_TRY(keys.integer("context_length", 1, int64_t(1) << 30, spec.maxPositions));
  spec.maxPositionsField = std::string(row.name) + ".context_length";
  kvHeads = heads;
  HR_TRY(keys.integer("attention.head_count_kv", 1, heads, kvHeads));
  if (heads % kvHeads != 0)
    return expectedFound(keys.where("attention.head_count_kv"), "a divisor of " + std::to_string(heads),
                         std::to_string(kvHeads));
  headDim = spec.hidden / heads;
  if (!keys.has("attention.key_length") && spec.hidden % heads != 0)
    return expectedFound(keys.where("attention.head_count"), "a divisor of " + std::to_string(spec.hidden),
                         std::to_string(heads));
  HR_TRY(keys.integer("attention.key_length", 1, kMostSize, headDim));
  int64_t valueDim = headDim;
  HR_TRY(keys.integer("attention.value_length", headDim, headDim, valueDim));
  const char *epsilon = row.norm == NormKind::RMS ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon";
  HR_TRY(keys.require(epsilon));
  HR_TRY(keys.number(epsilon, 0, 1, eps));
  attentionScale = 1.0 / std::sqrt(double(headDim));
  const CheckpointTensor *table = file.checkpoint.find("token_embd.weight");
  if (!table || table->entry.shape.size() != 2)
    return expectedFound(file.metadata.fileName() + ": tensor 'token_embd.weight'", "a matrix",
                         table ? shapeText(table->entry.shape) : "none");
  spec.vocab = table->entry.shape[0];
  return {};
}

Result<void> GgufModel::readRopeScaling(RopeSpec &rope) {
  std::string type = "linear"; // of a factor alone
  HR_TRY(keys.text("rope.scaling.type", type));
  double factor = 0;                                        // 0 is none, as is 1
  HR_TRY(keys.number("rope.scale_linear", 0, 1e6, factor)); // how older files spell it
  HR_TRY(keys.number("rope.scaling.factor", 0, 1e6, factor));
  if (factor != 0 && factor < 1)
    return expectedFound(keys.where("rope.scaling.factor"), "0 or at least 1", std::to_string(factor));
  rope.originalPositions = spec.maxPositions;
  HR_TRY(keys.integer("rope.scaling.original_context_length", 2, int64_t(1) << 30, rope.originalPositions));
  HR_TRY(keys.number("rope.scaling.yarn_beta_fast", 1e-3, 1e6, rope.betaFast));
  HR_TRY(keys.number("rope.scaling.yarn_beta_slow", 1e-3, 1e6, rope.betaSlow));
  if (type != "none" && type != "linear" && type != "yarn" && type != "longrope")
    return expectedFound(keys.where("rope.scaling.type"), "none, linear, yarn or longrope", inQuotes(type));
  if (type == "longrope" || tensors.has(kShortFactors) || tensors.has(kLongFactors))
    return factor <= 1 ? readLongRope(rope)
                       : expectedFound(keys.where("rope.scaling.factor"), "none beside " + std::string(kShortFactors),
                                       std::to_string(factor));
  if (type == "none" || factor <= 1)
    return {};
  rope.kind = type == "linear" ? RopeKind::Linear : RopeKind::Yarn;
  rope.factor = factor;
  if (rope.kind == RopeKind::Yarn)
    rope.attentionFactor = 0.1 * std::log(factor) + 1.0;
  return {};
}

/// Divisors for contexts up to the original length, and others for longer ones, which are not computed.
Result<void> GgufModel::readLongRope(RopeSpec &rope) {
  rope.kind = RopeKind::LongRope;
  rope.divisors = tensors.get(kShortFactors, {rope.rotaryDim / 2});
  if (!tensors.has(kLongFactors))
    rope.originalPositions = spec.maxPositions;
  tensors.ignoreEnding(kLongFactors, "is of contexts beyond " + std::to_string(rope.originalPositions));
  return keys.number("rope.scaling.attn_factor", 1e-3, 1e3, rope.attentionFactor);
}

Result<void> GgufModel::readRope() {
  if (row.pairs == RotaryPairs::None) {
    ropeOf = [](int64_t) { return -1; };
    return {};
  }
  RopeSpec rope;
  rope.rotaryDim = headDim;
  HR_TRY(keys.integer("rope.dimension_count", 2, headDim, rope.rotaryDim));
  if (rope.rotaryDim % 2 != 0 || (row.pairs == RotaryPairs::Beside && rope.rotaryDim != headDim))
    return expectedFound(keys.where("rope.dimension_count"),
                         row.pairs == RotaryPairs::Beside ? std::to_string(headDim) : "an even number",
                         std::to_string(rope.rotaryDim));
  HR_TRY(keys.number("rope.freq_base", 1, 1e12, rope.theta));
  HR_TRY(readRopeScaling(rope));
  if (tensors.has("rope_freqs.weight"))
    rope.divisors = tensors.get("rope_freqs.weight", {rope.rotaryDim / 2});
  tensors.ignoreEnding("attn_rot_embd.weight", "follows from the metadata");
  tensors.ignoreEnding("attn_rot_embd", "follows from the metadata");
  addRope(spec, rope, file.metadata.fileName());
  return {};
}

Result<void> GgufModel::readIds() {
  const GgufMetadata &metadata = file.metadata;
  auto id = [&](const char *key, int32_t &into) -> Result<void> {
    if (!metadata.has(key))
      return {};
    Result<int64_t> found = metadata.integer(key);
    if (!found)
      return found.error();
    if (*found == int64_t(0xffffffff)) // how some writers say "none"
      return {};
    if (*found < 0 || *found >= spec.vocab)
      return expectedFound(metadata.where(key), "0 to " + std::to_string(spec.vocab - 1), std::to_string(*found));
    into = int32_t(*found);
    return {};
  };
  HR_TRY(id("tokenizer.ggml.bos_token_id", spec.bosId));
  for (const char *key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
    int32_t end = -1;
    HR_TRY(id(key, end));
    if (end >= 0)
      spec.eosIds.push_back(end);
  }
  std::sort(spec.eosIds.begin(), spec.eosIds.end());
  spec.eosIds.erase(std::unique(spec.eosIds.begin(), spec.eosIds.end()), spec.eosIds.end());
  return {};
}

Result<void> GgufModel::readEncoder() {
  bool causal = true;
  if (spec.kind == ModelKind::Encoder)
    HR_TRY(keys.require("attention.causal"));
  HR_TRY(keys.boolean("attention.causal", causal));
  if (causal != (spec.kind == ModelKind::Decoder))
    return expectedFound(keys.where("attention.causal"), spec.kind == ModelKind::Decoder ? "true" : "false",
                         causal ? "true" : "false");
  int64_t pooling = 0;
  HR_TRY(keys.integer("pooling_type", 0, 2, pooling));
  if (spec.kind == ModelKind::Decoder)
    return {};
  spec.pooling = pooling == 1 ? Pooling::Mean : pooling == 2 ? Pooling::Cls : Pooling::None;
  spec.normalize = spec.pooling != Pooling::None;
  if (spec.normalize)
    spec.warnings.push_back(file.metadata.fileName() +
                            ": pooled vectors are normalised, of which the format says nothing");
  return {};
}

//===-- tensors
//------------------------------------------------------------------------------------------------------------===//

NormSpec GgufModel::norm(const std::string &name, int64_t columns) {
  return row.norm == NormKind::RMS ? rmsNorm(tensors, name, columns, eps)
                                   : layerNorm(tensors, name, columns, eps, tensors.has(name + ".bias"));
}

NormSpec GgufModel::preNorm(const std::string &name) {
  return plainNorms ? bareNorm(row.norm, name, spec.hidden, eps) : normIfThere(name, spec.hidden);
}

NormSpec GgufModel::normIfThere(const std::string &name, int64_t columns) {
  return tensors.has(name + ".weight") ? norm(name, columns) : NormSpec();
}

LinearSpec GgufModel::linear(const std::string &name, int64_t outputs, int64_t inputs) {
  return headrace::linear(tensors, name, outputs, inputs, tensors.has(name + ".bias"));
}

/// Rows of heads, pairs side by side, as halves.
TensorExpr GgufModel::inHalves(const TensorExpr &rows) const {
  return rows && row.pairs == RotaryPairs::Beside ? rows.swapRows(headDim / 2, 2) : rows;
}

/// A norm of query or key: over each head with a weight that all share ([headDim]) or one a head ([heads, headDim]), or
/// over all columns.
NormSpec GgufModel::headNorm(const std::string &name, int64_t columns) {
  const CheckpointTensor *tensor = file.checkpoint.find(name + ".weight");
  if (!tensor)
    return {};
  NormSpec made;
  if (tensor->entry.shape.size() == 2) {
    made.weight = tensors.get(name + ".weight", {columns / headDim, headDim}).reshaped({columns});
    made.span = headDim;
  } else {
    made.span = tensor->entry.shape[0] == headDim ? headDim : columns;
    made.weight = tensors.get(name + ".weight", {made.span});
  }
  made.kind = row.norm;
  made.eps = eps;
  made.name = name;
  made.weight = inHalves(made.weight);
  return made;
}

void GgufModel::fillProjections(const std::string &name, AttentionSpec &made) {
  if (tensors.has(name + "attn_qkv.weight")) {
    int64_t total = queries() + 2 * keyColumns();
    LinearSpec all = linear(name + "attn_qkv", total, spec.hidden);
    made.q = outputsOf(all, total, 0, queries());
    made.k = outputsOf(all, total, queries(), keyColumns());
    made.v = outputsOf(all, total, queries() + keyColumns(), keyColumns());
  } else {
    made.q = linear(name + "attn_q", queries(), spec.hidden);
    made.k = linear(name + "attn_k", keyColumns(), spec.hidden);
    made.v = linear(name + "attn_v", keyColumns(), spec.hidden);
  }
  for (LinearSpec *rotated : {&made.q, &made.k}) {
    rotated->weight = inHalves(rotated->weight);
    rotated->bias = inHalves(rotated->bias);
  }
  made.o = scaled(linear(name + "attn_output", spec.hidden, queries()), residualScale);
}

AttentionSpec GgufModel::attention(int64_t layer) {
  std::string name = blockName(layer);
  AttentionSpec made;
  made.heads = heads;
  made.kvHeads = kvHeads;
  made.headDim = headDim;
  made.scale = attentionScale;
  made.rope = ropeOf(layer);
  made.window = isLocal(layer) ? window : 0;
  made.softcap = scoreSoftcap;
  made.name = name + "attn";
  fillProjections(name, made);
  made.qNorm = headNorm(name + "attn_q_norm", queries());
  made.kNorm = headNorm(name + "attn_k_norm", keyColumns());
  return made;
}

/// Tensors of three dimensions hold a matrix an expert; gate and up may be one.
MlpSpec GgufModel::mixture(const std::string &name) {
  const std::string both = name + "gate_up_exps.weight";
  const int64_t inner = expertFeedForward;
  auto matrices = [&](const std::string &part, int64_t outputs, int64_t inputs) {
    LinearSpec made = stackedLinear(tensors, part, experts.count, outputs, inputs);
    made.name = part.substr(0, part.rfind('.'));
    return made;
  };
  MlpSpec made;
  made.activation = row.activation;
  made.experts = experts;
  made.experts.router = headrace::linear(tensors, name + "gate_inp", experts.count, spec.hidden, false);
  if (tensors.has(both)) {
    LinearSpec all = matrices(both, 2 * inner, spec.hidden);
    made.gate = outputsOf(all, 2 * inner, 0, inner);
    made.up = outputsOf(all, 2 * inner, inner, inner);
  } else {
    made.gate = matrices(name + "gate_exps.weight", inner, spec.hidden);
    made.up = matrices(name + "up_exps.weight", inner, spec.hidden);
  }
  made.down = scaled(matrices(name + "down_exps.weight", spec.hidden, inner), residualScale);
  return made;
}

MlpSpec GgufModel::mlp(int64_t layer) {
  std::string name = blockName(layer) + "ffn_";
  if (experts.count != 0)
    return mixture(name);
  MlpSpec made;
  made.activation = row.activation;
  const CheckpointTensor *up = file.checkpoint.find(name + "up.weight");
  bool gateInUp = up && !tensors.has(name + "gate.weight") && up->entry.shape[0] == 2 * spec.feedForward;
  if (gateInUp) {
    LinearSpec both = linear(name + "up", 2 * spec.feedForward, spec.hidden);
    made.gate = outputsOf(both, 2 * spec.feedForward, 0, spec.feedForward);
    made.up = outputsOf(both, 2 * spec.feedForward, spec.feedForward, spec.feedForward);
  } else {
    if (tensors.has(name + "gate.weight"))
      made.gate = linear(name + "gate", spec.feedForward, spec.hidden);
    made.up = linear(name + "up", spec.feedForward, spec.hidden);
  }
  made.down = scaled(linear(name + "down", spec.hidden, spec.feedForward), residualScale);
  return made;
}

BlockSpec GgufModel::block(int64_t layer) {
  std::string name = blockName(layer);
  BlockSpec made;
  made.order = parallel ? BlockSpec::Order::Parallel : row.order;
  if (made.order == BlockSpec::Order::NormSum) {
    made.attnPostNorm = norm(name + "attn_output_norm", spec.hidden);
    made.mlpPostNorm = norm(name + "layer_output_norm", spec.hidden);
  } else {
    made.attnNorm = preNorm(name + "attn_norm");
    made.attnPostNorm = normIfThere(name + "post_attention_norm", spec.hidden);
    made.mlpNorm = preNorm(name + "ffn_norm");
    made.mlpPostNorm = normIfThere(name + "post_ffw_norm", spec.hidden);
  }
  made.attention = attention(layer);
  made.mlp = mlp(layer);
  return made;
}

void GgufModel::fillEmbedding() {
  spec.embedding = linear("token_embd", spec.vocab, spec.hidden);
  if (tensors.has("position_embd.weight"))
    spec.positions = tensors.get("position_embd.weight", {spec.maxPositions, spec.hidden});
  if (const CheckpointTensor *types = file.checkpoint.find("token_types.weight"); types && spec.positions) {
    TensorExpr all = tensors.get("token_types.weight", {types->entry.shape[0], spec.hidden});
    spec.positions = spec.positions.plus(all.slice(0, 1));
  }
  spec.embedNorm = normIfThere("token_embd_norm", spec.hidden);
}

void GgufModel::fillHead() {
  if (spec.kind == ModelKind::Encoder)
    return;
  spec.finalNorm = preNorm("output_norm");
  if (tensors.has("output.weight"))
    spec.head = linear("output", spec.vocab, spec.hidden);
  else
    spec.head.name = "output";
}

Result<ModelSpec> GgufModel::fill() {
  spec.architecture = row.name;
  std::string path = file.checkpoint.folder();
  size_t slash = path.find_last_of('/');
  spec.folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  spec.kind = row.order == BlockSpec::Order::NormSum ? ModelKind::Encoder : ModelKind::Decoder;
  HR_TRY(readSizes());
  HR_TRY(readRope());
  HR_TRY(readIds());
  HR_TRY(readEncoder());
  if (row.before)
    HR_TRY(row.before(*this));
  fillEmbedding();
  for (int64_t layer = 0; layer < layers; ++layer)
    spec.blocks.push_back(block(layer));
  fillHead();
  if (row.after)
    HR_TRY(row.after(*this));
  HR_TRY(tensors.finish(spec.warnings));
  HR_TRY(keys.checkOthers(spec.warnings));
  for (const CheckpointTensor &tensor : file.checkpoint.tensors())
    spec.files.push_back(tensor.file);
  std::sort(spec.files.begin(), spec.files.end());
  spec.files.erase(std::unique(spec.files.begin(), spec.files.end()), spec.files.end());
  spec.parameters = tensors.parameters();
  spec.isQuantized = true; // as everything in this format is stored for good
  return std::move(spec);
}

/// What the file is for, beside the architecture.
static Result<void> checkGeneral(const GgufMetadata &metadata) {
  if (metadata.has("general.type")) {
    Result<std::string_view> type = metadata.text("general.type");
    if (!type)
      return type.error();
    if (*type != "model")
      return expectedFound(metadata.where("general.type"), "'model'", inQuotes(*type));
  }
  if (metadata.has("general.quantization_version")) {
    Result<int64_t> version = metadata.integer("general.quantization_version");
    if (!version)
      return version.error();
    if (*version != 2)
      return expectedFound(metadata.where("general.quantization_version"), "2", std::to_string(*version));
  }
  return {};
}

Result<ModelSpec> describeGguf(const GgufFile &file) {
  Result<std::string_view> name = file.metadata.text("general.architecture");
  if (!name)
    return name.error();
  HR_TRY(checkGeneral(file.metadata));
  const Architecture *row = findArchitecture(std::string(*name));
  if (!row)
    return expectedFound(file.metadata.where("general.architecture"), "one of " + architectureNames(), inQuotes(*name));
  return GgufModel(file, *row).fill();
}

} // namespace headrace
