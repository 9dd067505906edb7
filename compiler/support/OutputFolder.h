// OutputFolder.h - a folder that appears whole or not at all.
#ifndef HEADRACE_SUPPORT_OUTPUTFOLDER_H
#define HEADRACE_SUPPORT_OUTPUTFOLDER_H

#include "compiler/support/Result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace headrace {

/// Writes into a temporary sibling of `path` and renames it in commit(). Until then the sibling is removed when this
/// object is destroyed and when the process is ended by SIGINT, SIGTERM or SIGHUP; what a killed process left behind is
/// removed by the next create() for the same path. At most 8 at a time.
class OutputFolder {
public:
  /// `path` must not exist, be an empty folder, or be a folder that holds a file named `marker`: an earlier output,
  /// which commit() replaces. Anything else is refused, so that a mistyped -o cannot destroy somebody's files.
  static Result<OutputFolder> create(const std::string &path, const std::string &marker);
  OutputFolder(OutputFolder &&) noexcept;
  OutputFolder &operator=(OutputFolder &&) = delete;
  ~OutputFolder();

  /// Where to write the file `name` ("lib/x86_64/libm.a"); makes the folders above it.
  Result<std::string> prepare(const std::string &name);
  /// Writes a whole file; `executable` sets the permission bits.
  Result<void> write(const std::string &name, std::string_view bytes, bool executable = false);
  /// The temporary sibling.
  const std::string &folder() const { return temporary; }
  /// Makes it appear under its final name.
  Result<void> commit();

private:
  OutputFolder() = default;
  std::string target, temporary;
  int lock = -1; // flock on the temporary folder: tells a live one from a leftover
  int slot = -1; // in the table that the signal handler cleans
};

/// Writes a file of its own in the same way: temporary sibling, then rename.
Result<void> writeFileAtomically(const std::string &path, std::string_view bytes);

} // namespace headrace
#endif
