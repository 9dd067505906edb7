// Quantized.h - checkpoints that a published quantizer has written: where the codes, scales and zero points of a weight
// lie.
//
//   gptq                X.qweight [k / per][n], X.qzeros [groups][n / per], X.scales [groups][n], X.g_idx [k]
//   awq (gemm)          X.qweight [k][n / 8], X.qzeros [groups][n / 8], X.scales [groups][n]
//   compressed-tensors  X.weight_packed [n][k / per], X.weight_scale [n][groups], X.weight_zero_point, X.weight_g_idx,
//   X.weight_shape;
//                       int-quantized: X.weight in I8 [n][k], X.weight_scale [n][groups]
#ifndef HEADRACE_IMPORT_QUANTIZED_H
#define HEADRACE_IMPORT_QUANTIZED_H

#include "compiler/import/folder/Checkpoint.h"
#include "compiler/import/spec/TensorExpr.h"

#include <nlohmann/json.hpp>

namespace headrace {

/// What "quantization_config" (or quantize_config.json) says.
class QuantizedWeights {
public:
  /// `where` is what errors call the object: "config.json: quantization_config".
  static Result<QuantizedWeights> read(const nlohmann::json &config, const std::string &where,
                                       std::vector<std::string> &warnings);

  /// Whether the weight X.weight is stored by its codes, and the tensor that is there exactly when it is.
  bool has(const Checkpoint &checkpoint, const std::string &name) const;
  std::string codesOf(const std::string &name) const;
  /// What said so, as read() was told.
  const std::string &where() const { return source; }
  /// The weight X.weight of [outputs, inputs]; `used` gets the names of its tensors. has() is true.
  Result<TensorExpr> get(const Checkpoint &checkpoint, const std::string &name, const std::vector<int64_t> &shape,
                         std::vector<std::string> &used) const;

private:
  enum class Method { GPTQ, AWQ, Packed, Bytes };
  Result<void> readGptq(const nlohmann::json &config, const std::string &where);
  Result<void> readAwq(const nlohmann::json &config, const std::string &where);
  Result<void> readCompressed(const nlohmann::json &config, const std::string &where,
                              std::vector<std::string> &warnings);
  Result<void> readScheme(const nlohmann::json &scheme, const std::string &where, std::vector<std::string> &warnings);
  Result<void> readBitsAndGroup(const nlohmann::json &config, const std::string &where, const char *bitsField);
  int64_t groupFor(int64_t inputs) const { return groupSize < 1 ? inputs : groupSize; }

  std::string source;
  Method method = Method::GPTQ;
  unsigned bits = 4;
  int64_t groupSize = 0; // below 1: all inputs of an output
  int zeroShift = 0;
  bool quantizesInputs = false; // whose scales, if they are fixed, do not count here
};

} // namespace headrace
#endif
