// GgufModel.h - from the metadata and tensors of a GGUF file to a ModelSpec.
#ifndef HEADRACE_IMPORT_GGUF_GGUFMODEL_H
#define HEADRACE_IMPORT_GGUF_GGUFMODEL_H

#include "compiler/import/families/Tensors.h"
#include "compiler/import/gguf/Gguf.h"
#include "compiler/import/gguf/Keys.h"
#include "compiler/import/spec/ModelSpec.h"

#include <functional>

namespace headrace {

struct Architecture;

/// The model of a file. Every tensor and every key of its architecture is used, or an error, or told in `warnings`.
Result<ModelSpec> describeGguf(const GgufFile &file);

/// A model while it is filled. What tensors there are says much: biases, query and key norms, and post-norms are where
/// they are; query, key and value may be one matrix, gate and up too, those of experts as well.
class GgufModel {
public:
  GgufModel(const GgufFile &file, const Architecture &row);
  Result<ModelSpec> fill();

  Keys keys;
  Tensors tensors;
  ModelSpec spec;
  int64_t layers = 0, heads = 0, kvHeads = 0, headDim = 0;
  double eps = 0;
  double attentionScale = 0;
  double residualScale = 1; // of what attention and MLP add
  bool parallel = false;    // the mlp reads the block's input
  bool plainNorms = false;  // norms before attention, mlp and head have no weights
  ExpertsSpec experts;      // of all layers, if there are any
  int64_t expertFeedForward = 0;
  int64_t window = 0;
  double scoreSoftcap = 0;
  /// Whether a layer sees a window only; whether it rotates, and by which of spec.ropes.
  std::function<bool(int64_t)> isLocal = [](int64_t) { return false; };
  std::function<int(int64_t)> ropeOf = [](int64_t) { return 0; };

  const Architecture &architecture() const { return row; }
  std::string blockName(int64_t layer) const { return "blk." + std::to_string(layer) + "."; }
  int64_t queries() const { return heads * headDim; }
  int64_t keyColumns() const { return kvHeads * headDim; }
  NormSpec norm(const std::string &name, int64_t columns);
  NormSpec normIfThere(const std::string &name, int64_t columns);
  LinearSpec linear(const std::string &name, int64_t outputs, int64_t inputs);

private:
  NormSpec preNorm(const std::string &name);
  Result<void> readSizes();
  Result<void> readRope();
  Result<void> readRopeScaling(RopeSpec &rope);
  Result<void> readLongRope(RopeSpec &rope);
  Result<void> readIds();
  Result<void> readEncoder();
  void fillEmbedding();
  void fillHead();
  BlockSpec block(int64_t layer);
  AttentionSpec attention(int64_t layer);
  void fillProjections(const std::string &name, AttentionSpec &made);
  NormSpec headNorm(const std::string &name, int64_t columns);
  TensorExpr inHalves(const TensorExpr &rows) const;
  MlpSpec mlp(int64_t layer);
  MlpSpec mixture(const std::string &name);

  const GgufFile &file;
  const Architecture &row;
};

} // namespace headrace
#endif
