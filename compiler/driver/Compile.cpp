// `headrace compile`, step by step: read, import, pass pipeline, fit, bundle.
#include "compiler/driver/Compile.h"

#include "compiler/bundle/WriteBundle.h"
#include "compiler/driver/Fit.h"
#include "compiler/driver/ModelSource.h"
#include "compiler/driver/Targets.h"
#include "compiler/import/module/ImportModule.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/DumpIR.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/support/ErrorText.h"
#include "dialects/Dialects.h"
#include "dialects/model/Model.h"
#include "dialects/target/Target.h"
#include "passes/support/Anchors.h"
#include "targets/common/EmitLibrary.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;

namespace headrace {
namespace {

/// Time per phase, and the line that shows progress on a terminal.
class Phases {
public:
  explicit Phases(bool visible) : visible(visible) {}
  ~Phases() { show(""); }
  void begin(const std::string &name) {
    end();
    current = name;
    start = Clock::now();
    show(name);
  }
  void end() {
    if (!current.empty())
      seconds.push_back({current, std::chrono::duration<double>(Clock::now() - start).count()});
    current.clear();
  }
  void show(const std::string &text) {
    if (visible)
      std::fprintf(stderr, "\r\033[K%s%s", text.c_str(), text.empty() ? "" : " ...");
  }
  std::vector<std::pair<std::string, double>> seconds;

private:
  using Clock = std::chrono::steady_clock;
  bool visible;
  std::string current;
  Clock::time_point start;
};

/// One compile. Members are what the steps hand on.
class Compilation {
public:
  explicit Compilation(const CompileRequest &request) : request(request), phases(request.progress) {}
  Result<CompileReport> run();

private:
  Result<void> readModel();
  Result<void> importModel();
  Result<void> makePlan();
  Result<void> checkMemory();
  Result<void> writeOutput();
  FailureOr<std::vector<Artifact>> generate(ModuleOp plan, BlobIdentity blob, DumpIR *dump);
  FailureOr<std::vector<Artifact>> emit(BlobIdentity blob);
  FailureOr<std::string> emitForHost(BlobIdentity blob);
  ManifestSettings settings();

  const CompileRequest &request;
  Phases phases;
  std::unique_ptr<DumpIR> dumps;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<DiagnosticCollector> diagnostics;
  ModelSource source;
  OwningOpRef<ModuleOp> module;
  std::string name;
  CompileReport report;
};

Result<void> Compilation::readModel() {
  phases.begin("read");
  auto read = readModelSource(request);
  if (!read)
    return read.error();
  source = read.take();
  report.notes = source.notes;
  return {};
}

Result<void> Compilation::importModel() {
  phases.begin("import");
  DialectRegistry registry;
  registerDialects(registry);
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  diagnostics = std::make_unique<DiagnosticCollector>(*context);
  ImportOptions options;
  options.name = name;
  options.context = request.context;
  auto imported = headrace::importModel(*context, source.spec, options);
  if (!imported)
    return imported.error();
  module = imported.take();
  SmallVector<Attribute> devices;
  for (const std::string &target : request.targets) {
    const Device *device = findDevice(target);
    devices.push_back(allTargets().find(device->backend)->describe(context.get(), *device));
  }
  (*module)->setAttr(target::kDevicesAttr, ArrayAttr::get(context.get(), devices));
  if (dumps)
    dumps->write(*module, "import");
  return {};
}

Result<void> Compilation::makePlan() {
  phases.begin("passes");
  PipelineOptions options;
  options.name = name;
  options.place = request.place;
  options.noFallback = request.noFallback;
  options.quant = source.quant == "keep" ? "w8" : source.quant; // with keep, of weights that have no encoding yet
  options.embed = request.embed;
  options.head = request.head;
  options.group = source.group;
  options.act = request.act;
  options.kv = request.kv;
  options.taps = request.taps;
  PassManager manager(context.get());
  addPipeline(manager, options);
  if (dumps)
    manager.addInstrumentation(dumps->instrument());
  if (failed(manager.run(*module)))
    return diagnostics->error("a pass failed without a message");
  return {};
}

Result<void> Compilation::checkMemory() {
  const Device &device = *findDevice(request.targets.front());
  MemoryNeed need = memoryNeedOf(*module);
  need.weights += source.tokenizer.size() + source.chatTemplate.size();
  return checkFit(need, device.usableBytes(), device.name);
}

FailureOr<std::vector<Artifact>> Compilation::generate(ModuleOp plan, BlobIdentity blob, DumpIR *dump) {
  OwningOpRef<ModuleOp> library(plan.clone());
  PassManager manager(context.get());
  addLibraryPasses(manager, allTargets(), blob);
  if (dump)
    manager.addInstrumentation(dump->instrument());
  if (failed(manager.run(*library)))
    return failure();
  EmitOptions options;
  options.threads = request.threads;
  return emitLibrary(*library, options);
}

FailureOr<std::vector<Artifact>> Compilation::emit(BlobIdentity blob) {
  phases.begin("codegen");
  auto artifacts = generate(*module, blob, dumps.get());
  phases.begin("bundle");
  return artifacts;
}

/// The same plan for this machine: every device keeps its kind, the first gets this machine's instruction set.
FailureOr<std::string> Compilation::emitForHost(BlobIdentity blob) {
  const Device *host = findDevice("host");
  if (!host)
    return std::string();
  OwningOpRef<ModuleOp> plan(module->clone());
  SmallVector<Attribute> devices(plan->getOperation()->getAttrOfType<ArrayAttr>(target::kDevicesAttr).getValue());
  if (StringRef(findDevice(request.targets.front())->backend) == "reference")
    host = findDevice("reference");
  devices[0] = allTargets().find(host->backend)->describe(context.get(), *host);
  (*plan)->setAttr(target::kDevicesAttr, ArrayAttr::get(context.get(), devices));
  auto artifacts = generate(*plan, blob, nullptr);
  if (failed(artifacts))
    return failure();
  for (Artifact &artifact : *artifacts)
    if (artifact.kind == ArtifactKind::SharedLibrary)
      return std::move(artifact.bytes);
  return std::string();
}

/// The spelling of the encoding of a weight symbol, "" if there is none.
std::string encodingOf(ModuleOp module, StringRef symbol) {
  auto weight =
      SymbolTable::lookupNearestSymbolFrom<model::WeightOp>(module, StringAttr::get(module.getContext(), symbol));
  return weight && weight.getEncAttr() ? weight.getEncAttr().getSpelling().str() : "";
}

ManifestSettings Compilation::settings() {
  ManifestSettings s;
  s.target = llvm::join(request.targets, ",");
  s.place = llvm::join(request.place, ",");
  s.quant = source.quant;
  s.embed = encodingOf(*module, "embed");
  s.head = encodingOf(*module, "lm_head");
  if (s.head.empty())
    s.head = s.embed;
  s.group = uint64_t(source.group);
  s.act = request.act;
  s.context = uint64_t((*module)->getAttrOfType<IntegerAttr>(model::kContextAttr).getInt());
  for (auto cache : module->getOps<model::KVCacheOp>()) {
    s.kv = (cache.getKTypeAttr().getSpelling() + "," + cache.getVTypeAttr().getSpelling()).str();
    break;
  }
  s.taps = llvm::join(request.taps, ",");
  return s;
}

Result<void> Compilation::writeOutput() {
  phases.begin("weights");
  BundleRequest bundle{
      *module,         source.spec, name, settings(), source.stored, source.tokenizer, source.chatTemplate,
      request.threads, {},          {},   {}};
  bundle.emit = [this](BlobIdentity blob) { return emit(blob); };
  bundle.emitForHost = [this](BlobIdentity blob) { return emitForHost(blob); };
  if (request.progress)
    bundle.progress = [this](const std::string &what, double done) {
      phases.show(what + " " + std::to_string(int(done * 100)) + "%");
    };
  auto written = writeBundle(request.output, bundle);
  phases.end();
  if (!written)
    return diagnostics->error(written.error().message());
  report.manifest = written.take();
  return {};
}

Result<CompileReport> Compilation::run() {
  name = request.name.empty() ? identifierFrom(request.model) : request.name;
  if (!request.dumpIR.empty()) {
    auto opened = DumpIR::open(request.dumpIR);
    if (!opened)
      return opened.error();
    dumps = opened.take();
  }
  HR_TRY(readModel());
  HR_TRY(importModel());
  HR_TRY(makePlan());
  HR_TRY(checkMemory());
  HR_TRY(writeOutput());
  if (dumps)
    HR_TRY(dumps->finish());
  report.notes.insert(report.notes.end(), diagnostics->notes().begin(), diagnostics->notes().end());
  report.seconds = phases.seconds;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    report.peakBytes = uint64_t(usage.ru_maxrss) * 1024;
  return std::move(report);
}

} // namespace

Result<CompileReport> compileModel(const CompileRequest &request) { return Compilation(request).run(); }

Result<std::vector<std::string>> resolveTargets(const std::string &list) {
  std::vector<std::string> names;
  SmallVector<StringRef> parts;
  StringRef(list).split(parts, ',');
  for (StringRef part : parts) {
    const Device *device = findDevice(part.str());
    if (!device)
      return Error(unknownDeviceMessage(part.str()));
    if (llvm::is_contained(names, device->name))
      return expectedFound("--target", "each target once", inQuotes(list));
    if (!names.empty() && StringRef(findDevice(names.front())->getVariant().triple) != device->getVariant().triple &&
        device->kind != HR_DEVICE_REFERENCE)
      return expectedFound("--target", "targets of one triple", inQuotes(list));
    names.push_back(device->name);
  }
  if (names.size() > HR_MAX_DEVICES)
    return expectedFound("--target", "at most " + std::to_string(HR_MAX_DEVICES) + " targets",
                         std::to_string(names.size()));
  return names;
}

bool isReservedName(const std::string &name) {
  static const char *const kHeadersOfC[] = {
      "assert", "complex",     "ctype",  "errno",    "fenv",    "float",     "inttypes", "iso646", "limits", "locale",
      "math",   "setjmp",      "signal", "stdalign", "stdarg",  "stdatomic", "stdbool",  "stddef", "stdint", "stdio",
      "stdlib", "stdnoreturn", "string", "tgmath",   "threads", "time",      "uchar",    "wchar",  "wctype"};
  // lib/cmake/NAME defines NAME::NAME, NAME::shared and NAME::port_posix.
  return name == "hr" || StringRef(name).starts_with("hr_") || StringRef(name).starts_with("headrace") ||
         name == "shared" || name == "port_posix" || llvm::is_contained(kHeadersOfC, name);
}

std::string identifierFrom(const std::string &folder) {
  SmallString<128> path(folder);
  llvm::sys::fs::make_absolute(path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  StringRef last = llvm::sys::path::filename(path);
  if (last == ".")
    last = llvm::sys::path::filename(llvm::sys::path::parent_path(path));
  last.consume_back(".gguf");
  std::string name;
  for (char c : last)
    name += llvm::isAlnum(c) ? char(llvm::toLower(c)) : '_';
  if (name.empty() || llvm::isDigit(name[0]) || isReservedName(name))
    name = "m" + name;
  return name;
}

} // namespace headrace
