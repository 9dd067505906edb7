// ModelSource.h - what a compile reads: a Hugging Face folder or a GGUF file.
#ifndef HEADRACE_DRIVER_MODELSOURCE_H
#define HEADRACE_DRIVER_MODELSOURCE_H
#include "compiler/driver/Compile.h"
#include "compiler/import/spec/ModelSpec.h"

namespace headrace {

struct ModelSource {
  ModelSpec spec;
  std::string tokenizer;              ///< bytes of the tokenizer section; empty: none
  std::string chatTemplate;           ///< bytes of the template section; empty: none
  std::string quant;                  ///< of the request, or what the model's own storage suggests: "keep" or "w4"
  int64_t group = 0;                  ///< of the request, or what goes with `quant`
  std::vector<ManifestStored> stored; ///< under "keep"
  std::vector<std::string> notes;     ///< one line each
};

/// Reads the model that the request names: headers, configuration and tokenizer. Under `--quant keep` the spec says how
/// each weight is stored.
Result<ModelSource> readModelSource(const CompileRequest &request);

} // namespace headrace
#endif
