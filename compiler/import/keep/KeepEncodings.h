// KeepEncodings.h - `--quant keep`: encodings of weights that are quantized in the checkpoint already.
#ifndef HEADRACE_IMPORT_KEEPENCODINGS_H
#define HEADRACE_IMPORT_KEEPENCODINGS_H

#include "compiler/bundle/Manifest.h"
#include "compiler/import/folder/Checkpoint.h"
#include "compiler/import/spec/ModelSpec.h"

namespace headrace {

/// Which of embedding and head --quant keep decides about.
struct KeptTables {
  bool embedding = true, head = true;
};

/// Gives every matrix of `spec` an encoding: the smallest that holds the checkpoint's numbers exactly, if there is one,
/// else the smallest that holds its codes, with scales rounded to binary16, else the nearest (4 bits with a minimum for
/// types of up to 4 bits whose values are evenly spaced, else 8 bits; groups of 32), which rounds a second time. Query,
/// key and value get one encoding, gate and up too, since they become one matrix: one that holds the numbers of all,
/// floats where some of them are. Returns what became of the matrices, a row for each type, encoding and outcome. Tables that are not to be
/// kept are left alone; a tied one is kept where either is.
std::vector<ManifestStored> keepEncodings(ModelSpec &spec, const Checkpoint &checkpoint, KeptTables tables = {});

} // namespace headrace
#endif
