#include "compiler/import/families/Family.h"

namespace headrace {

static const char kExperts[] =
    "a dense model or Granite-MoE, Mixtral, OLMoE or Qwen3-MoE, as other mixtures of experts are not computed";

// Sorted by architecture.
static const Family kFamilies[] = {
    {"BertForMaskedLM", "bert", fillBert, nullptr},
    {"BertForPreTraining", "bert", fillBert, nullptr},
    {"BertModel", "bert", fillBert, nullptr},
    {"Cohere2ForCausalLM", "cohere2", fillCohere2, nullptr},
    {"CohereForCausalLM", "cohere", fillCohere, nullptr},
    {"DeepseekV2ForCausalLM", "deepseek_v2", nullptr, kExperts},
    {"DeepseekV3ForCausalLM", "deepseek_v3", nullptr, kExperts},
    {"DistilBertForMaskedLM", "distilbert", fillDistilBert, nullptr},
    {"DistilBertModel", "distilbert", fillDistilBert, nullptr},
    {"FalconForCausalLM", "falcon", fillFalcon, nullptr},
    {"GPT2LMHeadModel", "gpt2", fillGPT2, nullptr},
    {"GPTNeoXForCausalLM", "gpt_neox", fillGPTNeoX, nullptr},
    {"Gemma2ForCausalLM", "gemma2", fillGemma2, nullptr},
    {"Gemma3ForCausalLM", "gemma3_text", fillGemma3, nullptr},
    {"Gemma3ForConditionalGeneration", "gemma3", nullptr,
     "a text model (Gemma3ForCausalLM), as images are not computed"},
    {"GemmaForCausalLM", "gemma", fillGemma, nullptr},
    {"GptOssForCausalLM", "gpt_oss", nullptr, kExperts},
    {"GraniteForCausalLM", "granite", fillGranite, nullptr},
    {"GraniteMoeForCausalLM", "granitemoe", fillGraniteMoE, nullptr},
    {"GraniteMoeSharedForCausalLM", "granitemoeshared", nullptr, kExperts},
    {"LlamaForCausalLM", "llama", fillLlama, nullptr},
    {"MistralForCausalLM", "mistral", fillMistral, nullptr},
    {"MixtralForCausalLM", "mixtral", fillMixtral, nullptr},
    {"OPTForCausalLM", "opt", fillOPT, nullptr},
    {"Olmo2ForCausalLM", "olmo2", fillOLMo2, nullptr},
    {"OlmoForCausalLM", "olmo", fillOLMo, nullptr},
    {"OlmoeForCausalLM", "olmoe", fillOLMoE, nullptr},
    {"Phi3ForCausalLM", "phi3", fillPhi3, nullptr},
    {"PhiForCausalLM", "phi", fillPhi, nullptr},
    {"PhimoeForCausalLM", "phimoe", nullptr, kExperts},
    {"Qwen2ForCausalLM", "qwen2", fillQwen2, nullptr},
    {"Qwen2MoeForCausalLM", "qwen2_moe", nullptr, kExperts},
    {"Qwen3ForCausalLM", "qwen3", fillQwen3, nullptr},
    {"Qwen3MoeForCausalLM", "qwen3_moe", fillQwen3MoE, nullptr},
    {"RWForCausalLM", "RefinedWeb", fillFalcon, nullptr},
    {"RWForCausalLM", "RefinedWebModel", fillFalcon, nullptr},
    {"RobertaForMaskedLM", "roberta", fillRoberta, nullptr},
    {"RobertaModel", "roberta", fillRoberta, nullptr},
    {"SmolLM3ForCausalLM", "smollm3", fillSmolLM3, nullptr},
    {"StableLmForCausalLM", "stablelm", fillStableLM, nullptr},
    {"Starcoder2ForCausalLM", "starcoder2", fillStarcoder2, nullptr},
    {"XLMRobertaForMaskedLM", "xlm-roberta", fillRoberta, nullptr},
    {"XLMRobertaModel", "xlm-roberta", fillRoberta, nullptr},
};

const Family *findFamily(const std::string &architecture, const std::string &modelType) {
  const Family *found = nullptr;
  for (const Family &family : kFamilies)
    if (architecture == family.architecture && (!found || modelType == family.modelType))
      found = &family;
  return found;
}

const Family *familyOfType(const std::string &modelType) {
  const Family *found = nullptr;
  for (const Family &family : kFamilies)
    if (modelType == family.modelType)
      found = &family;
  return found;
}

std::string familyNames() {
  std::string names;
  for (const Family &family : kFamilies)
    if (family.fill && names.find(family.architecture) == std::string::npos)
      names += (names.empty() ? "" : ", ") + std::string(family.architecture);
  return names;
}

} // namespace headrace
