#include "compiler/import/config/FieldTables.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace headrace {

namespace {
using nlohmann::json;

// Dropout is off in inference, routers' losses and noise are training's; pretraining_tp slices products into sums of
// the same terms; the rest steers tools and sampling.
const char *const kHarmless[] = {
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_commit_hash",
    "_from_model_config",
    "_name_or_path",
    "_num_labels",
    "activation_dropout",
    "attention_dropout",
    "attention_probs_dropout_prob",
    "attn_implementation",
    "attn_pdrop",
    "auto_map",
    "bad_words_ids",
    "begin_suppress_tokens",
    "cache_implementation",
    "chunk_size_feed_forward",
    "classifier_dropout",
    "classifier_dropout_prob",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "dropout",
    "dtype",
    "early_stopping",
    "embd_pdrop",
    "embedding_dropout",
    "encoder_no_repeat_ngram_size",
    "exponential_decay_length_penalty",
    "ffn_dropout",
    "finetuning_task",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "gradient_checkpointing",
    "hidden_dropout",
    "hidden_dropout_prob",
    "id2label",
    "init_std",
    "initializer_range",
    "is_llama_config",
    "keys_to_ignore_at_inference",
    "label2id",
    "layerdrop",
    "length_penalty",
    "max_length",
    "max_window_layers", // of a sliding window, which is asked for
    "min_length",
    "no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_past",
    "output_router_logits",
    "output_scores",
    "pad_token_id",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "qa_dropout",
    "remove_invalid_values",
    "reorder_and_upcast_attn",
    "repetition_penalty",
    "resid_pdrop",
    "residual_dropout",
    "return_dict",
    "return_dict_in_generate",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "sep_token_id",
    "seq_classif_dropout",
    "summary_activation",
    "summary_first_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "tokenizer_class",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers.js_config",
    "transformers_version",
    "typical_p",
    "unsloth_fixed",
    "unsloth_version",
    "use_cache",
};

struct ConditionalField {
  const char *name;
  const char *neutral; // JSON list of values
};
// What relatives of Llama change, and the value at which they do not. null is always neutral.
const ConditionalField kConditional[] = {
    {"add_cross_attention", "[false]"},
    {"alibi", "[false]"},
    {"apply_residual_connection_post_layernorm", "[false]"},
    {"attention_bias", "[false]"},
    {"attention_chunk_size", "[]"},
    {"attention_multiplier", "[]"},
    {"attention_out_bias", "[]"},
    {"attn_logit_softcapping", "[]"},
    {"clip_qkv", "[]"},
    {"cross_attention_hidden_size", "[]"},
    {"embedding_multiplier", "[1.0]"},
    {"final_logit_softcapping", "[]"},
    {"full_attn_mod", "[1]"},
    {"interpolate_factor", "[1]"},
    {"is_decoder", "[true, false]"},
    {"is_encoder_decoder", "[false]"},
    {"layer_norm_elementwise_affine", "[true]"},
    {"layer_types", "[]"},
    {"lm_head_bias", "[false]"},
    {"logit_scale", "[1.0]"},
    {"logits_scaling", "[1.0]"},
    {"mlp_bias", "[false]"},
    {"mlp_type", "[\"default\"]"},
    {"no_rope_layers", "[[]]"},
    {"norm_type", "[\"layer_norm\"]"},
    {"num_experts", "[0, 1]"},
    {"num_local_experts", "[0, 1]"},
    {"position_embedding_type", "[\"absolute\"]"},
    {"pruned_heads", "[{}]"},
    {"qk_norm", "[false]"},
    {"query_pre_attn_scalar", "[]"},
    {"relative_attention", "[false]"},
    {"residual_multiplier", "[1.0]"},
    {"rope_interleaved", "[false]"},
    {"rope_local_base_freq", "[]"},
    {"sinusoidal_pos_embds", "[false]"},
    {"sliding_window", "[]"},
    {"tie_encoder_decoder", "[false]"},
    {"use_bidirectional_attention", "[false]"},
    {"use_mrope", "[false]"},
    {"use_parallel_residual", "[false]"},
    {"use_qk_norm", "[false]"},
    {"use_sliding_window", "[false]"},
};

// Parts of names of fields that change what a network computes.
const char *const kDangerousParts[] = {
    "act",      "alibi",    "attention", "attn",  "bias",  "bits",     "block",   "cap",    "clip",
    "conv",     "embed",    "expert",    "freq",  "group", "gate",     "head",    "inner",  "interleav",
    "key",      "layer",    "logit",     "lora",  "mlp",   "moe",      "multipl", "norm",   "ntk",
    "parallel", "position", "quant",     "query", "rank",  "residual", "rope",    "rotary", "scal",
    "shared",   "softmax",  "sparse",    "state", "value", "window",   "yarn",
};

template <size_t N> bool contains(const char *const (&list)[N], const std::string &name) {
  return std::any_of(std::begin(list), std::end(list), [&](const char *entry) { return name == entry; });
}

const ConditionalField *findConditional(const std::string &name) {
  for (const ConditionalField &field : kConditional)
    if (name == field.name)
      return &field;
  return nullptr;
}
} // namespace

FieldClass classifyField(const std::string &name) {
  if (contains(kHarmless, name))
    return FieldClass::Harmless;
  if (findConditional(name))
    return FieldClass::Conditional;
  for (const char *part : kDangerousParts)
    if (name.find(part) != std::string::npos)
      return FieldClass::Dangerous;
  return FieldClass::Unknown;
}

bool isNeutral(const std::string &name, const json &value) {
  if (value.is_null())
    return true;
  if (name == "layer_types")
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const json &kind) { return kind == "full_attention"; });
  const json neutral = json::parse(findConditional(name)->neutral);
  return std::any_of(neutral.begin(), neutral.end(), [&](const json &candidate) { return candidate == value; });
}

std::string neutralText(const std::string &name) {
  if (name == "layer_types")
    return "null or only 'full_attention'";
  std::string text = "null";
  for (const json &value : json::parse(findConditional(name)->neutral))
    text += " or " + value.dump();
  return text;
}

} // namespace headrace
