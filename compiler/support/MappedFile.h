// MappedFile.h - a file mapped read-only, and small files read whole.
#ifndef HEADRACE_SUPPORT_MAPPEDFILE_H
#define HEADRACE_SUPPORT_MAPPEDFILE_H

#include "compiler/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace {

/// Bytes of a file, mapped for reading while this object lives; movable. The file must not be cut short meanwhile.
class MappedFile {
public:
  static Result<MappedFile> open(const std::string &path);
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept { swap(other); }
  MappedFile &operator=(MappedFile &&other) noexcept {
    swap(other);
    return *this;
  }
  ~MappedFile();

  const uint8_t *data() const { return address; }
  size_t size() const { return length; }
  std::string_view text() const { return {reinterpret_cast<const char *>(address), length}; }
  /// Tells the kernel that [offset, offset + bytes) will not be read soon, so that mapped pages do not pile up in
  /// memory.
  void release(size_t offset, size_t bytes) const;

private:
  void swap(MappedFile &other) noexcept;
  const uint8_t *address = nullptr;
  size_t length = 0;
};

/// The whole of a regular file of at most `limit` bytes.
Result<std::string> readFile(const std::string &path, size_t limit = size_t(1) << 30);

/// Whether something exists at `path`.
bool pathExists(const std::string &path);

} // namespace headrace
#endif
