#include "dialects/target/Target.h"
#include "targets/common/LibraryTables.h"
#include "targets/common/Passes.h"
#include "targets/common/PlanSteps.h"

using namespace mlir;

namespace headrace {
#define GEN_PASS_DEF_LOWERPLAN
#include "targets/common/Passes.h.inc"

const Device *mountedDevice(ModuleOp module, unsigned index) {
  SmallVector<target::Device> devices = target::devicesOf(module);
  if (index >= devices.size()) {
    emitError(module.getLoc(), "target.devices: expected more than ") << index << ", found " << devices.size();
    return nullptr;
  }
  llvm::StringRef name = devices[index].getDeviceName();
  const Device *device = findDevice(name.str());
  if (!device)
    emitError(module.getLoc(), unknownDeviceMessage(name.str()));
  return device;
}

const Variant *libraryVariant(ModuleOp module) {
  const Device *device = mountedDevice(module, 0);
  return device ? &device->getVariant() : nullptr;
}

namespace {

struct LowerPlan : impl::LowerPlanBase<LowerPlan> {
  LowerPlan() = default;
  LowerPlan(const TargetRegistry &registry, LowerPlanOptions options)
      : LowerPlanBase(std::move(options)), registry(&registry) {}

  /// The function of one kernel, by the backend of its device.
  LogicalResult buildKernel(plan::KernelOp kernel, const Variant &variant) {
    FailureOr<KernelSpec> spec = KernelSpec::parse(kernel.getSymName(), kernel.getFamily(), kernel.getParams(),
                                                   kernel.getDevice(), [&] { return kernel.emitOpError(); });
    const Device *device = mountedDevice(getOperation(), kernel.getDevice());
    if (failed(spec) || !device)
      return failure();
    const TargetBackend *backend = registry->find(device->backend);
    if (!backend)
      return kernel.emitOpError("expected a backend ") << device->backend << ", found none";
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    if (failed(backend->buildKernel(builder, kernel.getLoc(), *spec, variant)))
      return failure();
    functions[spec->name] = lastFunction(spec->name);
    if (functions[spec->name])
      return success();
    return kernel.emitOpError("expected its backend to build a function of that name, found none");
  }

  /// Functions and plan.kernel ops share a name here, so that symbol tables cannot help.
  func::FuncOp lastFunction(llvm::StringRef name) {
    for (Operation &op : llvm::reverse(*getOperation().getBody()))
      if (auto function = dyn_cast<func::FuncOp>(op); function && function.getSymName() == name)
        return function;
    return {};
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Variant *variant = libraryVariant(module);
    if (!variant)
      return signalPassFailure();
    SmallVector<Operation *> before =
        llvm::map_to_vector(*module.getBody(), [](Operation &op) -> Operation * { return &op; });
    for (plan::KernelOp kernel : llvm::to_vector(module.getOps<plan::KernelOp>()))
      if (failed(buildKernel(kernel, *variant)))
        return signalPassFailure();
    for (plan::EntryOp entry : llvm::to_vector(module.getOps<plan::EntryOp>()))
      for (auto [index, segment] : llvm::enumerate(entry.getBody().getOps<plan::SegmentOp>()))
        buildSegment(module, entry, segment, index, [&](llvm::StringRef name) { return functions.lookup(name); });
    if (failed(buildLibraryTables(module, {blobHash, blobBytes, tokenBytes, variant->cpuFeatures})))
      return signalPassFailure();
    module.setSymName(plan::findLibrary(module).getSymName());
    functions.clear();
    for (Operation *op : before)
      op->erase();
  }

  const TargetRegistry *registry = nullptr;
  llvm::StringMap<func::FuncOp> functions;
};

} // namespace

std::unique_ptr<Pass> createLowerPlan(const TargetRegistry &registry, LowerPlanOptions options) {
  return std::make_unique<LowerPlan>(registry, std::move(options));
}

void registerTargetDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  scf::SCFDialect, vector::VectorDialect>();
}

void registerTargetPasses(const TargetRegistry &registry) {
  registerPass([&registry] { return createLowerPlan(registry); });
  registerPass([] { return createLowerToLLVM(); });
}

} // namespace headrace
