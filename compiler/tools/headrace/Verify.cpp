// headrace verify - is the bundle whole, and does it still answer as it did when it was compiled?
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"
#include "compiler/tools/headrace/Bundle.h"
#include "compiler/tools/headrace/Commands.h"
#include "compiler/tools/headrace/Options.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>

namespace headrace {
namespace {

/// Files without a row could be exchanged unseen: those that run must have one.
Result<void> checkRows(const Manifest &manifest) {
  std::vector<std::string> needed = {"weights.bin"};
  for (const ManifestLibrary &library : manifest.libraries)
    for (const std::string *file : {&library.archive, &library.shared, &library.run, &library.port})
      if (!file->empty())
        needed.push_back(*file);
  for (const std::string &file : needed)
    if (std::none_of(manifest.checksums.begin(), manifest.checksums.end(),
                     [&](const ManifestChecksum &row) { return row.file == file; }))
      return expectedFound("manifest.json", "a checksum of " + inQuotes(file), "none");
  return {};
}

Result<void> checkFiles(const Manifest &manifest, const std::string &folder) {
  for (const ManifestChecksum &expected : manifest.checksums)
    HR_TRY(checkFile(expected, folder));
  return {};
}

/// golden/golden.json: {"ids": prompt, "expected": greedy ids, "logits_xxh64": hash over the float32 rows they were
/// chosen from}; of an encoder {"ids", "hidden_xxh64": hash over the hidden states}.
struct Golden {
  bool encoder;
  std::vector<int32_t> ids, expected;
  std::string hash;
};

Result<Golden> readGolden(const std::string &folder, bool encoder) {
  auto text = readFile(folder + "/golden/golden.json");
  if (!text)
    return text.error();
  auto json = parseJson(*text, "golden.json");
  if (!json)
    return json.error();
  Golden golden = {encoder, {}, {}, {}};
  try {
    golden.ids = json->at("ids").get<std::vector<int32_t>>();
    if (!encoder)
      golden.expected = json->at("expected").get<std::vector<int32_t>>();
    golden.hash = json->at(encoder ? "hidden_xxh64" : "logits_xxh64").get<std::string>();
  } catch (const nlohmann::json::exception &) {
    return expectedFound("golden.json", encoder ? "ids and hidden_xxh64" : "ids, expected and logits_xxh64",
                         "another structure");
  }
  if (golden.ids.empty() || (!encoder && golden.expected.empty()))
    return expectedFound("golden.json", encoder ? "at least one id" : "at least one id and one expected id", "none");
  return golden;
}

/// The hash of all rows is the hash of the rows' hashes, so that nothing needs to be kept.
struct Replay {
  uint32_t vocab;
  std::vector<int32_t> ids;
  uint64_t hash = 0;
};

int onToken(void *user, int32_t id, const char *, size_t, const float *logits) {
  auto &replay = *static_cast<Replay *>(user);
  replay.ids.push_back(id);
  replay.hash = hr_hash64(logits, replay.vocab * sizeof(float), replay.hash);
  return 0;
}

Result<void> replayHidden(const OpenBundle &bundle, const Golden &golden) {
  hr_status status = bundle.api().embed(bundle.session(), golden.ids.data(), uint32_t(golden.ids.size()), nullptr);
  if (status != HR_OK)
    return bundle.statusError(status);
  uint64_t hash = 0;
  for (uint32_t row = 0; row != golden.ids.size(); ++row)
    hash = hr_hash64(bundle.api().hidden(bundle.session(), row), bundle.library().hidden_size * sizeof(float), hash);
  if (hexadecimal(hash) != golden.hash)
    return expectedFound("golden.json", "hidden states with checksum " + golden.hash, hexadecimal(hash));
  return {};
}

Result<void> replayGolden(const std::string &folder, const Golden &golden, const RunOptions &run) {
  auto opened = OpenBundle::open(folder, run);
  if (!opened)
    return opened.error();
  OpenBundle &bundle = **opened;
  hr_problem problem;
  hr_status status =
      bundle.api().check_payload(&bundle.library(), bundle.weights().data(), bundle.weights().size(), &problem);
  if (status != HR_OK)
    return problemError(status, problem);
  HR_TRY(bundle.expectKind(golden.encoder ? HR_MODEL_ENCODER : HR_MODEL_DECODER));
  if (golden.encoder)
    return replayHidden(bundle, golden);
  Replay replay = {bundle.library().vocab_size, {}};
  hr_generate_options options = {};
  options.max_tokens = uint32_t(golden.expected.size());
  options.ignore_eos = 1;
  hr_timings timings;
  status = bundle.api().generate(bundle.session(), golden.ids.data(), uint32_t(golden.ids.size()), &options, onToken,
                                 &replay, &timings);
  if (status != HR_OK)
    return bundle.statusError(status);
  if (replay.ids != golden.expected)
    return expectedFound("golden.json", "the ids of the compile", "others");
  if (hexadecimal(replay.hash) != golden.hash)
    return expectedFound("golden.json", "logits with checksum " + golden.hash, hexadecimal(replay.hash));
  return {};
}

Result<void> verify(const std::string &folder, const RunOptions &run) {
  auto manifest = readManifest(folder);
  if (!manifest)
    return manifest.error();
  HR_TRY(checkRows(*manifest));
  HR_TRY(checkFiles(*manifest, folder));
  std::printf("files    %zu, all as the manifest says\n", manifest->checksums.size());
  auto golden = readGolden(folder, manifest->model.kind == "encoder");
  if (!golden)
    return golden.error();
  if (!libraryForHost(*manifest, folder)) {
    std::printf("golden   not run: the bundle has no library for this machine; its headrace-run runs on the device\n");
    return {};
  }
  HR_TRY(replayGolden(folder, *golden, run));
  std::printf("golden   %zu tokens, the same bits as at the compile\n",
              golden->encoder ? golden->ids.size() : golden->expected.size());
  return {};
}

} // namespace

void addVerify(CLI::App &app, int &exitCode) {
  auto bundle = std::make_shared<std::string>();
  auto run = std::make_shared<RunOptions>();
  CLI::App *command = app.add_subcommand("verify", "check a bundle's files and replay its golden vectors");
  command->add_option("bundle", *bundle, "the bundle")->required();
  command->add_option("--threads", run->threads, "threads (default: the cores)")->check(wholeNumber(1, HR_MAX_THREADS));
  command->callback([bundle, run, &exitCode] {
    if (auto done = verify(*bundle, *run); !done)
      exitCode = report(done.error());
  });
}

} // namespace headrace
