// LlamaForCausalLM: Llama 1 to 3, and what calls itself so.
#include "compiler/import/families/Decoder.h"

namespace headrace {

Result<void> fillLlama(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  HR_TRY(decoder.readCommon());
  HR_TRY(decoder.readBiases());
  HR_TRY(decoder.readRope());
  decoder.fill([&](int64_t layer) { return decoder.block(layer); });
  return {};
}

} // namespace headrace
