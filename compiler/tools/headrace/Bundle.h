// Bundle.h - a bundle opened on this machine: its manifest, its weights, and a model ready to run.
#ifndef HEADRACE_TOOLS_BUNDLE_H
#define HEADRACE_TOOLS_BUNDLE_H

#include "compiler/bundle/Manifest.h"
#include "compiler/support/MappedFile.h"
#include "compiler/tools/headrace/Api.h"
#include "headrace_port.h"

#include <memory>

namespace headrace {

/// Reads OUT/manifest.json.
Result<Manifest> readManifest(const std::string &folder);

/// The library of a manifest that was made for the machine this program runs on.
Result<ManifestLibrary> libraryForHost(const Manifest &manifest, const std::string &folder);

/// A checksum as manifest.json and golden.json write it.
std::string hexadecimal(uint64_t value);

/// A file of a bundle against its row of the manifest: size and checksum.
Result<void> checkFile(const ManifestChecksum &expected, const std::string &folder);

/// Loads the shared object of a bundle, which must be as the manifest says: the system's loader crashes on one that is
/// cut short.
Result<LoadedLibrary> loadWhole(const Manifest &manifest, const std::string &folder, const std::string &shared);

/// The tokenizer section inside a mapped weights.bin; an error where there is none or the table is damaged.
Result<hr_tokenizer> tokenizerOf(const MappedFile &weights, const std::string &folder);

/// The same for the chat template.
Result<hr_template> templateOf(const MappedFile &weights, const std::string &folder);

/// The error line of what a check found in weights.bin.
Error problemError(hr_status status, const hr_problem &problem);

struct RunOptions {
  uint32_t threads = 0; ///< 0: the cores this process may use
  uint32_t chunk = 0;   ///< 0: the library's largest
};

/// A session in memory of its own: the KV cache costs what is touched of it.
class SessionMemory {
public:
  static Result<std::unique_ptr<SessionMemory>> open(const hr_api &api, hr_model *model, const hr_library &library);
  ~SessionMemory();
  SessionMemory(const SessionMemory &) = delete;
  SessionMemory &operator=(const SessionMemory &) = delete;
  hr_session *get() const { return session; }

private:
  SessionMemory() = default;
  void *memory = nullptr;
  size_t bytes = 0;
  hr_session *session = nullptr;
};

/// A model with one session. Not movable: the runtime keeps pointers into it.
class OpenBundle {
public:
  static Result<std::unique_ptr<OpenBundle>> open(const std::string &folder, const RunOptions &options);
  ~OpenBundle();
  OpenBundle(const OpenBundle &) = delete;
  OpenBundle &operator=(const OpenBundle &) = delete;

  const hr_api &api() const { return *loaded.api; }
  hr_model *model() const { return handle; }
  hr_session *session() const { return ownSession->get(); }
  /// One more session of the model.
  Result<std::unique_ptr<SessionMemory>> newSession() const { return SessionMemory::open(api(), handle, library()); }
  const hr_library &library() const { return *loaded.library; }
  const MappedFile &weights() const { return blob; }
  const std::string &folder() const { return path; }
  /// An error where the model is not a decoder, or not an encoder (hr_model_kind), as it must be.
  Result<void> expectKind(uint32_t kind) const;
  /// The error line of a status.
  Error statusError(hr_status status) const;

private:
  OpenBundle() = default;
  Result<void> start(const RunOptions &options);
  Result<void> checkCpu() const;
  Result<void> checkWeights() const;

  std::string path;
  MappedFile blob;
  LoadedLibrary loaded = {};
  hr_port port = {};
  bool portOpen = false;
  void *arena = nullptr;
  size_t arenaBytes = 0;
  hr_model *handle = nullptr;
  std::unique_ptr<SessionMemory> ownSession;
};

} // namespace headrace
#endif
