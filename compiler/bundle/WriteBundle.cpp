#include "compiler/bundle/WriteBundle.h"

#include "compiler/bundle/BundleTexts.h"
#include "compiler/bundle/DescribePlan.h"
#include "compiler/bundle/Golden.h"
#include "compiler/bundle/Weights.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/MappedFile.h"
#include "compiler/support/OutputFolder.h"
#include "compiler/support/Parallel.h"
#include "dialects/plan/Plan.h"
#include "headrace.h"

#include <cinttypes>
#include <map>

using namespace mlir;

namespace headrace {
namespace {

#if defined(__x86_64__)
constexpr llvm::StringLiteral kHostTriple = "x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr llvm::StringLiteral kHostTriple = "aarch64-linux-gnu";
#else
constexpr llvm::StringLiteral kHostTriple = "";
#endif

/// One bundle; members are what the steps hand on.
class BundleWriter {
public:
  BundleWriter(const BundleRequest &request, OutputFolder folder)
      : request(request), out(std::move(folder)), threads(request.threads ? request.threads : hardwareThreads()) {}
  Result<Manifest> run();

private:
  void progress(const char *what, double done) {
    if (request.progress)
      request.progress(what, done);
  }
  Result<void> write(const std::string &name, std::string_view bytes, bool executable = false);
  Result<void> writeBlob(DiagnosticCollector &diagnostics);
  Result<void> writeLibraries(DiagnosticCollector &diagnostics);
  Result<void> writeTexts();
  Result<void> writeGolden(DiagnosticCollector &diagnostics);
  Result<std::string> hostLibrary(DiagnosticCollector &diagnostics);
  Result<void> writeManifest();
  void describe();
  void describeLibraries(const std::vector<Artifact> &artifacts);

  const BundleRequest &request;
  OutputFolder out;
  unsigned threads;
  BlobIdentity blob;
  std::vector<hr_blob_section> sections;
  Manifest manifest;
};

/// hr_library.token_bytes of a tokenizer section.
Result<uint32_t> tokenBytesOf(const std::vector<uint8_t> &section) {
  hr_tokenizer tokenizer;
  if (section.empty())
    return 0;
  if (hr_tokenizer_open(&tokenizer, section.data(), section.size()) != HR_OK)
    return Error("tokenizer: expected a section that the runtime can read, found another");
  return uint32_t(hr_decode_max(&tokenizer));
}

ManifestChecksum checksumOf(const std::string &name, const void *data, size_t bytes) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, hr_hash64(data, bytes, 0));
  return {name, bytes, text};
}

Result<void> BundleWriter::write(const std::string &name, std::string_view bytes, bool executable) {
  HR_TRY(out.write(name, bytes, executable));
  manifest.checksums.push_back(checksumOf(name, bytes.data(), bytes.size()));
  return {};
}

Result<void> BundleWriter::writeBlob(DiagnosticCollector &diagnostics) {
  progress("weights", 0);
  Result<std::string> path = out.prepare("weights.bin");
  if (!path)
    return path.error();
  std::vector<uint8_t> tokenizer(request.tokenizer.begin(), request.tokenizer.end());
  std::vector<uint8_t> chatTemplate(request.chatTemplate.begin(), request.chatTemplate.end());
  WeightsInput input;
  input.module = request.plan;
  input.checkpointFolder = request.spec.folder;
  input.tokenizer = tokenizer.empty() ? nullptr : &tokenizer;
  input.chatTemplate = chatTemplate.empty() ? nullptr : &chatTemplate;
  input.threads = threads;
  input.progress = [this](double done) { progress("weights", done); };
  FailureOr<WeightsResult> written = writeWeights(input, *path);
  if (failed(written))
    return diagnostics.error("weights.bin: cannot be written");
  Result<uint32_t> tokenBytes = tokenBytesOf(tokenizer);
  if (!tokenBytes)
    return tokenBytes.error();
  blob = {written->tableHash, written->fileBytes, *tokenBytes};
  sections = std::move(written->sections);
  manifest.weightsBytes = written->fileBytes;
  Result<MappedFile> mapped = MappedFile::open(*path);
  if (!mapped)
    return mapped.error();
  manifest.checksums.push_back(checksumOf("weights.bin", mapped->data(), mapped->size()));
  return {};
}

/// "lib/TRIPLE/FILE" of each artifact, by triple.
void BundleWriter::describeLibraries(const std::vector<Artifact> &artifacts) {
  std::map<std::string, ManifestLibrary> byTriple;
  for (const Artifact &artifact : artifacts) {
    auto [folder, file] = llvm::StringRef(artifact.name).rsplit('/');
    auto [lib, triple] = folder.split('/');
    if (lib != "lib" || triple.empty())
      continue;
    ManifestLibrary &row = byTriple[triple.str()];
    row.triple = triple.str();
    if (file == "lib" + manifest.name + ".a")
      row.archive = artifact.name;
    else if (file == "lib" + manifest.name + ".so")
      row.shared = artifact.name;
    else if (file == "headrace-run")
      row.run = artifact.name;
    else if (file == "libhr_port_posix.a")
      row.port = artifact.name;
  }
  const uint32_t features = requiredFeatures(request.plan);
  for (auto &[triple, row] : byTriple) {
    row.target = plan::findLibrary(request.plan).getTarget().str();
    for (uint32_t bit = 1; bit != 0; bit <<= 1)
      if (features & bit)
        row.cpuFeatures.push_back(hr_feature_name(bit));
    manifest.libraries.push_back(std::move(row));
  }
}

Result<void> BundleWriter::writeLibraries(DiagnosticCollector &diagnostics) {
  progress("code", 0);
  FailureOr<std::vector<Artifact>> artifacts = request.emit(blob);
  if (failed(artifacts))
    return diagnostics.error("code generation failed");
  for (const Artifact &artifact : *artifacts)
    HR_TRY(write(artifact.name, artifact.bytes, artifact.kind == ArtifactKind::Executable));
  describeLibraries(*artifacts);
  return {};
}

static void describeExperts(const ModelSpec &spec, ManifestModel &model) {
  for (const BlockSpec &block : spec.blocks) {
    const MlpSpec &mlp = block.mlp;
    if (mlp.experts.count == 0)
      continue;
    model.mixtures += 1;
    model.experts = uint64_t(mlp.experts.count);
    model.expertsPerToken = uint64_t(mlp.experts.top);
    model.expertFeedForward = uint64_t(mlp.down.weight.shape()[1]);
  }
}

void BundleWriter::describe() {
  const ModelSpec &spec = request.spec;
  const AttentionSpec &attention = spec.blocks.front().attention;
  manifest.name = request.name;
  manifest.compiler = "headrace " HEADRACE_VERSION;
  manifest.settings = request.settings;
  manifest.stored = request.stored;
  ManifestModel &model = manifest.model;
  model.architecture = spec.architecture;
  model.layers = uint64_t(spec.blocks.size());
  model.hidden = uint64_t(spec.hidden);
  model.heads = uint64_t(attention.heads);
  model.kvHeads = uint64_t(attention.kvHeads);
  model.headDim = uint64_t(attention.headDim);
  model.feedForward = uint64_t(spec.feedForward);
  model.vocab = uint64_t(spec.vocab);
  describeExperts(spec, model);
  model.files = spec.files;
  model.parameters = spec.parameters;
  describePlan(request.plan, sections, blob.tokenBytes, manifest);
}

Result<void> BundleWriter::writeTexts() {
  const std::string &name = manifest.name;
  HR_TRY(write("include/" + name + ".h", headerText(manifest)));
  for (const auto &[file, text] : publicHeaders())
    HR_TRY(write("include/" + file, text));
  HR_TRY(write("lib/cmake/" + name + "/" + name + "-config.cmake", packageText(manifest)));
  HR_TRY(write("report/report.txt", bundleReportText(manifest)));
  return write("report/report.json", bundleReportJson(manifest));
}

/// A shared object for this machine: the bundle's own, else one that is made for the purpose; "" when there is none.
Result<std::string> BundleWriter::hostLibrary(DiagnosticCollector &diagnostics) {
  if (!request.emitForHost)
    return std::string();
  FailureOr<std::string> bytes = request.emitForHost(blob);
  if (failed(bytes))
    return diagnostics.error("code generation for golden vectors failed");
  if (bytes->empty())
    return std::string();
  HR_TRY(out.write("golden/host.so", *bytes)); // removed again below
  return out.folder() + "/golden/host.so";
}

Result<void> BundleWriter::writeGolden(DiagnosticCollector &diagnostics) {
  progress("golden vectors", 0);
  const std::string weights = out.folder() + "/weights.bin";
  Golden golden;
  for (const ManifestLibrary &library : manifest.libraries)
    if (library.triple == kHostTriple && !library.shared.empty()) {
      Result<Golden> computed = computeGolden(out.folder() + "/" + library.shared, weights, threads);
      if (!computed)
        return computed.error();
      golden = computed.take();
    }
  if (golden.ids.empty()) {
    Result<std::string> shared = hostLibrary(diagnostics);
    if (!shared)
      return shared.error();
    if (shared->empty())
      return {};
    Result<Golden> computed = computeGolden(*shared, weights, threads);
    std::remove(shared->c_str());
    if (!computed)
      return computed.error();
    golden = computed.take();
  }
  return golden.ids.empty() ? Result<void>() : write("golden/golden.json", goldenText(golden));
}

Result<void> BundleWriter::writeManifest() {
  // By name, whatever the order of the steps.
  llvm::sort(manifest.checksums, [](const ManifestChecksum &a, const ManifestChecksum &b) { return a.file < b.file; });
  return out.write("manifest.json", manifest.toText());
}

Result<Manifest> BundleWriter::run() {
  ModuleOp plan = request.plan;
  DiagnosticCollector diagnostics(*plan.getContext());
  HR_TRY(writeBlob(diagnostics));
  describe();
  HR_TRY(writeLibraries(diagnostics));
  HR_TRY(writeTexts());
  HR_TRY(writeGolden(diagnostics));
  HR_TRY(writeManifest());
  HR_TRY(out.commit());
  progress("done", 1);
  return std::move(manifest);
}

} // namespace

Result<Manifest> writeBundle(const std::string &path, const BundleRequest &request) {
  Result<OutputFolder> folder = OutputFolder::create(path, "manifest.json");
  if (!folder)
    return folder.error();
  return BundleWriter(request, folder.take()).run();
}

} // namespace headrace
