#include "compiler/tools/headrace/Npy.h"

#include "compiler/support/OutputFolder.h"

namespace headrace {

Result<void> NpyRows::write(const std::string &path) const {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows()) + ", " +
                       std::to_string(columns) + "), }";
  constexpr size_t preamble = 10; // magic, version, length of the header
  header.append(63 - (preamble + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size() & 0xff);
  bytes += char(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float));
  return writeFileAtomically(path, bytes);
}

} // namespace headrace
