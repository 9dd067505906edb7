// Architecture.h - the table of architectures by the names that GGUF files give them.
#ifndef HEADRACE_IMPORT_GGUF_ARCHITECTURE_H
#define HEADRACE_IMPORT_GGUF_ARCHITECTURE_H

#include "compiler/import/gguf/GgufModel.h"

namespace headrace {

/// How rotary pairs lie in the rows of query and key.
enum class RotaryPairs {
  None,   // no rotation
  Beside, // elements 2i and 2i + 1: they are moved into halves
  Halves, // elements i and i + rotary / 2
};

struct Architecture {
  const char *name; // general.architecture
  RotaryPairs pairs;
  NormKind norm;
  HiddenActivation activation;
  BlockSpec::Order order;
  /// What departs from the common ways, asked before the blocks are filled and after; nullptr: nothing.
  Result<void> (*before)(GgufModel &model);
  Result<void> (*after)(GgufModel &model);
};

/// The row of an architecture, nullptr when there is none.
const Architecture *findArchitecture(const std::string &name);
/// All names, for errors.
std::string architectureNames();

} // namespace headrace
#endif
