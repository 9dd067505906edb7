// LlamaFolder.h - a Hugging Face folder with a LlamaForCausalLM: configuration and weights, checked against each other.
#ifndef HEADRACE_IMPORT_LLAMAFOLDER_H
#define HEADRACE_IMPORT_LLAMAFOLDER_H

#include "compiler/import/config/LlamaConfig.h"
#include "compiler/import/folder/Checkpoint.h"

namespace headrace {

struct ExpectedTensor {
  std::string name;
  std::vector<int64_t> shape;
};

/// All tensors that a model of this configuration has, in the order of the forward pass.
std::vector<ExpectedTensor> expectedTensors(const LlamaConfig &config);

/// Every expected tensor is there with its shape and type F32, F16 or BF16, and no other. Tolerated:
/// rotary_emb.inv_freq buffers, and an lm_head.weight that repeats a tied embedding byte for byte; each gives a line in
/// `warnings`.
Result<void> checkTensors(const Checkpoint &checkpoint, const LlamaConfig &config, std::vector<std::string> &warnings);

struct LlamaFolder {
  LlamaConfig config;
  Checkpoint checkpoint;
  std::vector<std::string> warnings; // of all parts
};

/// Reads config.json, generation_config.json and the weights of `folder`.
Result<LlamaFolder> openLlamaFolder(const std::string &folder);

} // namespace headrace
#endif
