// hr-kernel-objects VARIANT OUT.a OUT.c [--bench]: the cases built for one variant, by the passes and the emitter that
// bundles are made with, as an archive of objects and as a C table.
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "targets/common/EmitObject.h"
#include "targets/common/Passes.h"
#include "targets/cpu/CpuTarget.h"
#include "targets/reference/ReferenceTarget.h"
#include "test/conformance/Cases.h"
#include "llvm/Object/ArchiveWriter.h"

using namespace mlir;
using namespace headrace;

namespace {

bool writeObjects(ModuleOp module, const Variant &variant, StringRef path) {
  PassManager passes(module.getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLowerToLLVM());
  if (mlir::failed(passes.run(module)))
    return false;
  FailureOr<std::vector<std::string>> objects = emitObjects(module, variant, {});
  if (mlir::failed(objects))
    return false;
  std::vector<llvm::NewArchiveMember> members;
  std::vector<std::string> names;
  names.reserve(objects->size());
  for (size_t i = 0; i != objects->size(); ++i) {
    names.push_back("part" + std::to_string(i) + ".o");
    members.emplace_back(llvm::MemoryBufferRef((*objects)[i], names.back()));
  }
  if (llvm::Error error = llvm::writeArchive(path, members, llvm::SymtabWritingMode::NormalSymtab,
                                             llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false)) {
    llvm::errs() << error << "\n";
    return false;
  }
  return true;
}

void writeTable(llvm::ArrayRef<KernelSpec> cases, const Variant &variant, StringRef path) {
  std::error_code failed;
  llvm::raw_fd_ostream out(path, failed);
  out << "#include \"test/conformance/kernel_case.h\"\n";
  for (const KernelSpec &s : cases)
    out << "void " << s.name << "(void);\n";
  out << "const kernel_case kernel_cases[] = {\n";
  for (const KernelSpec &s : cases)
    out << "  {\"" << s.name << "\", " << s.name << ", " << int(s.family) << ", " << int(s.enc) << ", " << s.group
        << ", " << int(s.x) << ", " << s.n << ", " << s.k << ", " << int(s.act) << ", " << s.bias << ", " << s.gated
        << ", " << s.residual << ", " << s.cols << ", " << (s.out == Encoding::A8) << ", " << s.heads << ", "
        << s.kvHeads << ", " << s.headDim << ", " << s.rotary << ", " << s.context << ", " << int(s.kType) << ", "
        << int(s.vType) << ", " << s.positions << ", " << int(s.kind) << ", " << int(s.qkNorm) << ", " << s.qSpan
        << ", " << s.kSpan << ", " << s.qkBias << ", " << s.window << ", " << s.causal << ", " << s.experts << ", "
        << s.top << ", " << s.weighted << ", " << s.normalise << ", "
        << llvm::format("%.9g, %.9g, %.9g},\n", double(s.eps), double(s.scale), double(s.softcap));
  out << "};\nconst int kernel_case_count = " << cases.size() << ";\nconst char kernel_variant[] = \"" << variant.name
      << "\";\nconst unsigned kernel_cpu_features = " << variant.cpuFeatures << ";\n";
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    llvm::errs() << "usage: hr-kernel-objects VARIANT OUT.a OUT.c [--bench]\n";
    return 2;
  }
  const Variant *variant = findVariant(argv[1]);
  if (!variant) {
    llvm::errs() << "unknown variant " << argv[1] << "\n";
    return 2;
  }
  DialectRegistry registry;
  registerTargetDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  bool bench = argc > 4;
  std::vector<KernelSpec> cases = bench ? benchmarkCases() : conformanceCases();
  std::unique_ptr<TargetBackend> target = variant->dot == DotKind::Scalar ? createReferenceTarget() : createCpuTarget();
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, builder.getUnknownLoc());
  for (const KernelSpec &spec : cases) {
    builder.setInsertionPointToEnd(module->getBody());
    if (mlir::failed(target->buildKernel(builder, builder.getUnknownLoc(), spec, *variant)))
      return 1;
  }
  writeTable(cases, *variant, argv[3]);
  return mlir::failed(mlir::verify(*module)) || !writeObjects(*module, *variant, argv[2]);
}
