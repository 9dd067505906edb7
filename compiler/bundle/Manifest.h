// Manifest.h - what manifest.json says of a bundle, field by field (no MLIR, no LLVM). README.md documents the JSON.
#ifndef HEADRACE_BUNDLE_MANIFEST_H
#define HEADRACE_BUNDLE_MANIFEST_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace headrace {

/// What kind of model it is, for people and for `diff`.
struct ManifestModel {
  std::string architecture;     ///< "LlamaForCausalLM"
  std::string kind = "decoder"; ///< or "encoder"
  std::string pooling = "none"; ///< of an encoder: "none", "mean", "cls"
  bool normalize = false;       ///< of an encoder: the pooled vector has length 1
  uint64_t parameters = 0, layers = 0, hidden = 0, heads = 0, kvHeads = 0, headDim = 0, feedForward = 0, vocab = 0;
  uint64_t experts = 0, expertsPerToken = 0; ///< of each mixture; 0: there are none
  uint64_t mixtures = 0;                     ///< layers that are mixtures of experts
  uint64_t expertFeedForward = 0;
  uint64_t context = 0;      ///< positions of the KV cache
  uint64_t maxPositions = 0; ///< of the model
  int64_t bos = -1;
  std::vector<int64_t> eos;
  bool tokenizer = false;
  bool chatTemplate = false;
  std::vector<std::string> files; ///< checkpoint files, without folders
};

/// The options of the compile, in the spelling of the command line: enough to do it again.
struct ManifestSettings {
  std::string target; ///< "host" is written as what it was resolved to
  std::string place;  ///< "" when not given
  std::string quant, embed, head;
  uint64_t group = 0, context = 0;
  std::string act;  ///< "a8" or "f32"
  std::string kv;   ///< "f16,f16": K and V
  std::string taps; ///< "" when not given
};

/// The files of one triple, relative to the bundle.
struct ManifestLibrary {
  std::string triple, target, archive, shared, run, port;
  std::vector<std::string> cpuFeatures; ///< as hr_feature_name calls them
};

struct ManifestEntry {
  std::string name, kind; ///< kind: "body", "head"
  uint64_t rows = 0, launches = 0, barriers = 0, copies = 0;
};

/// A range of weights.bin.
struct ManifestSection {
  std::string name, kind, memory; ///< kind: "weights", "tokenizer", "template"; memory: "file map", ...
  uint64_t device = 0, offset = 0, bytes = 0;
};

/// A range of the arena that holds one value during a step.
struct ManifestBuffer {
  std::string entry, value; ///< "body_8", "layers.0.attn.qkv"
  uint64_t device = 0, offset = 0, bytes = 0;
};

/// One checkpoint tensor (or a computed table, with an empty file) that a weight is made of.
struct ManifestSource {
  std::string tensor, file, dtype;
  uint64_t offset = 0, bytes = 0; ///< inside the file
};

/// One tensor in its final layout: where it lies, what it was made of and who reads it.
struct ManifestWeight {
  std::string name, encoding, layout; ///< "layers.0.attn.qkv", "w4 g64", "t32"
  std::vector<uint64_t> shape;
  uint64_t section = 0, device = 0;
  uint64_t offset = 0, bytes = 0; ///< offset inside the section
  std::vector<ManifestSource> sources;
  std::string recipe; ///< "concat, encode": the steps between sources and bytes
  std::vector<std::string> kernels;
};

/// What became of the checkpoint's matrices of one type, where `--quant keep` chose their encoding.
struct ManifestStored {
  std::string type, encoding; ///< "Q4_0", "w4 g32"
  std::string outcome;        ///< "kept", "kept, widened", "kept, scales rounded to f16", "requantized"
  std::string first;          ///< the name of one
  uint64_t tensors = 0, values = 0, bytes = 0; ///< bytes in the checkpoint

  bool isExact() const { return outcome == "kept" || outcome == "kept, widened"; }
  /// "Q4_0 in w4 g32: kept"
  std::string text() const { return type + " in " + encoding + ": " + outcome; }
};

struct ManifestKernel {
  std::string name, family;
  uint64_t device = 0;
  uint64_t launches = 0; ///< in the decode entries body_1 and head_1
};

struct ManifestCost {
  uint64_t weightBytesPerToken = 0; ///< read by one decode step
  uint64_t kvBytesPerPosition = 0;
  double tokensPerSecond = 0; ///< predicted for the target's memory; 0: unknown
};

struct ManifestChecksum {
  std::string file;
  uint64_t bytes = 0;
  std::string xxh64; ///< 16 hexadecimal digits
};

struct Manifest {
  static constexpr int formatVersion = 1;
  std::string name;     ///< a C identifier, also of the libraries and the header
  std::string compiler; ///< "headrace 0.1.0"
  ManifestModel model;
  ManifestSettings settings;
  std::vector<ManifestLibrary> libraries;
  std::vector<std::string> devices; ///< index: the device numbers used below
  std::vector<ManifestEntry> entries;
  uint64_t arenaBytes = 0, sessionBytes = 0, weightsBytes = 0;
  std::vector<ManifestSection> sections;
  std::vector<ManifestBuffer> buffers;
  std::vector<ManifestWeight> weights;
  std::vector<ManifestStored> stored; ///< empty unless `--quant keep`
  std::vector<ManifestKernel> kernels;
  std::vector<std::pair<std::string, uint64_t>> fusions; ///< what was fused, how often: {"q, k, v into one", 6}
  ManifestCost cost;
  std::vector<ManifestChecksum> checksums; ///< every file but the manifest itself

  /// The text of manifest.json: fixed order of fields, so that equal bundles have equal bytes.
  std::string toText() const;
  /// `where` names the file in errors. Unknown fields are ignored, missing or ill-typed ones are errors.
  static Result<Manifest> parse(std::string_view text, const std::string &where);
};

} // namespace headrace
#endif
