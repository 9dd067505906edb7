// Tensors.h - the tensors of a checkpoint as a family asks for them: each with the shape that the configuration
// implies.
#ifndef HEADRACE_IMPORT_TENSORS_H
#define HEADRACE_IMPORT_TENSORS_H

#include "compiler/import/folder/Checkpoint.h"
#include "compiler/import/quantized/Quantized.h"
#include "compiler/import/spec/ModelSpec.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headrace {

/// Remembers which tensors were asked for and the first that is missing or does not fit, so that a family reads as a
/// list of its parts; finish() tells. Until then a missing tensor is zeros of the shape asked for.
class Tensors {
public:
  /// `implied` says in errors what implies the tensors.
  explicit Tensors(const Checkpoint &checkpoint, std::string implied = "config.json")
      : checkpoint(checkpoint), implied(std::move(implied)) {}

  /// How weights are stored that a quantizer has replaced by their codes.
  void setQuantized(const QuantizedWeights &weights) { quantized = weights; }
  const std::optional<QuantizedWeights> &getQuantized() const { return quantized; }
  /// Codes were found for a weight that was asked for.
  bool areQuantized() const { return anyCodes; }

  /// What names begin with: checkpoints of the bare model are without it, and names are then taken without it.
  void setBase(const std::string &base);

  bool has(const std::string &name) const { return checkpoint.find(resolved(name)) != nullptr; }
  TensorExpr get(const std::string &name, std::vector<int64_t> shape);
  /// A tensor was missing or did not fit: what follows need not be complete.
  bool failed() const { return failure.has_value(); }

  /// Tensors whose name ends so may be there, and are ignored with a warning.
  void ignoreEnding(const std::string &ending, const std::string &why) { endings[ending] = why; }
  void ignoreBeginning(const std::string &beginning, const std::string &why) { beginnings[resolved(beginning)] = why; }
  /// A tensor that may be there if it holds the bytes of `original`, as tie_word_embeddings is true.
  void ignoreCopy(const std::string &name, const std::string &original) { copies[name] = resolved(original); }

  /// The first thing that was wrong, or a tensor that nobody asked for; warnings about what was ignored.
  Result<void> finish(std::vector<std::string> &warnings);
  /// Values of the tensors that were asked for.
  uint64_t parameters() const { return values; }

private:
  std::string resolved(const std::string &name) const;
  Result<void> check(const CheckpointTensor *tensor, const std::string &name, const std::vector<int64_t> &shape) const;
  Result<std::string> whyIgnored(const CheckpointTensor &extra) const;

  TensorExpr getCodes(const std::string &name, std::vector<int64_t> shape);
  bool isZeroBias(const CheckpointTensor &extra) const;

  const Checkpoint &checkpoint;
  std::string implied;
  std::optional<QuantizedWeights> quantized;
  bool anyCodes = false;
  std::string dropped; // the base, when the checkpoint is without it
  std::map<std::string, std::string> endings, beginnings, copies;
  std::set<std::string> used;
  std::optional<Error> failure;
  uint64_t values = 0;
};

/// "NAME.weight" as the weight of a norm over `columns`.
NormSpec rmsNorm(Tensors &tensors, const std::string &name, int64_t columns, double eps);
/// The same with "NAME.bias" if `bias`.
NormSpec layerNorm(Tensors &tensors, const std::string &name, int64_t columns, double eps, bool bias = true);
/// A norm without weights: it multiplies with one.
NormSpec bareNorm(NormKind kind, const std::string &name, int64_t columns, double eps);
/// "NAME.weight" of [outputs, inputs], and "NAME.bias" if `bias`.
LinearSpec linear(Tensors &tensors, const std::string &name, int64_t outputs, int64_t inputs, bool bias);
/// The tensor NAME of [count, outputs, inputs], as its matrices one below the other.
LinearSpec stackedLinear(Tensors &tensors, const std::string &name, int64_t count, int64_t outputs, int64_t inputs);
/// "PREFIX.N.NAME.weight" of [outputs, inputs] for each N below `count`, one below the other.
LinearSpec stackedLinear(Tensors &tensors, const std::string &prefix, const std::string &name, int64_t count,
                         int64_t outputs, int64_t inputs);
/// Of each `period` outputs, `size` from `first` on: one of several layers that are stored as one.
LinearSpec outputsOf(const LinearSpec &all, int64_t period, int64_t first, int64_t size);
/// All outputs times a constant.
LinearSpec scaled(LinearSpec linear, double factor);

} // namespace headrace
#endif
