#include "compiler/tools/headrace/Host.h"

#include "compiler/tools/headrace/Bundle.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headrace {
namespace {

Result<void> openBundle(Host &host, const char *folder, hr_loaded &loaded) {
  auto manifest = readManifest(folder);
  if (!manifest)
    return manifest.error();
  auto description = libraryForHost(*manifest, folder);
  if (!description)
    return description.error();
  auto weights = MappedFile::open(std::string(folder) + "/weights.bin");
  if (!weights)
    return weights.error();
  auto library = loadWhole(*manifest, folder, description->shared);
  if (!library)
    return library.error();
  host.weights = weights.take();
  loaded = {library->api, library->library, host.weights.data(), host.weights.size()};
  return {};
}

int hostOpenBundle(void *context, const char *folder, hr_loaded *loaded, char *error, size_t errorBytes) {
  auto done = openBundle(*static_cast<Host *>(context), folder, *loaded);
  if (!done)
    std::snprintf(error, errorBytes, "%s", done.error().message().c_str());
  return !done;
}

int hostOpenPort(void *, hr_port *port, uint32_t threads) { return hr_port_posix(port, threads); }

void *hostMemory(void *, size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

int hostCreate(void *, const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return fd < 0 ? -errno : fd;
}

int hostWrite(void *, int fd, const void *data, size_t bytes, int64_t at) {
  const char *from = static_cast<const char *>(data);
  while (bytes) {
    ssize_t n = at < 0 ? write(fd, from, bytes) : pwrite(fd, from, bytes, at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO;
    from += n;
    bytes -= static_cast<size_t>(n);
    at = at < 0 ? at : at + n;
  }
  return 0;
}

/// A device or a pipe must not become a file.
bool isReplaceable(const char *path) {
  struct stat info;
  return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

int hostPublish(void *, int fd, const char *from, const char *to) {
  int error = close(fd) != 0 ? errno : 0;
  if (!error && to && !isReplaceable(to))
    error = EINVAL;
  if (!error && to && rename(from, to) != 0)
    error = errno;
  if (!to || error)
    unlink(from);
  return error;
}

int hostMap(void *context, const char *path, const void **data, size_t *bytes) {
  struct stat info;
  if (stat(path, &info) != 0)
    return errno;
  if (S_ISDIR(info.st_mode))
    return EISDIR;
  if (access(path, R_OK) != 0)
    return errno;
  auto file = MappedFile::open(path);
  if (!file)
    return EIO;
  Host &host = *static_cast<Host *>(context);
  host.mapped = file.take();
  *data = host.mapped.data();
  *bytes = host.mapped.size();
  return 0;
}

int hostIsTerminal(void *, int fd) { return isatty(fd); }

} // namespace

Host::Host() {
  table.context = this;
  table.open_bundle = hostOpenBundle;
  table.open_port = hostOpenPort;
  table.memory = hostMemory;
  table.create = hostCreate;
  table.write = hostWrite;
  table.publish = hostPublish;
  table.map = hostMap;
  table.is_terminal = hostIsTerminal;
  table.cores = [](void *) { return usableCores(); };
}

uint32_t usableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  int count = CPU_COUNT(&set);
  return count < 1 ? 1 : count > static_cast<int>(HR_MAX_THREADS) ? HR_MAX_THREADS : static_cast<uint32_t>(count);
}

} // namespace headrace
