// KeepEncodings.h - `--quant keep`: encodings of weights that are quantized in the checkpoint already.
#ifndef HEADRACE_IMPORT_KEEPENCODINGS_H
#define HEADRACE_IMPORT_KEEPENCODINGS_H

#include "compiler/import/folder/Checkpoint.h"
#include "compiler/import/spec/ModelSpec.h"

namespace headrace {

/// Gives every matrix of `spec` an encoding: the smallest that holds the checkpoint's numbers exactly, if there is one,
/// else the nearest (4 bits with a minimum for types of up to 4 bits, else 8 bits; groups of 32), which rounds a second
/// time. Query, key and value get one encoding, gate and up too, since they become one matrix. What is kept and what is
/// rounded again is told in spec.warnings, a line for each type and encoding; the lines of the latter are returned.
std::vector<std::string> keepEncodings(ModelSpec &spec, const Checkpoint &checkpoint);

} // namespace headrace
#endif
