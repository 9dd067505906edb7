#include "compiler/import/folder/LlamaFolder.h"
#include "compiler/support/ErrorText.h"

#include <cstring>
#include <set>

namespace headrace {

static const char kEmbedding[] = "model.embed_tokens.weight";
static const char kHead[] = "lm_head.weight";

std::vector<ExpectedTensor> expectedTensors(const LlamaConfig &config) {
  std::vector<ExpectedTensor> all;
  auto linear = [&](const std::string &name, int64_t outputs, int64_t inputs, bool bias) {
    all.push_back({name + ".weight", {outputs, inputs}});
    if (bias)
      all.push_back({name + ".bias", {outputs}});
  };
  int64_t hidden = config.hiddenSize, ffn = config.intermediateSize;
  int64_t queries = config.heads * config.headDim, keys = config.kvHeads * config.headDim;
  linear("model.embed_tokens", config.vocabSize, hidden, false);
  for (int64_t i = 0; i < config.layers; ++i) {
    std::string layer = "model.layers." + std::to_string(i) + ".";
    all.push_back({layer + "input_layernorm.weight", {hidden}});
    linear(layer + "self_attn.q_proj", queries, hidden, config.attentionBias);
    linear(layer + "self_attn.k_proj", keys, hidden, config.attentionBias);
    linear(layer + "self_attn.v_proj", keys, hidden, config.attentionBias);
    linear(layer + "self_attn.o_proj", hidden, queries, config.attentionBias);
    all.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    linear(layer + "mlp.gate_proj", ffn, hidden, config.mlpBias);
    linear(layer + "mlp.up_proj", ffn, hidden, config.mlpBias);
    linear(layer + "mlp.down_proj", hidden, ffn, config.mlpBias);
  }
  all.push_back({"model.norm.weight", {hidden}});
  if (!config.tieWordEmbeddings)
    linear("lm_head", config.vocabSize, hidden, false);
  return all;
}

/// A tensor that older checkpoints carry although it follows from the configuration.
static bool isDerivedBuffer(const std::string &name) {
  const std::string suffix = "rotary_emb.inv_freq";
  return name.size() >= suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}

static Result<void> checkTensor(const CheckpointTensor *tensor, const ExpectedTensor &expected,
                                const std::string &folder) {
  std::string what = "tensor " + inQuotes(expected.name);
  if (!tensor)
    return expectedFound(fileNameOf(folder) + ": " + what, shapeText(expected.shape), "none");
  std::string where = tensor->file + ": " + what;
  if (tensor->entry.shape != expected.shape)
    return expectedFound(where, shapeText(expected.shape), shapeText(tensor->entry.shape));
  if (tensor->entry.type == ElementType::Other)
    return expectedFound(where, "F32, F16 or BF16", tensor->entry.typeName);
  return {};
}

/// A tensor beyond the expected ones.
static Result<void> checkExtra(const CheckpointTensor &extra, const Checkpoint &checkpoint, const LlamaConfig &config,
                               std::vector<std::string> &warnings) {
  std::string where = extra.file + ": tensor " + inQuotes(extra.entry.name);
  if (isDerivedBuffer(extra.entry.name)) {
    warnings.push_back(where + " follows from config.json and was ignored");
    return {};
  }
  if (!config.tieWordEmbeddings || extra.entry.name != kHead)
    return expectedFound(where, "only tensors that config.json implies",
                         "an extra one of " + shapeText(extra.entry.shape));
  const CheckpointTensor &embedding = *checkpoint.find(kEmbedding);
  bool same = extra.entry.type == embedding.entry.type && extra.entry.shape == embedding.entry.shape &&
              std::memcmp(extra.data, embedding.data, embedding.entry.bytes) == 0;
  if (!same)
    return expectedFound(where, std::string("the values of ") + kEmbedding + ", as tie_word_embeddings is true",
                         "others");
  warnings.push_back(where + " repeats the tied embedding and was ignored");
  return {};
}

Result<void> checkTensors(const Checkpoint &checkpoint, const LlamaConfig &config, std::vector<std::string> &warnings) {
  std::set<std::string> known;
  for (const ExpectedTensor &expected : expectedTensors(config)) {
    HR_TRY(checkTensor(checkpoint.find(expected.name), expected, checkpoint.folder()));
    known.insert(expected.name);
  }
  for (const CheckpointTensor &tensor : checkpoint.tensors())
    if (!known.count(tensor.entry.name))
      HR_TRY(checkExtra(tensor, checkpoint, config, warnings));
  return {};
}

Result<LlamaFolder> openLlamaFolder(const std::string &folder) {
  constexpr size_t kLongestConfig = 16 << 20;
  Result<std::string> configText = readFile(folder + "/config.json", kLongestConfig);
  if (!configText)
    return configText.error();
  std::string generationText;
  if (std::string path = folder + "/generation_config.json"; pathExists(path)) {
    Result<std::string> text = readFile(path, kLongestConfig);
    if (!text)
      return text.error();
    if (text->empty())
      return expectedFound("generation_config.json", "valid JSON", "an empty file");
    generationText = text.take();
  }
  Result<LlamaConfig> config = parseLlamaConfig(*configText, generationText);
  if (!config)
    return config.error();
  Result<Checkpoint> checkpoint = Checkpoint::open(folder);
  if (!checkpoint)
    return checkpoint.error();
  std::vector<std::string> warnings = config->warnings;
  warnings.insert(warnings.end(), checkpoint->warnings().begin(), checkpoint->warnings().end());
  HR_TRY(checkTensors(*checkpoint, *config, warnings));
  return LlamaFolder{config.take(), checkpoint.take(), std::move(warnings)};
}

} // namespace headrace
