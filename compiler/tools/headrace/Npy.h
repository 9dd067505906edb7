// Npy.h - float32 matrices as NumPy's .npy files (version 1.0), written row by row.
#ifndef HEADRACE_TOOLS_NPY_H
#define HEADRACE_TOOLS_NPY_H

#include "compiler/support/Result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace headrace {

class NpyRows {
public:
  explicit NpyRows(size_t columns) : columns(columns) {}
  void add(const float *row) { values.insert(values.end(), row, row + columns); }
  size_t rows() const { return columns ? values.size() / columns : 0; }
  /// Writes the file whole or not at all.
  Result<void> write(const std::string &path) const;

private:
  size_t columns;
  std::vector<float> values;
};

} // namespace headrace
#endif
