// The only source that runs LLVM: translation, O3, code generation.
#include "targets/common/EmitObject.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/StripDeadPrototypes.h"
#include <mutex>
#include <set>

using namespace mlir;

namespace headrace {
namespace {

/// Functions of one part. Small enough that two cores share the work of a model, large enough that parsing does not
/// count.
constexpr unsigned functionsPerPart = 4;

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Variant &variant, unsigned optLevel) {
  initializeTargets();
  llvm::Triple triple(variant.triple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.FunctionSections = true;
  options.DataSections = true;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, variant.cpu, variant.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optLevel == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Aggressive));
}

/// Every definition gets the variant's instruction set and stays a function: steps call kernels, so that a profile
/// names the kernel. "no-builtins" and the empty library table below keep loops from becoming calls of memset and the
/// like.
void setFunctionAttributes(llvm::Module &module, const Variant &variant) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", variant.cpu);
    function.addFnAttr("tune-cpu", variant.tune);
    if (*variant.features)
      function.addFnAttr("target-features", variant.features);
    function.addFnAttr("no-builtins");
    function.addFnAttr("prefer-vector-width", std::to_string(variant.vectorBytes * 8));
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr(llvm::Attribute::NoInline);
  }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes = optLevel == 0 ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                                                 : builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  passes.addPass(llvm::StripDeadPrototypesPass());
  passes.run(module, modules);
}

bool emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
              llvm::SmallVectorImpl<char> &out) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return false;
  passes.run(module);
  return true;
}

/// Leaves in `module` only the part's share: other definitions become declarations.
void keepPart(llvm::Module &module, const std::set<std::string> &kept) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !kept.count(function.getName().str())) {
      function.deleteBody();
      function.setComdat(nullptr);
    }
  for (llvm::GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !kept.count(variable.getName().str()) && !variable.hasLocalLinkage())
      variable.setInitializer(nullptr);
}

struct Part {
  std::set<std::string> kept;
  llvm::SmallVector<char, 0> object;
  std::string error;
};

void emitPart(Part &part, llvm::StringRef bitcode, const Variant &variant, unsigned optLevel) {
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode, "headrace"), context);
  if (!module) {
    part.error = llvm::toString(module.takeError());
    return;
  }
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(variant, optLevel);
  keepPart(**module, part.kept); // the bodies of other parts are never read
  if (llvm::Error unreadable = (*module)->materializeAll()) {
    part.error = llvm::toString(std::move(unreadable));
    return;
  }
  optimize(**module, *machine, optLevel);
  if (!emitFile(**module, *machine, llvm::CodeGenFileType::ObjectFile, part.object))
    part.error = "the target cannot emit objects";
}

/// Functions in groups of functionsPerPart in module order; all data goes with the first.
std::vector<Part> splitModule(const llvm::Module &module) {
  std::vector<Part> parts(1);
  for (const llvm::GlobalVariable &variable : module.globals())
    parts[0].kept.insert(variable.getName().str());
  unsigned count = 0;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (count++ % functionsPerPart == 0 && count > 1)
      parts.emplace_back();
    parts.back().kept.insert(function.getName().str());
  }
  return parts;
}

/// Translates to LLVM IR, ready to be split or emitted.
std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context, const Variant &variant,
                                        llvm::TargetMachine &machine) {
  registerBuiltinDialectTranslation(*module->getContext());
  registerLLVMDialectTranslation(*module->getContext());
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context, "headrace");
  if (!translated)
    return nullptr;
  translated->setTargetTriple(llvm::Triple(variant.triple));
  translated->setDataLayout(machine.createDataLayout());
  translated->setPICLevel(llvm::PICLevel::BigPIC);
  setFunctionAttributes(*translated, variant);
  return translated;
}

/// Code generation must not bring in a name that the module does not know.
LogicalResult checkUndefined(ModuleOp module, const std::vector<Part> &parts) {
  std::set<std::string> defined, used;
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      defined.insert(symbol.getName().str());
  for (const Part &part : parts) {
    auto object = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(llvm::StringRef(part.object.data(), part.object.size()), "headrace"));
    if (!object) {
      llvm::consumeError(object.takeError());
      return emitError(module.getLoc(), "code generation: expected an object file");
    }
    for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
      uint32_t flags = llvm::cantFail(symbol.getFlags());
      std::string name = llvm::cantFail(symbol.getName()).str();
      if (!name.empty())
        (flags & llvm::object::SymbolRef::SF_Undefined ? used : defined).insert(name);
    }
  }
  for (const std::string &name : used)
    if (!defined.count(name))
      return emitError(module.getLoc(), "code generation: expected self-contained code, found a call of ") << name;
  return success();
}

} // namespace

FailureOr<std::vector<std::string>> emitObjects(ModuleOp module, const Variant &variant, const EmitOptions &options) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(variant, options.optLevel);
  if (!machine)
    return emitError(module.getLoc(), "target ") << variant.name << ": expected an LLVM with it, found none", failure();
  llvm::SmallVector<char, 0> bitcode;
  std::vector<Part> parts;
  {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> translated = translate(module, context, variant, *machine);
    if (!translated)
      return emitError(module.getLoc(), "translation to LLVM IR failed"), failure();
    parts = splitModule(*translated);
    llvm::raw_svector_ostream stream(bitcode);
    llvm::WriteBitcodeToFile(*translated, stream);
  }
  llvm::StringRef bytes(bitcode.data(), bitcode.size());
  {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
    for (Part &part : parts)
      pool.async([&part, bytes, &variant, &options] { emitPart(part, bytes, variant, options.optLevel); });
    pool.wait();
  }
  std::vector<std::string> objects;
  for (const Part &part : parts) {
    if (!part.error.empty())
      return emitError(module.getLoc(), "code generation: ") << part.error, failure();
    objects.emplace_back(part.object.begin(), part.object.end());
  }
  if (failed(checkUndefined(module, parts)))
    return failure();
  return objects;
}

FailureOr<std::string> emitAssembly(ModuleOp module, const Variant &variant, const EmitOptions &options) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(variant, options.optLevel);
  if (!machine)
    return emitError(module.getLoc(), "target ") << variant.name << ": expected an LLVM with it, found none", failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = translate(module, context, variant, *machine);
  if (!translated)
    return emitError(module.getLoc(), "translation to LLVM IR failed"), failure();
  optimize(*translated, *machine, options.optLevel);
  llvm::SmallVector<char, 0> text;
  if (!emitFile(*translated, *machine, llvm::CodeGenFileType::AssemblyFile, text))
    return emitError(module.getLoc(), "code generation: the target cannot emit assembly"), failure();
  return std::string(text.begin(), text.end());
}

} // namespace headrace
