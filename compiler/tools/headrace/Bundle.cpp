#include "compiler/tools/headrace/Bundle.h"

#include "compiler/support/ErrorText.h"
#include "compiler/tools/headrace/Host.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace headrace {
namespace {

#if defined(__x86_64__)
constexpr const char *hostTriple = "x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr const char *hostTriple = "aarch64-linux-gnu";
#else
constexpr const char *hostTriple = "unknown";
#endif

/// Zero-filled pages that cost nothing until they are touched.
Result<void *> reserve(size_t bytes, const char *what) {
  void *address = mmap(nullptr, std::max<size_t>(bytes, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return expectedFound(what, bytesText(bytes) + " of memory", systemErrorText(errno));
  return address;
}

} // namespace

Error problemError(hr_status status, const hr_problem &problem) {
  std::string where = "weights.bin: ";
  if (problem.section >= 0)
    where += "section " + std::to_string(problem.section) + ": ";
  if (!problem.what || !*problem.what)
    return Error(where + hr_status_text(status));
  auto number = [&](uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, problem.hex ? "0x%" PRIx64 : "%" PRIu64, value);
    return std::string(text);
  };
  return expectedFound(where + problem.what, number(problem.expected), number(problem.found));
}

Result<Manifest> readManifest(const std::string &folder) {
  if (!pathExists(folder))
    return expectedFound(folder, "a bundle", "no such file or directory");
  auto text = readFile(folder + "/manifest.json", size_t(256) << 20);
  if (!text)
    return text.error();
  return Manifest::parse(*text, "manifest.json");
}

Result<ManifestLibrary> libraryForHost(const Manifest &manifest, const std::string &folder) {
  std::string found;
  for (const ManifestLibrary &library : manifest.libraries) {
    if (library.triple == hostTriple)
      return library;
    found += (found.empty() ? "" : ", ") + library.triple;
  }
  std::string run = manifest.libraries.empty() ? "headrace-run" : manifest.libraries[0].run;
  return expectedFound(folder, std::string("a library for ") + hostTriple,
                       (found.empty() ? "none" : found) + "; run it with its own " + run +
                           ", on the device or under qemu");
}

std::string hexadecimal(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, value);
  return text;
}

Result<void> checkFile(const ManifestChecksum &expected, const std::string &folder) {
  auto file = MappedFile::open(folder + "/" + expected.file);
  if (!file)
    return file.error();
  if (file->size() != expected.bytes)
    return expectedFound(expected.file, bytesText(expected.bytes), bytesText(file->size()));
  std::string found = hexadecimal(hr_hash64(file->data(), file->size(), 0));
  return found == expected.xxh64 ? Result<void>() : expectedFound(expected.file, "checksum " + expected.xxh64, found);
}

Result<LoadedLibrary> loadWhole(const Manifest &manifest, const std::string &folder, const std::string &shared) {
  for (const ManifestChecksum &row : manifest.checksums)
    if (row.file == shared && pathExists(folder + "/" + shared))
      HR_TRY(checkFile(row, folder));
  return loadLibrary(folder + "/" + shared);
}

/// The section of a kind inside a mapped weights.bin, whose table has not been checked; no bytes: there is none.
static Result<std::string_view> sectionOf(const MappedFile &weights, uint32_t kind) {
  hr_blob_header header;
  if (weights.size() < sizeof header)
    return expectedFound("weights.bin", "a header of " + bytesText(sizeof header), bytesText(weights.size()));
  std::memcpy(&header, weights.data(), sizeof header);
  if (std::memcmp(header.magic, HR_BLOB_MAGIC, sizeof header.magic) != 0)
    return expectedFound("weights.bin", "the magic number of Headrace", "another");
  uint64_t rows = (weights.size() - sizeof header) / sizeof(hr_blob_section);
  if (header.section_count > rows)
    return expectedFound("weights.bin", "a table of " + std::to_string(header.section_count) + " sections",
                         "room for " + std::to_string(rows));
  for (uint32_t i = 0; i != header.section_count; ++i) {
    hr_blob_section section;
    std::memcpy(&section, weights.data() + sizeof header + i * sizeof section, sizeof section);
    if (section.kind != kind)
      continue;
    if (section.offset > weights.size() || section.bytes > weights.size() - section.offset)
      return expectedFound("weights.bin", "section " + std::to_string(i) + " inside the file",
                           "one that ends behind it");
    return weights.text().substr(section.offset, section.bytes);
  }
  return std::string_view();
}

Result<hr_tokenizer> tokenizerOf(const MappedFile &weights, const std::string &folder) {
  auto section = sectionOf(weights, HR_SECTION_TOKENIZER);
  if (!section)
    return section.error();
  if (section->empty())
    return expectedFound(folder, "a tokenizer", "none: the model was compiled without one; use --ids");
  hr_tokenizer tokenizer;
  hr_status status = hr_tokenizer_open(&tokenizer, section->data(), section->size());
  if (status != HR_OK)
    return Error(std::string("weights.bin: tokenizer: ") + hr_status_text(status));
  return tokenizer;
}

Result<hr_template> templateOf(const MappedFile &weights, const std::string &folder) {
  auto section = sectionOf(weights, HR_SECTION_TEMPLATE);
  if (!section)
    return section.error();
  if (section->empty())
    return expectedFound(folder, "a chat template", "none: the model was compiled without one");
  hr_template chatTemplate;
  hr_status status = hr_template_open(&chatTemplate, section->data(), section->size());
  if (status != HR_OK)
    return Error(std::string("weights.bin: chat template: ") + hr_status_text(status));
  return chatTemplate;
}

Result<std::unique_ptr<OpenBundle>> OpenBundle::open(const std::string &folder, const RunOptions &options) {
  auto manifest = readManifest(folder);
  if (!manifest)
    return manifest.error();
  auto library = libraryForHost(*manifest, folder);
  if (!library)
    return library.error();
  auto weights = MappedFile::open(folder + "/weights.bin");
  if (!weights)
    return weights.error();
  auto loaded = loadWhole(*manifest, folder, library->shared);
  if (!loaded)
    return loaded.error();

  std::unique_ptr<OpenBundle> bundle(new OpenBundle);
  bundle->path = folder;
  bundle->blob = weights.take();
  bundle->loaded = *loaded;
  HR_TRY(bundle->start(options));
  return bundle;
}

Result<void> OpenBundle::checkCpu() const {
  uint32_t missing = loaded.api->missing_features(loaded.library, &port);
  std::string names;
  for (uint32_t bit = 1; bit != 0; bit <<= 1)
    if (missing & bit)
      names += (names.empty() ? "" : ", ") + std::string(hr_feature_name(bit));
  if (names.empty())
    return {};
  return expectedFound(path,
                       std::string("a CPU with ") + names + " (the bundle was compiled for " + library().target + ")",
                       "one without; compile with --target host");
}

Result<void> OpenBundle::checkWeights() const {
  hr_problem problem;
  hr_status status = loaded.api->check_bundle(loaded.library, blob.data(), blob.size(), &problem);
  return status == HR_OK ? Result<void>() : Result<void>(problemError(status, problem));
}

Result<void> OpenBundle::start(const RunOptions &options) {
  hr_model_options modelOptions = {};
  modelOptions.threads = options.threads ? options.threads : usableCores();
  modelOptions.chunk = options.chunk;
  if (int error = hr_port_posix(&port, modelOptions.threads))
    return expectedFound("threads", std::to_string(modelOptions.threads) + " of them", systemErrorText(error));
  portOpen = true;
  HR_TRY(checkCpu());

  arenaBytes = loaded.api->arena_bytes(loaded.library);
  auto arenaMemory = reserve(arenaBytes, "arena");
  if (!arenaMemory)
    return arenaMemory.error();
  arena = *arenaMemory;
  HR_TRY(checkWeights());
  hr_status status =
      loaded.api->open(&handle, loaded.library, blob.data(), blob.size(), &port, &modelOptions, arena, arenaBytes);
  if (status != HR_OK)
    return statusError(status);
  auto session = newSession();
  if (!session)
    return session.error();
  ownSession = session.take();
  return {};
}

Result<void> OpenBundle::expectKind(uint32_t kind) const {
  if (library().model_kind == kind)
    return {};
  if (kind == HR_MODEL_ENCODER)
    return expectedFound(fileNameOf(path), "an encoder", "a model that generates text (headrace run, headrace chat)");
  return expectedFound(fileNameOf(path), "a model that generates text", "an encoder (headrace embed)");
}

Result<std::unique_ptr<SessionMemory>> SessionMemory::open(const hr_api &api, hr_model *model,
                                                           const hr_library &library) {
  std::unique_ptr<SessionMemory> session(new SessionMemory);
  size_t bytes = api.session_bytes(&library);
  auto memory = reserve(bytes, "KV cache");
  if (!memory)
    return memory.error();
  session->memory = *memory;
  session->bytes = bytes;
  if (hr_status status = api.session_open(&session->session, model, *memory, bytes); status != HR_OK)
    return Error(std::string("session: ") + hr_status_text(status));
  return session;
}

SessionMemory::~SessionMemory() {
  if (memory)
    munmap(memory, std::max<size_t>(bytes, 1));
}

Error OpenBundle::statusError(hr_status status) const {
  std::string text = hr_status_text(status);
  if (status == HR_NOT_FINITE)
    text += std::string(": first at ") + loaded.api->fault_site(handle);
  if (status == HR_CONTEXT_FULL)
    text += " (" + std::to_string(library().max_positions) + " positions; compile with a larger --context)";
  return Error(fileNameOf(path) + ": " + text);
}

OpenBundle::~OpenBundle() {
  if (portOpen)
    hr_port_posix_close(&port);
  if (arena)
    munmap(arena, std::max<size_t>(arenaBytes, 1));
}

} // namespace headrace
