#include "compiler/support/OutputFolder.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/MappedFile.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace headrace {

namespace fs = std::filesystem;

// ---- removal on a signal: only async-signal-safe calls, no allocation
// ----------------------------------------------------

namespace {
constexpr int kSlots = 8;
constexpr int kDeepest = 8;          // a bundle has three levels
std::atomic<char *> pending[kSlots]; // absolute paths of temporary folders
const int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// What getdents64 returns (see its manual page).
struct LinuxEntry {
  uint64_t inode;
  int64_t offset;
  unsigned short bytes;
  unsigned char type;
  char name[1];
};
} // namespace

static bool removeTree(int parent, const char *name, int depth);

/// Removes what one reading of the folder lists; false when there was nothing that could be removed.
static bool removeSomeEntries(int folder, int depth) {
  bool removed = false;
  alignas(8) char buffer[2048];
  ::lseek(folder, 0, SEEK_SET); // an earlier pass removed entries under the cursor
  for (long got; (got = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < got;) {
      auto *entry = reinterpret_cast<LinuxEntry *>(buffer + at);
      at += entry->bytes;
      if (std::strcmp(entry->name, ".") != 0 && std::strcmp(entry->name, "..") != 0)
        removed |= ::unlinkat(folder, entry->name, 0) == 0 || removeTree(folder, entry->name, depth + 1);
    }
  }
  return removed;
}

static bool removeTree(int parent, const char *name, int depth) {
  int folder = depth < kDeepest ? ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (folder < 0)
    return false;
  while (removeSomeEntries(folder, depth)) {
  }
  ::close(folder);
  return ::unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

static void onSignal(int number) {
  for (std::atomic<char *> &path : pending)
    if (const char *name = path.load())
      removeTree(AT_FDCWD, name, 0);
  ::signal(number, SIG_DFL);
  ::raise(number);
}

/// A signal that is ignored (nohup), or that the program around us handles, is left alone.
static void installHandlers() {
  for (int number : kSignals) {
    struct sigaction old;
    if (::sigaction(number, nullptr, &old) != 0 || old.sa_handler != SIG_DFL)
      continue;
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESETHAND;
    ::sigaction(number, &action, nullptr);
  }
}

static int claimSlot(const std::string &path) {
  char *copy = ::strdup(path.c_str());
  for (int i = 0; copy && i < kSlots; ++i) {
    char *none = nullptr;
    if (pending[i].compare_exchange_strong(none, copy))
      return i;
  }
  std::free(copy);
  return -1;
}

// ---- the folder
// ----------------------------------------------------------------------------------------------------------

/// "/a/out.bundle" -> "/a/.out.bundle.partial-": temporary siblings begin so.
static std::string temporaryPrefix(const fs::path &target) {
  return (target.parent_path() / ("." + target.filename().string() + ".partial-")).string();
}

/// Removes temporary folders of processes that are no more: their lock is free.
static void removeLeftovers(const fs::path &target) {
  std::string prefix = fs::path(temporaryPrefix(target)).filename().string();
  std::error_code ignored;
  for (fs::directory_iterator it(target.parent_path(), ignored), end; it != end; it.increment(ignored)) {
    if (ignored)
      return;
    if (it->path().filename().string().compare(0, prefix.size(), prefix) != 0)
      continue;
    int folder = ::open(it->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
      continue;
    if (::flock(folder, LOCK_EX | LOCK_NB) == 0)
      removeTree(AT_FDCWD, it->path().c_str(), 0);
    ::close(folder);
  }
}

static Result<void> checkReplaceable(const fs::path &target, const std::string &marker) {
  std::error_code failed;
  fs::file_status status = fs::symlink_status(target, failed);
  if (!fs::exists(status))
    return {};
  if (!fs::is_directory(status))
    return expectedFound(target.string(), "a new name or an earlier output folder", "something that is not a folder");
  if (fs::is_empty(target, failed) || pathExists((target / marker).string()))
    return {};
  return expectedFound(target.string(), "a new name or an earlier output folder", "a folder without " + marker);
}

Result<OutputFolder> OutputFolder::create(const std::string &path, const std::string &marker) {
  std::error_code failed;
  fs::path target = fs::absolute(path, failed).lexically_normal();
  if (!failed && !target.has_filename())
    target = target.parent_path(); // "out/" means "out"
  if (failed || path.empty() || !target.has_filename())
    return Error(inQuotes(path) + ": cannot be an output folder");
  if (!fs::is_directory(target.parent_path(), failed))
    return Error(target.parent_path().string() + ": cannot be written: no such folder");
  HR_TRY(checkReplaceable(target, marker));
  removeLeftovers(target);

  OutputFolder made;
  made.target = target.string();
  std::string pattern = temporaryPrefix(target) + "XXXXXX";
  installHandlers();
  if (!::mkdtemp(&pattern[0]))
    return Error(target.parent_path().string() + ": cannot be written: " + systemErrorText(errno));
  made.temporary = pattern;
  made.slot = claimSlot(pattern);
  made.lock = ::open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (made.slot < 0 || made.lock < 0 || ::flock(made.lock, LOCK_EX | LOCK_NB) != 0 ||
      ::chmod(pattern.c_str(), 0755) != 0)
    return Error(pattern + ": cannot be written: " + systemErrorText(errno));
  return made;
}

OutputFolder::OutputFolder(OutputFolder &&other) noexcept
    : target(std::move(other.target)), temporary(std::move(other.temporary)), lock(std::exchange(other.lock, -1)),
      slot(std::exchange(other.slot, -1)) {
  other.temporary.clear();
}

OutputFolder::~OutputFolder() {
  if (!temporary.empty())
    removeTree(AT_FDCWD, temporary.c_str(), 0);
  if (slot >= 0)
    std::free(pending[slot].exchange(nullptr));
  if (lock >= 0)
    ::close(lock);
}

Result<std::string> OutputFolder::prepare(const std::string &name) {
  fs::path file = fs::path(temporary) / name;
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed)
    return Error(file.parent_path().string() + ": cannot be written: " + systemErrorText(failed.value()));
  return file.string();
}

static Result<void> writeWhole(const std::string &path, std::string_view bytes, mode_t mode) {
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0)
    return Error(path + ": cannot be written: " + systemErrorText(errno));
  while (!bytes.empty()) {
    ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0) {
      int reason = errno;
      ::close(file);
      return Error(path + ": cannot be written: " + systemErrorText(reason));
    }
    bytes.remove_prefix(size_t(put));
  }
  if (::close(file) != 0)
    return Error(path + ": cannot be written: " + systemErrorText(errno));
  return {};
}

Result<void> OutputFolder::write(const std::string &name, std::string_view bytes, bool executable) {
  Result<std::string> path = prepare(name);
  if (!path)
    return path.error();
  return writeWhole(*path, bytes, executable ? 0755 : 0644);
}

Result<void> OutputFolder::commit() {
  // Exchange first: at no moment is there neither the old nor the new folder. Not every file system knows it.
  bool exists = pathExists(target);
  if (exists &&
      ::syscall(SYS_renameat2, AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), 2 /* RENAME_EXCHANGE */) == 0) {
    removeTree(AT_FDCWD, temporary.c_str(), 0);
  } else {
    if (exists)
      removeTree(AT_FDCWD, target.c_str(), 0);
    if (::rename(temporary.c_str(), target.c_str()) != 0)
      return Error(target + ": cannot be written: " + systemErrorText(errno));
  }
  temporary.clear();
  std::free(pending[slot].exchange(nullptr));
  slot = -1;
  return {};
}

Result<void> writeFileAtomically(const std::string &path, std::string_view bytes) {
  std::string temporary = path + ".partial-" + std::to_string(::getpid());
  Result<void> written = writeWhole(temporary, bytes, 0644);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0)
    written = Error(path + ": cannot be written: " + systemErrorText(errno));
  if (!written)
    ::unlink(temporary.c_str());
  return written;
}

} // namespace headrace
