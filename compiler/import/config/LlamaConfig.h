// LlamaConfig.h - what config.json of a LlamaForCausalLM says, with nothing overlooked.
//
// Every field of config.json is in one of four classes (the tables are in FieldTables.cpp): used here; harmless to the
// result; harmless only at certain values, and otherwise an error that names it; unknown. An unknown field is an error
// when its name suggests that it changes the mathematics, else a warning.
#ifndef HEADRACE_IMPORT_LLAMACONFIG_H
#define HEADRACE_IMPORT_LLAMACONFIG_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

enum class HiddenActivation { Silu, Gelu, GeluTanh, Relu };

/// "silu", "gelu", "gelu_tanh", "relu": the names of runtime/abi/README.md.
const char *activationName(HiddenActivation activation);

enum class RopeKind { Default, Linear, Llama3 };

/// "default", "linear", "llama3"
const char *ropeKindName(RopeKind kind);

/// Rotary positions; the numbers are those of the file, in double.
struct RopeConfig {
  RopeKind kind = RopeKind::Default;
  double theta = 10000.0;
  int64_t rotaryDim = 0;         // elements of a head that turn: even, <= headDim
  double factor = 1.0;           // Linear, Llama3
  double lowFreqFactor = 1.0;    // Llama3
  double highFreqFactor = 1.0;   // Llama3
  int64_t originalPositions = 0; // Llama3
};

struct LlamaConfig {
  int64_t vocabSize = 0, hiddenSize = 0, intermediateSize = 0, layers = 0, heads = 0, kvHeads = 0, headDim = 0;
  int64_t maxPositions = 0;
  double rmsNormEps = 0;
  HiddenActivation activation = HiddenActivation::Silu;
  bool tieWordEmbeddings = false, attentionBias = false, mlpBias = false;
  RopeConfig rope;
  int32_t bosId = -1; // -1: none
  std::vector<int32_t>
      eosIds; // from generation_config.json if it names any, else from config.json; ascending, may be empty
  std::vector<std::string> warnings; // one line each, in the order of the file's fields by name
};

/// Reads config.json from its text and generation_config.json from its text (empty: there is none).
Result<LlamaConfig> parseLlamaConfig(std::string_view configText, std::string_view generationText = {});

} // namespace headrace
#endif
