#include "compiler/import/spec/TensorExpr.h"

#include <cassert>

namespace headrace {

const char *blockTypeName(ElementType type) {
  const char *names[] = {"Q4_0", "Q4_1", "Q5_0", "Q5_1",   "Q8_0",   "Q2_K", "Q3_K",
                         "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4"};
  assert(isBlockType(type));
  return names[unsigned(type) - unsigned(ElementType::Q4_0)];
}

TensorExpr TensorExpr::make(Node node) {
  TensorExpr made;
  made.node = std::make_shared<const Node>(std::move(node));
  return made;
}

TensorExpr TensorExpr::stored(StoredTensor tensor, std::vector<int64_t> shape) {
  Node node;
  node.op = Op::Stored;
  node.shape = std::move(shape);
  node.stored = std::move(tensor);
  return make(std::move(node));
}

TensorExpr TensorExpr::grouped(GroupedTensor tensor, std::vector<int64_t> shape) {
  Node node;
  node.op = Op::Grouped;
  node.shape = std::move(shape);
  node.grouped = std::make_shared<const GroupedTensor>(std::move(tensor));
  return make(std::move(node));
}

TensorExpr TensorExpr::zeros(std::vector<int64_t> shape) {
  Node node;
  node.op = Op::Zeros;
  node.shape = std::move(shape);
  return make(std::move(node));
}

TensorExpr TensorExpr::literal(std::vector<float> values) {
  Node node;
  node.op = Op::Literal;
  node.shape = {int64_t(values.size())};
  node.values = std::move(values);
  return make(std::move(node));
}

TensorExpr TensorExpr::concat(std::vector<TensorExpr> parts) {
  assert(!parts.empty());
  Node node;
  node.op = Op::Concat;
  node.shape = parts.front().shape();
  node.shape[0] = 0;
  for (const TensorExpr &part : parts)
    node.shape[0] += part.rows();
  node.inputs = std::move(parts);
  return make(std::move(node));
}

TensorExpr TensorExpr::take(int64_t period, int64_t first, int64_t size) const {
  assert(period > 0 && rows() % period == 0 && first >= 0 && first + size <= period);
  if (TensorExpr part = op() == Op::Concat && period == rows() ? sliceOfPart(first, size) : TensorExpr())
    return part;
  Node made;
  made.op = Op::Take;
  made.shape = shape();
  made.shape[0] = rows() / period * size;
  made.inputs = {*this};
  made.many = period;
  made.first = first;
  made.size = size;
  return make(std::move(made));
}

/// Of a concatenation, rows that one part holds alone; else absent.
TensorExpr TensorExpr::sliceOfPart(int64_t first, int64_t size) const {
  for (const TensorExpr &part : inputs()) {
    if (first < part.rows())
      return first + size > part.rows()          ? TensorExpr()
             : first == 0 && size == part.rows() ? part
                                                 : part.slice(first, size);
    first -= part.rows();
  }
  return {};
}

TensorExpr TensorExpr::swapRows(int64_t blocks, int64_t size) const {
  assert(rows() % (blocks * size) == 0);
  Node made;
  made.op = Op::SwapRows;
  made.shape = shape();
  made.inputs = {*this};
  made.many = blocks;
  made.size = size;
  return make(std::move(made));
}

TensorExpr TensorExpr::transposed() const {
  assert(shape().size() == 2);
  Node made;
  made.op = Op::Transpose;
  made.shape = {shape()[1], shape()[0]};
  made.inputs = {*this};
  return make(std::move(made));
}

TensorExpr TensorExpr::reshaped(std::vector<int64_t> shape) const {
  if (op() == Op::Stored && shape.back() == this->shape().back())
    return stored(source(), std::move(shape));
  Node made;
  made.op = Op::Reshape;
  made.shape = std::move(shape);
  made.inputs = {*this};
  return make(std::move(made));
}

TensorExpr TensorExpr::repeated(int64_t times) const {
  Node made;
  made.op = Op::Repeat;
  made.shape = shape();
  made.shape[0] *= times;
  made.inputs = {*this};
  return make(std::move(made));
}

TensorExpr TensorExpr::scaled(float factor) const {
  Node made;
  made.op = Op::Scale;
  made.shape = shape();
  made.inputs = {*this};
  made.constant = factor;
  return make(std::move(made));
}

TensorExpr TensorExpr::plus(float constant) const {
  Node made;
  made.op = Op::AddConstant;
  made.shape = shape();
  made.inputs = {*this};
  made.constant = constant;
  return make(std::move(made));
}

TensorExpr TensorExpr::plus(const TensorExpr &other) const {
  Node made;
  made.op = Op::Add;
  made.shape = shape();
  made.inputs = {*this, other};
  return make(std::move(made));
}

TensorExpr TensorExpr::times(const TensorExpr &matrix) const {
  assert(shape().size() == 2 && matrix.shape().size() == 2 && shape()[1] == matrix.rows());
  Node made;
  made.op = Op::Matmul;
  made.shape = {rows(), matrix.shape()[1]};
  made.inputs = {*this, matrix};
  return make(std::move(made));
}

const StoredTensor *TensorExpr::firstSource() const {
  if (op() == Op::Stored)
    return &source();
  if (op() == Op::Grouped)
    return &groups().codes.tensor;
  for (const TensorExpr &input : inputs())
    if (const StoredTensor *found = input.firstSource())
      return found;
  return nullptr;
}

} // namespace headrace
