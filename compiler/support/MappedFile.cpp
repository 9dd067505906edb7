#include "compiler/support/MappedFile.h"
#include "compiler/support/ErrorText.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace headrace {

namespace {
struct OpenFile {
  int descriptor = -1;
  size_t bytes = 0;
  OpenFile(int descriptor, size_t bytes) : descriptor(descriptor), bytes(bytes) {}
  OpenFile(OpenFile &&other) noexcept : descriptor(std::exchange(other.descriptor, -1)), bytes(other.bytes) {}
  ~OpenFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
};
} // namespace

static Result<OpenFile> openRegular(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer must not block
  if (descriptor < 0)
    return Error(path + ": cannot be opened: " + systemErrorText(errno));
  OpenFile file(descriptor, 0);
  struct stat status;
  if (::fstat(descriptor, &status) != 0)
    return Error(path + ": cannot be read: " + systemErrorText(errno));
  if (!S_ISREG(status.st_mode))
    return expectedFound(path, "a file", S_ISDIR(status.st_mode) ? "a folder" : "something else");
  file.bytes = size_t(status.st_size);
  return file;
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  Result<OpenFile> file = openRegular(path);
  if (!file)
    return file.error();
  MappedFile mapped;
  if (file->bytes == 0)
    return mapped; // mmap refuses an empty range
  void *address = ::mmap(nullptr, file->bytes, PROT_READ, MAP_SHARED, file->descriptor, 0);
  if (address == MAP_FAILED)
    return Error(path + ": cannot be mapped: " + systemErrorText(errno));
  mapped.address = static_cast<const uint8_t *>(address);
  mapped.length = file->bytes;
  return mapped;
}

MappedFile::~MappedFile() {
  if (address)
    ::munmap(const_cast<uint8_t *>(address), length);
}

void MappedFile::swap(MappedFile &other) noexcept {
  std::swap(address, other.address);
  std::swap(length, other.length);
}

void MappedFile::release(size_t offset, size_t bytes) const {
  size_t page = size_t(::sysconf(_SC_PAGESIZE));
  size_t begin = (offset + page - 1) / page * page;
  size_t end = (offset + bytes) / page * page;
  if (begin < end && end <= length)
    ::madvise(const_cast<uint8_t *>(address) + begin, end - begin, MADV_DONTNEED);
}

Result<std::string> readFile(const std::string &path, size_t limit) {
  Result<OpenFile> file = openRegular(path);
  if (!file)
    return file.error();
  if (file->bytes > limit)
    return expectedFound(path, "at most " + bytesText(limit), bytesText(file->bytes));
  std::string text(file->bytes, '\0');
  size_t filled = 0;
  while (filled < text.size()) {
    ssize_t got = ::read(file->descriptor, &text[filled], text.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return Error(path + ": cannot be read: " + systemErrorText(errno));
    if (got == 0)
      return expectedFound(path, bytesText(text.size()), bytesText(filled));
    filled += size_t(got);
  }
  return text;
}

bool pathExists(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0;
}

} // namespace headrace
