#include "compiler/import/gguf/Keys.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>
#include <cstdio>

namespace headrace {

static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// Keys without influence on what is computed, or that the tensors say too.
static const char *const kHarmless[] = {
    "attention.layer_norm_epsilon", // beside the one that counts
    "attention.layer_norm_rms_epsilon",
    "expert_used_count",
    "rope.scaling.finetuned",
    "tensor_data_layout",
    "vocab_size",
};

/// Of the next ones, those that multiply: 1 changes nothing.
static const char *const kFactors[] = {
    "attention.output_scale", "embedding_scale",          "expert_weights_scale",         "logit_scale",
    "residual_scale",         "rope.scaling.attn_factor", "rope.scaling.yarn_attn_factor"};

/// Keys that change the mathematics unless they are 0 or false.
static const char *const kMathematical[] = {
    "attention.clamp_kqv",
    "attention.kv_lora_rank",
    "attention.max_alibi_bias",
    "attention.output_scale",
    "attention.q_lora_rank",
    "attention.scale",
    "attention.shared_kv_layers",
    "attention.sliding_window",
    "attention.temperature_length",
    "attention.temperature_scale",
    "attn_logit_softcapping",
    "embedding_length_per_layer_input",
    "embedding_scale",
    "expert_count",
    "expert_group_count",
    "expert_group_used_count",
    "expert_shared_count",
    "expert_shared_feed_forward_length",
    "expert_weights_scale",
    "final_logit_softcapping",
    "interleave_moe_layer_step",
    "leading_dense_block_count",
    "logit_scale",
    "moe_every_n_layers",
    "nextn_predict_layers",
    "residual_scale",
    "rope.dimension_sections",
    "rope.freq_base_swa",
    "rope.scaling.alpha",
    "rope.scaling.attn_factor",
    "rope.scaling.factor",
    "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_ext_factor",
    "rope.scaling.yarn_log_multiplier",
    "swin_norm",
};

template <size_t N> static bool listed(const char *const (&list)[N], const std::string &key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

Result<void> Keys::require(const std::string &key) const {
  if (!has(key))
    return expectedFound(where(key), "a value", "no such key");
  return {};
}

Result<void> Keys::integer(const std::string &key, int64_t least, int64_t most, int64_t &value) const {
  asked.insert(key);
  if (!has(key))
    return {};
  int64_t found = 0;
  if (metadata.isArray(prefix + key)) {
    Result<std::vector<int64_t>> all = metadata.integers(prefix + key);
    if (!all)
      return all.error();
    if (all->empty() || std::any_of(all->begin(), all->end(), [&](int64_t one) { return one != all->front(); }))
      return expectedFound(where(key), "one number for all layers", all->empty() ? "none" : "several");
    found = all->front();
  } else {
    Result<int64_t> one = metadata.integer(prefix + key);
    if (!one)
      return one.error();
    found = *one;
  }
  if (found < least || found > most)
    return expectedFound(where(key), std::to_string(least) + " to " + std::to_string(most), std::to_string(found));
  value = found;
  return {};
}

Result<void> Keys::number(const std::string &key, double least, double most, double &value) const {
  asked.insert(key);
  if (!has(key))
    return {};
  Result<double> found = metadata.number(prefix + key);
  if (!found)
    return found.error();
  if (*found < least || *found > most)
    return expectedFound(where(key), numberText(least) + " to " + numberText(most), numberText(*found));
  value = *found;
  return {};
}

Result<void> Keys::numberOr(const std::string &key, double least, double most, double assumed, double &value,
                            std::vector<std::string> &warnings) const {
  value = assumed;
  if (!has(key))
    warnings.push_back(where(key) + " is absent: " + numberText(assumed) + " is assumed, as the architecture has it");
  return number(key, least, most, value);
}

Result<void> Keys::boolean(const std::string &key, bool &value) const {
  asked.insert(key);
  if (!has(key))
    return {};
  Result<bool> found = metadata.boolean(prefix + key);
  if (!found)
    return found.error();
  value = *found;
  return {};
}

Result<std::vector<bool>> Keys::flags(const std::string &key, int64_t layers) const {
  if (!metadata.isArray(prefix + key))
    return std::vector<bool>();
  asked.insert(key);
  Result<std::vector<bool>> found = metadata.booleans(prefix + key);
  if (found && int64_t(found->size()) != layers)
    return expectedFound(where(key), "one for each of " + std::to_string(layers) + " layers",
                         std::to_string(found->size()));
  return found;
}

Result<void> Keys::text(const std::string &key, std::string &value) const {
  asked.insert(key);
  if (!has(key))
    return {};
  Result<std::string_view> found = metadata.text(prefix + key);
  if (!found)
    return found.error();
  value = std::string(*found);
  return {};
}

Result<void> Keys::checkOther(const std::string &key, std::vector<std::string> &warnings) const {
  if (asked.count(key) || listed(kHarmless, key))
    return {};
  if (!listed(kMathematical, key)) {
    warnings.push_back(where(key) + " is not known and was ignored");
    return {};
  }
  Result<double> value = metadata.number(prefix + key);
  if (!value || (*value != 0 && !(*value == 1 && listed(kFactors, key))))
    return expectedFound(where(key), "none, as this architecture is computed without it",
                         value ? numberText(*value) : "one");
  return {};
}

Result<void> Keys::checkOthers(std::vector<std::string> &warnings) const {
  for (std::string_view key : metadata.keys())
    if (key.substr(0, prefix.size()) == prefix)
      HR_TRY(checkOther(std::string(key.substr(prefix.size())), warnings));
  return {};
}

} // namespace headrace
