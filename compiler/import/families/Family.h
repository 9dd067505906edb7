// Family.h - the table of model families: by the architecture that config.json names, what fills a ModelSpec.
#ifndef HEADRACE_IMPORT_FAMILY_H
#define HEADRACE_IMPORT_FAMILY_H

#include "compiler/import/config/Config.h"
#include "compiler/import/families/Tensors.h"

namespace headrace {

/// What a family is filled from. Special ids and whatever is common to all families are read elsewhere.
struct FamilyInput {
  const FieldReader &config;
  Tensors &tensors;
};

/// Asks for each field of config.json that matters, and for each tensor in the order of the forward pass.
using FillFamily = Result<void> (*)(const FamilyInput &input, ModelSpec &spec);

struct Family {
  const char *architecture; // "LlamaForCausalLM"
  const char *modelType;    // "llama"
  FillFamily fill;          // nullptr: refused
  const char *reason;       // why it is refused, after "expected "
};

/// The row of an architecture, nullptr when there is none; of several the one of the model type, if there is one.
const Family *findFamily(const std::string &architecture, const std::string &modelType = {});
/// The row of a model type: of encoders, whose rows compute the same, the bare model's, which is the last.
const Family *familyOfType(const std::string &modelType);
/// The architectures that can be compiled, for errors.
std::string familyNames();

// One function a family, each in a file of its name or of its nearest relative's.
Result<void> fillBert(const FamilyInput &input, ModelSpec &spec);
Result<void> fillCohere(const FamilyInput &input, ModelSpec &spec);
Result<void> fillCohere2(const FamilyInput &input, ModelSpec &spec);
Result<void> fillDistilBert(const FamilyInput &input, ModelSpec &spec);
Result<void> fillFalcon(const FamilyInput &input, ModelSpec &spec);
Result<void> fillGPT2(const FamilyInput &input, ModelSpec &spec);
Result<void> fillGPTNeoX(const FamilyInput &input, ModelSpec &spec);
Result<void> fillGemma(const FamilyInput &input, ModelSpec &spec);
Result<void> fillGemma2(const FamilyInput &input, ModelSpec &spec);
Result<void> fillGemma3(const FamilyInput &input, ModelSpec &spec);
Result<void> fillGranite(const FamilyInput &input, ModelSpec &spec);
Result<void> fillGraniteMoE(const FamilyInput &input, ModelSpec &spec);
Result<void> fillLlama(const FamilyInput &input, ModelSpec &spec);
Result<void> fillMistral(const FamilyInput &input, ModelSpec &spec);
Result<void> fillMixtral(const FamilyInput &input, ModelSpec &spec);
Result<void> fillOLMo(const FamilyInput &input, ModelSpec &spec);
Result<void> fillOLMo2(const FamilyInput &input, ModelSpec &spec);
Result<void> fillOLMoE(const FamilyInput &input, ModelSpec &spec);
Result<void> fillOPT(const FamilyInput &input, ModelSpec &spec);
Result<void> fillPhi(const FamilyInput &input, ModelSpec &spec);
Result<void> fillPhi3(const FamilyInput &input, ModelSpec &spec);
Result<void> fillQwen2(const FamilyInput &input, ModelSpec &spec);
Result<void> fillQwen3(const FamilyInput &input, ModelSpec &spec);
Result<void> fillQwen3MoE(const FamilyInput &input, ModelSpec &spec);
Result<void> fillRoberta(const FamilyInput &input, ModelSpec &spec);
Result<void> fillSmolLM3(const FamilyInput &input, ModelSpec &spec);
Result<void> fillStableLM(const FamilyInput &input, ModelSpec &spec);
Result<void> fillStarcoder2(const FamilyInput &input, ModelSpec &spec);

} // namespace headrace
#endif
