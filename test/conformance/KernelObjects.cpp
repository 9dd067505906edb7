// hr-kernel-objects VARIANT OUT.o OUT.c [--bench]: the cases as an object file for one variant, and as a C table.
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "targets/cpu/CpuTarget.h"
#include "targets/reference/ReferenceTarget.h"
#include "test/conformance/Cases.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace headrace;

namespace {
struct LowerAll : PassWrapper<LowerAll, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAll)
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    RewritePatternSet vectors(context);
    vector::populateVectorBroadcastLoweringPatterns(vectors);
    if (failed(applyPatternsGreedily(module, std::move(vectors))))
      return signalPassFailure();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter types(context, options);
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};

bool emitObject(ModuleOp module, const Variant &variant, StringRef path) {
  PassManager passes(module.getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(std::make_unique<LowerAll>());
  if (failed(passes.run(module)))
    return false;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return false;
  llvm::Triple triple(variant.triple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, variant.cpu, variant.features, {}, llvm::Reloc::PIC_, {}, llvm::CodeGenOptLevel::Aggressive));
  for (llvm::Function &function : *code)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", variant.cpu);
      function.addFnAttr("tune-cpu", variant.tune);
      function.addFnAttr("target-features", variant.features);
    }
  code->setTargetTriple(triple);
  code->setDataLayout(machine->createDataLayout());
  if (llvm::Error e = makeOptimizingTransformer(3, 0, machine.get())(code.get())) {
    llvm::errs() << e << "\n";
    return false;
  }
  std::error_code failed;
  llvm::raw_fd_ostream out(path, failed);
  llvm::legacy::PassManager emit;
  machine->addPassesToEmitFile(emit, out, nullptr, llvm::CodeGenFileType::ObjectFile);
  emit.run(*code);
  return !failed;
}

void writeTable(llvm::ArrayRef<KernelSpec> cases, const Variant &variant, StringRef path) {
  std::error_code failed;
  llvm::raw_fd_ostream out(path, failed);
  out << "#include \"test/conformance/cases.h\"\n";
  for (const KernelSpec &s : cases)
    out << "void " << s.name << "(void);\n";
  out << "const kernel_case kernel_cases[] = {\n";
  for (const KernelSpec &s : cases)
    out << "  {\"" << s.name << "\", " << s.name << ", " << int(s.family) << ", " << int(s.enc) << ", " << s.group
        << ", " << s.n << ", " << s.k << ", " << int(s.act) << ", " << s.bias << ", " << s.gated << ", " << s.residual
        << ", " << s.cols << ", " << (s.out == Encoding::A8) << ", " << s.heads << ", " << s.kvHeads << ", "
        << s.headDim << ", " << s.rotary << ", " << s.context << ", " << int(s.kType) << ", " << int(s.vType) << ", "
        << llvm::format("%.9g, %.9g},\n", double(s.eps), double(s.scale));
  out << "};\nconst int kernel_case_count = " << cases.size() << ";\nconst char kernel_variant[] = \"" << variant.name
      << "\";\nconst unsigned kernel_cpu_features = " << variant.cpuFeatures << ";\n";
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    llvm::errs() << "usage: hr-kernel-objects VARIANT OUT.o OUT.c [--bench]\n";
    return 2;
  }
  const Variant *variant = findVariant(argv[1]);
  if (!variant) {
    llvm::errs() << "unknown variant " << argv[1] << "\n";
    return 2;
  }
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  DialectRegistry registry;
  registerAllToLLVMIRTranslations(registry);
  MLIRContext context(registry);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect,
                      cf::ControlFlowDialect>();
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
  if (getenv("HR_DUMP"))
    module->dump();
  writeTable(cases, *variant, argv[3]);
  return mlir::failed(mlir::verify(*module)) || !emitObject(*module, *variant, argv[2]);
}
