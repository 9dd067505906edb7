// ModelFolder.h - a Hugging Face folder: configuration and weights, checked against each other.
#ifndef HEADRACE_IMPORT_MODELFOLDER_H
#define HEADRACE_IMPORT_MODELFOLDER_H

#include "compiler/import/families/Tensors.h"
#include "compiler/import/folder/Checkpoint.h"
#include "compiler/import/spec/ModelSpec.h"

#include <string_view>

namespace headrace {

/// Fills `spec` from the text of config.json, that of generation_config.json (empty: there is none), and `tensors`;
/// Tensors::finish says afterwards whether these are all there and no others.
///
/// Every field of config.json is asked for by the family; or harmless to the result; or harmless at certain values
/// only, and otherwise an error that names it; or unknown: an error when its name suggests that it changes the
/// mathematics, else a warning.
Result<void> readModel(std::string_view configText, std::string_view generationText, Tensors &tensors, ModelSpec &spec);

/// Pooling and normalisation of an encoder, from the files of sentence-transformers: modules.json lists steps, and the
/// folder of its pooling step says which. Without them the mean, with a warning.
Result<void> readPooling(const std::string &folder, ModelSpec &spec);

struct ModelFolder {
  ModelSpec spec; // its warnings are those of all parts
  Checkpoint checkpoint;
};

/// Reads config.json, generation_config.json, the pooling files of an encoder, and the headers of the weights.
Result<ModelFolder> openModelFolder(const std::string &folder);

} // namespace headrace
#endif
