#include "compiler/bundle/Golden.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/MappedFile.h"
#include "headrace_port.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <dlfcn.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace headrace {
namespace {

constexpr uint32_t kPrompt = 9, kTokens = 8;

/// A loaded shared object, unloaded at the end: its file is still being moved.
struct Loaded {
  void *handle;
  explicit Loaded(const std::string &path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Loaded() {
    if (handle)
      dlclose(handle);
  }
  template <typename Function> Function *find(const char *name) const {
    return handle ? reinterpret_cast<Function *>(dlsym(handle, name)) : nullptr;
  }
};

/// 64-byte aligned memory; nothing in it is read before the runtime has written it.
struct Block {
  std::unique_ptr<void, void (*)(void *)> bytes;
  size_t size;
  explicit Block(size_t wanted) : bytes(std::aligned_alloc(64, (wanted + 63) / 64 * 64), std::free), size(wanted) {}
};

struct PosixPort {
  hr_port port = {};
  bool isOpen;
  explicit PosixPort(uint32_t threads) : isOpen(hr_port_posix(&port, threads) == 0) {}
  ~PosixPort() {
    if (isOpen)
      hr_port_posix_close(&port);
  }
};

struct Run {
  Golden &golden;
  uint32_t vocab;
};

int onToken(void *user, int32_t id, const char *, size_t, const float *logits) {
  Run &run = *static_cast<Run *>(user);
  run.golden.expected.push_back(id);
  run.golden.rowsHash = hr_hash64(logits, run.vocab * sizeof(float), run.golden.rowsHash);
  return 0;
}

/// A prompt that any vocabulary has: the beginning of text if there is one, then ids spread over the vocabulary.
std::vector<int32_t> promptFor(const hr_library &library) {
  std::vector<int32_t> ids;
  if (library.bos_id >= 0)
    ids.push_back(library.bos_id);
  uint32_t most = std::max(1u, std::min(kPrompt, library.max_positions / 2));
  for (uint64_t i = 1; ids.size() < most; ++i)
    ids.push_back(int32_t(i * 2654435761u % library.vocab_size));
  return ids;
}

hr_status continuePrompt(const hr_api &api, const hr_library &library, hr_session *session, Golden &golden) {
  Run run{golden, library.vocab_size};
  hr_generate_options options = {};
  uint32_t room = library.max_positions - uint32_t(golden.ids.size());
  options.max_tokens = std::max(1u, std::min(kTokens, room));
  options.ignore_eos = 1;
  hr_timings timings;
  return api.generate(session, golden.ids.data(), uint32_t(golden.ids.size()), &options, onToken, &run, &timings);
}

hr_status encodePrompt(const hr_api &api, const hr_library &library, hr_session *session, Golden &golden) {
  golden.encoder = true;
  hr_status status = api.embed(session, golden.ids.data(), uint32_t(golden.ids.size()), nullptr);
  for (uint32_t row = 0; status == HR_OK && row != golden.ids.size(); ++row)
    golden.rowsHash = hr_hash64(api.hidden(session, row), library.hidden_size * sizeof(float), golden.rowsHash);
  return status;
}

Result<Golden> compute(const hr_api &api, const hr_library &library, const MappedFile &blob, hr_port &port,
                       uint32_t threads) {
  auto failed = [&](hr_status status, const char *where) {
    std::string text = std::string("golden vectors: ") + hr_status_text(status);
    return Error(*where ? text + ": first at " + where : text);
  };
  Block arena(api.arena_bytes(&library)), memory(api.session_bytes(&library));
  if (!arena.bytes || !memory.bytes)
    return Error("golden vectors: not enough memory for arena and KV cache");
  hr_model_options modelOptions = {};
  modelOptions.threads = threads;
  hr_model *model = nullptr;
  hr_session *session = nullptr;
  hr_status status =
      api.open(&model, &library, blob.data(), blob.size(), &port, &modelOptions, arena.bytes.get(), arena.size);
  if (status == HR_OK)
    status = api.session_open(&session, model, memory.bytes.get(), memory.size);
  if (status != HR_OK)
    return failed(status, "");
  Golden golden;
  golden.ids = promptFor(library);
  status = (library.model_kind == HR_MODEL_ENCODER ? encodePrompt : continuePrompt)(api, library, session, golden);
  if (status != HR_OK)
    return failed(status, status == HR_NOT_FINITE ? api.fault_site(model) : "");
  return golden;
}

} // namespace

Result<Golden> computeGolden(const std::string &shared, const std::string &weights, unsigned threads) {
  Loaded loaded(shared);
  auto *getLibrary = loaded.find<const hr_library *()>("hr_library_get");
  auto *getApi = loaded.find<const hr_api *()>("hr_api_get");
  if (!getLibrary || !getApi)
    return expectedFound(fileNameOf(shared), "a shared object that can be loaded",
                         loaded.handle ? "one without hr_library_get" : dlerror());
  uint32_t count = std::min<uint32_t>(std::max(1u, threads), HR_MAX_THREADS);
  PosixPort port(count);
  if (!port.isOpen)
    return Error("golden vectors: threads cannot be started");
  if (getApi()->missing_features(getLibrary(), &port.port))
    return Golden();
  Result<MappedFile> blob = MappedFile::open(weights);
  if (!blob)
    return blob.error();
  return compute(*getApi(), *getLibrary(), *blob, port.port, count);
}

std::string goldenText(const Golden &golden) {
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016" PRIx64, golden.rowsHash);
  nlohmann::ordered_json json = {{"ids", golden.ids}};
  if (!golden.encoder)
    json["expected"] = golden.expected;
  json[golden.encoder ? "hidden_xxh64" : "logits_xxh64"] = hash;
  return json.dump() + "\n";
}

} // namespace headrace
