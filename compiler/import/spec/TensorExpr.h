// TensorExpr.h - how a weight of the model comes from tensors of a checkpoint, whatever the checkpoint's format.
//
// A TensorExpr is a small immutable tree of f32 values: stored tensors (widened exactly), and the steps of the recipe
// dialect, one to one. Nothing here reads data. A default-constructed one is "absent".
#ifndef HEADRACE_IMPORT_TENSOREXPR_H
#define HEADRACE_IMPORT_TENSOREXPR_H

#include "compiler/bundle/Grouped.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headrace {

/// Element types of a checkpoint tensor that Headrace computes with; the formats know more, and tell their names.
/// From Q4_0 on they are GGUF's, whose elements come in blocks.
enum class ElementType {
  F32,
  F16,
  BF16,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
  IQ4_NL,
  IQ4_XS,
  MXFP4,
  I8, // codes of a GroupedTensor, not values
  I32,
  Other
};

/// Types of GGUF files whose elements come in blocks.
inline bool isBlockType(ElementType type) { return type >= ElementType::Q4_0 && type <= ElementType::MXFP4; }
/// "Q4_0" ... of a block type.
const char *blockTypeName(ElementType type);

/// A tensor as it lies in a file.
struct StoredTensor {
  std::string name;
  std::string file; // relative to ModelSpec::folder
  uint64_t offset = 0, bytes = 0;
  ElementType type = ElementType::F32;
};

/// A matrix of codes with a scale, and perhaps a zero point, for each group of inputs: several tensors of a file.
struct GroupedTensor {
  struct Part {
    StoredTensor tensor; // without a name: there is none
    std::vector<int64_t> shape;
  };
  GroupLayout layout = GroupLayout::InputsPacked;
  unsigned bits = 4;
  int64_t group = 0;
  int zeroShift = 0;
  Part codes, scales, zeros, order;
};

class TensorExpr {
public:
  enum class Op {
    Stored,
    Grouped,     // the values of a GroupedTensor
    Take,        // of each `period` rows, `size` rows from `first` on
    SwapRows,    // rows seen as [outer][blocks][size] become [outer][size][blocks]
    Transpose,   // two dimensions
    Reshape,     // the same elements in the same order
    Concat,      // along the first dimension
    Repeat,      // all rows, `times` times
    Scale,       // times a constant
    AddConstant, // plus a constant
    Add,         // of two of one shape; the second may have one row, which is added to each
    Zeros,
    Literal, // a vector of a few numbers
    Matmul,  // of two matrices
  };

  TensorExpr() = default;
  static TensorExpr stored(StoredTensor tensor, std::vector<int64_t> shape);
  static TensorExpr grouped(GroupedTensor tensor, std::vector<int64_t> shape);
  static TensorExpr zeros(std::vector<int64_t> shape);
  static TensorExpr literal(std::vector<float> values);
  static TensorExpr concat(std::vector<TensorExpr> parts);

  /// Rows are what the first dimension counts; of a vector, its elements.
  /// A slice of a concatenation within one part is one of the part.
  TensorExpr slice(int64_t first, int64_t size) const { return take(rows(), first, size); }
  TensorExpr take(int64_t period, int64_t first, int64_t size) const;
  TensorExpr swapRows(int64_t blocks, int64_t size) const;
  TensorExpr transposed() const;
  /// Of a stored tensor whose last dimension stays, the same bytes as a tensor of the other shape.
  TensorExpr reshaped(std::vector<int64_t> shape) const;
  TensorExpr repeated(int64_t times) const;
  TensorExpr scaled(float factor) const;
  TensorExpr plus(float constant) const;
  TensorExpr plus(const TensorExpr &other) const;
  TensorExpr times(const TensorExpr &matrix) const;

  explicit operator bool() const { return node != nullptr; }
  Op op() const { return node->op; }
  const std::vector<int64_t> &shape() const { return node->shape; }
  int64_t rows() const { return node->shape[0]; }
  const StoredTensor &source() const { return node->stored; }
  const GroupedTensor &groups() const { return *node->grouped; }
  const std::vector<TensorExpr> &inputs() const { return node->inputs; }
  int64_t period() const { return node->many; }                     // Take
  int64_t blocks() const { return node->many; }                     // SwapRows
  int64_t first() const { return node->first; }                     // Take
  int64_t size() const { return node->size; }                       // Take, SwapRows
  float constant() const { return node->constant; }                 // Scale, AddConstant
  const std::vector<float> &values() const { return node->values; } // Literal
  /// The first stored tensor below (of a grouped one, its codes); nullptr when there is none.
  const StoredTensor *firstSource() const;

private:
  struct Node {
    Op op = Op::Zeros;
    std::vector<int64_t> shape;
    std::vector<TensorExpr> inputs;
    StoredTensor stored;
    int64_t many = 0, first = 0, size = 0;
    std::shared_ptr<const GroupedTensor> grouped;
    std::vector<float> values;
    float constant = 0;
  };
  static TensorExpr make(Node node);
  TensorExpr sliceOfPart(int64_t first, int64_t size) const;
  std::shared_ptr<const Node> node;
};

} // namespace headrace
#endif
