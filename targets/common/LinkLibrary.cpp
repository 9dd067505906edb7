#include "targets/common/LinkLibrary.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

LLD_HAS_DRIVER(elf)

using namespace mlir;

namespace headrace {
namespace {

/// A folder for the linker, which reads and writes files only; gone with the object. Paths never get into the outputs.
class WorkFolder {
public:
  WorkFolder() { valid = !llvm::sys::fs::createUniqueDirectory("headrace-link", path); }
  ~WorkFolder() {
    if (valid)
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> result(path);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  bool valid;

private:
  llvm::SmallString<128> path;
};

class Linker {
public:
  Linker(Location loc, const LinkInputs &inputs, const RuntimeObjects &runtime)
      : loc(loc), inputs(inputs), runtime(runtime) {}

  FailureOr<std::vector<Artifact>> run();

private:
  LogicalResult write(llvm::StringRef name, llvm::StringRef bytes);
  LogicalResult link(llvm::ArrayRef<std::string> arguments);
  FailureOr<std::string> read(llvm::StringRef name);
  LogicalResult writeInputs();
  FailureOr<std::string> linkGenerated();
  FailureOr<std::string> linkShared();
  FailureOr<std::string> linkRun();
  FailureOr<std::string> archive(llvm::StringRef generated);
  std::string librarySymbol() const { return inputs.name + "_library"; }

  Location loc;
  const LinkInputs &inputs;
  const RuntimeObjects &runtime;
  WorkFolder folder;
};

LogicalResult Linker::write(llvm::StringRef name, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(folder.file(name), error);
  if (!error)
    stream << bytes;
  stream.close();
  if (!error && !stream.has_error())
    return success();
  stream.clear_error();
  return emitError(loc, "temporary file ") << folder.file(name) << ": expected to write it, found "
                                           << (error ? error.message() : std::string("no space"));
}

FailureOr<std::string> Linker::read(llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(folder.file(name), false, false);
  if (buffer)
    return (*buffer)->getBuffer().str();
  emitError(loc, "temporary file ") << folder.file(name) << ": expected to read it, found "
                                    << buffer.getError().message();
  return failure();
}

/// Runs lld in this process. Its state is undefined after an error: no second try.
LogicalResult Linker::link(llvm::ArrayRef<std::string> arguments) {
  static bool broken = false;
  if (broken)
    return emitError(loc, "linker: expected no call after an error, found one; run the compiler again");
  std::vector<const char *> argv = {"ld.lld"};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string text;
  llvm::raw_string_ostream stream(text);
  lld::Result result = lld::lldMain(argv, stream, stream, {{lld::Gnu, &lld::elf::link}});
  broken = result.retCode != 0 || !result.canRunAgain;
  if (result.retCode == 0)
    return success();
  return emitError(loc, "linker: expected to link, found ") << llvm::StringRef(text).split('\n').first;
}

LogicalResult Linker::writeInputs() {
  for (size_t i = 0; i != inputs.objects.size(); ++i)
    if (failed(write("part" + std::to_string(i) + ".o", inputs.objects[i])))
      return failure();
  std::string script = "{ global: hr_*; " + librarySymbol() + "; local: hr_barrier_wait; *; };\n";
  return success(succeeded(write("get.o", inputs.getter)) && succeeded(write("core.o", runtime.core)) &&
                 succeeded(write("reference.o", runtime.reference)) && succeeded(write("run.o", runtime.run)) &&
                 succeeded(write("exports", script)));
}

/// One relocatable object with `<name>_library` as its only global definition. Unused kernels are dropped.
FailureOr<std::string> Linker::linkGenerated() {
  std::vector<std::string> arguments = {"-r", "--gc-sections", "-u", librarySymbol(), "-o", folder.file("all.o")};
  for (size_t i = 0; i != inputs.objects.size(); ++i)
    arguments.push_back(folder.file("part" + std::to_string(i) + ".o"));
  arguments.push_back(folder.file("reference.o"));
  if (failed(link(arguments)))
    return failure();
  FailureOr<std::string> linked = read("all.o");
  if (failed(linked))
    return failure();

  llvm::objcopy::ConfigManager config;
  std::string keep = librarySymbol();
  auto onError = [](llvm::Error error) { return error; };
  llvm::cantFail(config.Common.SymbolsToKeepGlobal.addMatcher(
      llvm::objcopy::NameOrPattern::create(keep, llvm::objcopy::MatchStyle::Literal, onError)));
  config.Common.OutputFilename = "generated.o";
  llvm::Expected<std::unique_ptr<llvm::object::Binary>> binary =
      llvm::object::createBinary(llvm::MemoryBufferRef(*linked, "all.o"));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::Error error = binary ? llvm::objcopy::executeObjcopyOnBinary(config, **binary, stream) : binary.takeError();
  if (error)
    return emitError(loc, "generated object: ") << llvm::toString(std::move(error)), failure();
  if (failed(write("generated.o", bytes)))
    return failure();
  return bytes;
}

/// 16 KiB pages: newer Android devices refuse less. hr_* and `<name>_library` are the only dynamic symbols.
FailureOr<std::string> Linker::linkShared() {
  std::vector<std::string> arguments = {"-shared",
                                        "-o",
                                        folder.file("library.so"),
                                        "-soname",
                                        "lib" + inputs.name + ".so",
                                        "-z",
                                        "max-page-size=16384",
                                        "-z",
                                        "defs",
                                        "-z",
                                        "now",
                                        "-z",
                                        "relro",
                                        "-z",
                                        "noexecstack",
                                        "--build-id=none",
                                        "--gc-sections",
                                        "-Bsymbolic",
                                        "--hash-style=both",
                                        "--version-script=" + folder.file("exports")};
  for (const char *object : {"generated.o", "get.o", "core.o"})
    arguments.push_back(folder.file(object));
  if (failed(link(arguments)))
    return failure();
  return read("library.so");
}

FailureOr<std::string> Linker::linkRun() {
  std::vector<std::string> arguments = {
      "-static", "-o",          folder.file("headrace-run"), "-e",           "_start", "-z", "max-page-size=16384",
      "-z",      "noexecstack", "--build-id=none",           "--gc-sections"};
  for (const char *object : {"run.o", "generated.o", "get.o", "core.o"})
    arguments.push_back(folder.file(object));
  if (failed(link(arguments)))
    return failure();
  return read("headrace-run");
}

FailureOr<std::string> Linker::archive(llvm::StringRef generated) {
  std::vector<llvm::NewArchiveMember> members;
  std::string generatedName = inputs.name + ".o", getterName = inputs.name + "_get.o";
  members.emplace_back(llvm::MemoryBufferRef(generated, generatedName));
  members.emplace_back(llvm::MemoryBufferRef(inputs.getter, getterName));
  members.emplace_back(llvm::MemoryBufferRef(runtime.core, "headrace.o"));
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> bytes =
      llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false);
  if (!bytes)
    return emitError(loc, "archive: ") << llvm::toString(bytes.takeError()), failure();
  return (*bytes)->getBuffer().str();
}

FailureOr<std::vector<Artifact>> Linker::run() {
  if (!folder.valid)
    return emitError(loc, "temporary folder: expected to create one, found none; set TMPDIR"), failure();
  if (failed(writeInputs()))
    return failure();
  FailureOr<std::string> generated = linkGenerated();
  if (failed(generated))
    return failure();
  FailureOr<std::string> shared = linkShared();
  if (failed(shared))
    return failure();
  FailureOr<std::string> program = linkRun();
  if (failed(program))
    return failure();
  FailureOr<std::string> library = archive(*generated);
  if (failed(library))
    return failure();
  std::string path = "lib/" + inputs.triple.str() + "/";
  std::vector<Artifact> artifacts;
  artifacts.push_back({path + "lib" + inputs.name + ".a", ArtifactKind::StaticLibrary, std::move(*library)});
  artifacts.push_back({path + "lib" + inputs.name + ".so", ArtifactKind::SharedLibrary, std::move(*shared)});
  artifacts.push_back({path + "libhr_port_posix.a", ArtifactKind::StaticLibrary, runtime.portPosix.str()});
  artifacts.push_back({path + "headrace-run", ArtifactKind::Executable, std::move(*program)});
  return artifacts;
}

} // namespace

FailureOr<std::vector<Artifact>> linkLibrary(Location loc, const LinkInputs &inputs) {
  const RuntimeObjects *runtime = findRuntime(inputs.triple);
  if (!runtime)
    return emitError(loc, "triple ") << inputs.triple
                                     << ": expected one that Headrace was built with, found no runtime",
           failure();
  return Linker(loc, inputs, *runtime).run();
}

} // namespace headrace
