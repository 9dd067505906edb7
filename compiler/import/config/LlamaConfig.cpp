#include "compiler/import/config/LlamaConfig.h"
#include "compiler/import/config/FieldReader.h"
#include "compiler/import/config/FieldTables.h"
#include "compiler/import/config/Rope.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <algorithm>

namespace headrace {

using nlohmann::json;

static const char kConfig[] = "config.json";
static const char kGeneration[] = "generation_config.json";

const char *activationName(HiddenActivation activation) {
  switch (activation) {
  case HiddenActivation::Silu:
    return "silu";
  case HiddenActivation::Gelu:
    return "gelu";
  case HiddenActivation::GeluTanh:
    return "gelu_tanh";
  case HiddenActivation::Relu:
    return "relu";
  }
  return "";
}

static Result<void> checkArchitecture(const json &config) {
  auto it = config.find("architectures");
  std::string where = std::string(kConfig) + ": architectures";
  if (it == config.end() || !it->is_array() || it->size() != 1 || !(*it)[0].is_string())
    return expectedFound(where, "['LlamaForCausalLM']", it == config.end() ? "none" : it->dump());
  if ((*it)[0] != "LlamaForCausalLM")
    return expectedFound(where, "'LlamaForCausalLM'", inQuotes((*it)[0].get_ref<const std::string &>()));
  auto type = config.find("model_type");
  if (type != config.end() && *type != "llama")
    return expectedFound(std::string(kConfig) + ": model_type", "'llama'", jsonKindText(*type));
  return {};
}

/// The fields that LlamaConfig has no member for: each is harmless, or an error, or a warning.
static Result<void> checkOtherFields(const json &config, std::vector<std::string> &warnings) {
  for (const auto &field : config.items()) {
    std::string where = std::string(kConfig) + ": field " + inQuotes(field.key());
    switch (classifyField(field.key())) {
    case FieldClass::Used:
    case FieldClass::Harmless:
      break;
    case FieldClass::Conditional:
      if (!isNeutral(field.key(), field.value()))
        return expectedFound(where, neutralText(field.key()), jsonKindText(field.value()));
      break;
    case FieldClass::Dangerous:
      if (!field.value().is_null() && field.value() != false)
        return expectedFound(where, "a field that is known, as it may change the result", jsonKindText(field.value()));
      [[fallthrough]];
    case FieldClass::Unknown:
      warnings.push_back(where + " is not known and was ignored");
      break;
    }
  }
  return {};
}

static Result<void> checkQuantization(const json &config) {
  auto it = config.find("quantization_config");
  if (it == config.end() || it->is_null())
    return {};
  std::string method =
      it->is_object() && it->contains("quant_method") ? jsonKindText((*it)["quant_method"]) : jsonKindText(*it);
  return expectedFound(std::string(kConfig) + ": quantization_config", "none, as quantized checkpoints are not read",
                       method);
}

static Result<void> readDimensions(const FieldReader &fields, LlamaConfig &made) {
  HR_TRY(fields.integer("vocab_size", 1, 1 << 22, made.vocabSize));
  HR_TRY(fields.integer("hidden_size", 1, 1 << 20, made.hiddenSize));
  HR_TRY(fields.integer("intermediate_size", 1, 1 << 22, made.intermediateSize));
  HR_TRY(fields.integer("num_hidden_layers", 1, 4096, made.layers));
  HR_TRY(fields.integer("num_attention_heads", 1, 4096, made.heads));
  made.kvHeads = made.heads;
  HR_TRY(fields.optionalInteger("num_key_value_heads", 1, 4096, made.kvHeads));
  if (made.heads % made.kvHeads != 0)
    return expectedFound(std::string(kConfig) + ": num_key_value_heads",
                         "a divisor of num_attention_heads " + std::to_string(made.heads),
                         std::to_string(made.kvHeads));
  if (!fields.has("head_dim")) {
    if (made.hiddenSize % made.heads != 0)
      return expectedFound(std::string(kConfig) + ": hidden_size",
                           "a multiple of num_attention_heads " + std::to_string(made.heads) +
                               ", as there is no head_dim",
                           std::to_string(made.hiddenSize));
    made.headDim = made.hiddenSize / made.heads;
  }
  HR_TRY(fields.optionalInteger("head_dim", 1, 4096, made.headDim));
  if (made.headDim % 2 != 0 || made.headDim > 4096)
    return expectedFound(std::string(kConfig) + ": head_dim", "an even number up to 4096",
                         std::to_string(made.headDim));
  made.maxPositions = 2048; // the architecture's default
  return fields.optionalInteger("max_position_embeddings", 1, 1 << 24, made.maxPositions);
}

static Result<void> readActivation(const FieldReader &fields, LlamaConfig &made) {
  static const struct {
    const char *name;
    HiddenActivation activation;
  } kNames[] = {{"silu", HiddenActivation::Silu},
                {"swish", HiddenActivation::Silu},
                {"gelu", HiddenActivation::Gelu},
                {"gelu_new", HiddenActivation::GeluTanh},
                {"gelu_pytorch_tanh", HiddenActivation::GeluTanh},
                {"relu", HiddenActivation::Relu}};
  std::string name = "silu";
  HR_TRY(fields.optionalString("hidden_act", name));
  for (const auto &row : kNames)
    if (name == row.name) {
      made.activation = row.activation;
      return {};
    }
  return expectedFound(std::string(kConfig) + ": hidden_act", "silu, gelu, gelu_new, gelu_pytorch_tanh or relu",
                       inQuotes(name));
}

/// eos_token_id as a list of ids; empty when it is absent or null.
static Result<std::vector<int32_t>> readEndIds(const FieldReader &fields, int64_t vocabSize) {
  std::vector<int32_t> ids;
  HR_TRY(fields.optionalIds("eos_token_id", vocabSize, ids));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

static Result<void> readSpecialIds(const FieldReader &config, const FieldReader *generation, LlamaConfig &made) {
  std::vector<int32_t> bos;
  HR_TRY(config.optionalIds("bos_token_id", made.vocabSize, bos));
  Result<std::vector<int32_t>> ends = readEndIds(config, made.vocabSize);
  if (!ends)
    return ends.error();
  made.eosIds = ends.take();
  if (generation) {
    if (bos.empty())
      HR_TRY(generation->optionalIds("bos_token_id", made.vocabSize, bos));
    Result<std::vector<int32_t>> first = readEndIds(*generation, made.vocabSize);
    if (!first)
      return first.error();
    if (!first->empty())
      made.eosIds = first.take();
  }
  if (bos.size() > 1)
    return expectedFound(std::string(kConfig) + ": bos_token_id", "one id", std::to_string(bos.size()));
  made.bosId = bos.empty() ? -1 : bos[0];
  return {};
}

static Result<json> parseObject(std::string_view text, const char *file) {
  Result<json> parsed = parseJson(text, file);
  if (parsed && !parsed->is_object())
    return expectedFound(file, "a JSON object", jsonKindText(*parsed));
  return parsed;
}

Result<LlamaConfig> parseLlamaConfig(std::string_view configText, std::string_view generationText) {
  Result<json> config = parseObject(configText, kConfig);
  if (!config)
    return config.error();
  json generation = json::object();
  if (!generationText.empty()) {
    Result<json> parsed = parseObject(generationText, kGeneration);
    if (!parsed)
      return parsed.error();
    generation = parsed.take();
  }

  LlamaConfig made;
  FieldReader fields(*config, kConfig), generationFields(generation, kGeneration);
  HR_TRY(checkArchitecture(*config));
  HR_TRY(checkQuantization(*config));
  HR_TRY(readDimensions(fields, made));
  made.rmsNormEps = 1e-6; // the architecture's default
  HR_TRY(fields.optionalNumber("rms_norm_eps", 1e-30, 1.0, made.rmsNormEps));
  HR_TRY(readActivation(fields, made));
  HR_TRY(fields.optionalBool("tie_word_embeddings", made.tieWordEmbeddings));
  HR_TRY(fields.optionalBool("attention_bias", made.attentionBias));
  HR_TRY(fields.optionalBool("mlp_bias", made.mlpBias));
  HR_TRY(readRope(fields, made));
  HR_TRY(readSpecialIds(fields, generationText.empty() ? nullptr : &generationFields, made));
  HR_TRY(checkOtherFields(*config, made.warnings));
  return made;
}

} // namespace headrace
