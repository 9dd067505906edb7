#include "targets/common/PlanSteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "runtime/abi/hr_abi.h"

using namespace mlir;

namespace headrace {
namespace {

// The fields of hr_step in the order of stepType below. The struct is naturally aligned in C and in LLVM alike.
enum StepField { StepBase, StepShare, StepBarrier, StepFault, StepNValid, StepPos, StepRow0, StepThreads };
static_assert(offsetof(hr_step, share) == sizeof(void *) && offsetof(hr_step, barrier) == 2 * sizeof(void *) &&
                  offsetof(hr_step, fault) == 3 * sizeof(void *) && offsetof(hr_step, n_valid) == 4 * sizeof(void *) &&
                  offsetof(hr_step, pos) == 4 * sizeof(void *) + 4 &&
                  offsetof(hr_step, row0) == 4 * sizeof(void *) + 8 &&
                  offsetof(hr_step, threads) == 4 * sizeof(void *) + 12,
              "stepType must follow hr_step");

class SegmentBuilder {
public:
  SegmentBuilder(ModuleOp module, plan::EntryOp entry, LLVM::LLVMFuncOp function,
                 llvm::function_ref<func::FuncOp(llvm::StringRef)> kernelOf)
      : module(module), entry(entry), function(function), kernelOf(kernelOf), b(module.getContext()),
        loc(function.getLoc()) {}

  void build(plan::SegmentOp segment);

private:
  Value constant(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
  Value loadField(StepField field, Type type);
  Value loadShare(Value thread, int32_t next);
  void loadStep(plan::SegmentOp segment);
  Value address(plan::RefAttr ref);
  void launch(plan::LaunchOp op);
  void copy(plan::CopyOp op);
  void barrier();

  ModuleOp module;
  plan::EntryOp entry;
  LLVM::LLVMFuncOp function;
  llvm::function_ref<func::FuncOp(llvm::StringRef)> kernelOf;
  OpBuilder b;
  Location loc;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type(), i64 = b.getI64Type();
  Value step, thread, bases, shareBegin, shareEnd, fault, nValid, nValid64, pos, row0, isLast;
  llvm::DenseMap<llvm::StringRef, Value> baseAddress;
};

Value SegmentBuilder::loadField(StepField field, Type type) {
  auto stepType =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer, pointer, pointer, i32, i32, i32, i32});
  Value address = LLVM::GEPOp::create(b, loc, pointer, stepType, step, llvm::ArrayRef<LLVM::GEPArg>{0, int32_t(field)});
  return LLVM::LoadOp::create(b, loc, type, address, type == pointer ? 8 : 4, false, false, true);
}

/// share[thread + next], widened.
Value SegmentBuilder::loadShare(Value thread, int32_t next) {
  Value table = loadField(StepShare, pointer);
  Value wide = arith::ExtUIOp::create(b, loc, i64, thread);
  Value index = arith::AddIOp::create(b, loc, wide, constant(next));
  Value address = LLVM::GEPOp::create(b, loc, pointer, i32, table, llvm::ArrayRef<LLVM::GEPArg>{index});
  return arith::ExtUIOp::create(b, loc, i64, LLVM::LoadOp::create(b, loc, i32, address, 4, false, false, true));
}

/// Loads everything the segment needs of hr_step; what it does not need, LLVM drops.
void SegmentBuilder::loadStep(plan::SegmentOp segment) {
  shareBegin = loadShare(thread, 0);
  shareEnd = loadShare(thread, 1);
  Value faults = loadField(StepFault, pointer), index = arith::ExtUIOp::create(b, loc, i64, thread);
  fault = LLVM::GEPOp::create(b, loc, pointer, i32, faults, llvm::ArrayRef<LLVM::GEPArg>{index});
  nValid = loadField(StepNValid, i32);
  nValid64 = arith::ExtUIOp::create(b, loc, i64, nValid);
  pos = loadField(StepPos, i32);
  row0 = arith::ExtUIOp::create(b, loc, i64, loadField(StepRow0, i32));
  Value threads = loadField(StepThreads, i32);
  Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
  Value last = arith::SubIOp::create(b, loc, threads, one);
  isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, last);
  Value table = loadField(StepBase, pointer);
  for (auto [index, base] : llvm::enumerate(plan::basesOf(module))) {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, pointer, table, llvm::ArrayRef<LLVM::GEPArg>{int32_t(index)});
    baseAddress[base.getSymName()] = LLVM::LoadOp::create(b, loc, pointer, slot, 8, false, false, true);
  }
}

Value SegmentBuilder::address(plan::RefAttr ref) {
  Value offset = constant(ref.getOffset());
  if (ref.getRow0()) {
    Value moved = arith::MulIOp::create(b, loc, row0, constant(ref.getRow0()));
    offset = arith::AddIOp::create(b, loc, offset, moved);
  }
  Value base = baseAddress.lookup(ref.getBase().getValue());
  return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, llvm::ArrayRef<LLVM::GEPArg>{offset});
}

void SegmentBuilder::launch(plan::LaunchOp op) {
  Value tiles = constant(op.getTiles());
  if (op.getPerRow())
    tiles = arith::MulIOp::create(b, loc, tiles, nValid64);
  Value sixteen = constant(16);
  auto bound = [&](Value share) -> Value {
    Value scaled = arith::MulIOp::create(b, loc, tiles, share);
    return arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, scaled, sixteen));
  };
  Value begin = bound(shareBegin), end = bound(shareEnd);
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, begin, end);
  auto branch = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> arguments;
  for (Attribute ref : op.getRefs())
    arguments.push_back(address(cast<plan::RefAttr>(ref)));
  if (op.getSite()) {
    arguments.push_back(fault);
    arguments.push_back(arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(*op.getSite()))));
  }
  arguments.append({nValid, pos, begin, end});
  func::CallOp::create(b, loc, kernelOf(op.getKernel()), arguments);
}

/// The last thread moves 16 bytes at a time where the size allows it, else single bytes.
void SegmentBuilder::copy(plan::CopyOp op) {
  auto branch = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value bytes = constant(op.getBytes());
  if (op.getPerRow())
    bytes = arith::MulIOp::create(b, loc, bytes, nValid64);
  int64_t unit = op.getBytes() % 16 == 0 ? 16 : 1;
  Type type = unit == 16 ? Type(VectorType::get({16}, b.getI8Type())) : b.getI8Type();
  Value from = address(op.getFrom()), to = address(op.getTo());
  auto loop = scf::ForOp::create(b, loc, constant(0), bytes, constant(unit));
  b.setInsertionPointToStart(loop.getBody());
  LLVM::GEPArg index = loop.getInductionVar();
  Value source = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), from, index);
  Value target = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), to, index);
  LLVM::StoreOp::create(b, loc, LLVM::LoadOp::create(b, loc, type, source, 1), target, 1);
}

void SegmentBuilder::barrier() {
  constexpr llvm::StringLiteral name = "hr_barrier_wait";
  auto wait = module.lookupSymbol<func::FuncOp>(name);
  if (!wait) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    wait = func::FuncOp::create(b, loc, name, b.getFunctionType({pointer, i32}, {}));
    wait.setPrivate();
  }
  func::CallOp::create(b, loc, wait, ValueRange{step, thread});
}

void SegmentBuilder::build(plan::SegmentOp segment) {
  b.setInsertionPointToStart(function.addEntryBlock(b));
  step = function.getArgument(0);
  thread = function.getArgument(1);
  loadStep(segment);
  for (Operation &op : segment.getBody().front()) {
    loc = op.getLoc();
    if (auto launchOp = dyn_cast<plan::LaunchOp>(op))
      launch(launchOp);
    else if (auto copyOp = dyn_cast<plan::CopyOp>(op))
      copy(copyOp);
    else if (isa<plan::BarrierOp>(op))
      barrier();
  }
  LLVM::ReturnOp::create(b, function.getLoc(), ValueRange());
}

} // namespace

std::string segmentSymbol(plan::EntryOp entry, unsigned index) {
  return (entry.getSymName() + "_seg" + llvm::Twine(index)).str();
}

void buildSegment(ModuleOp module, plan::EntryOp entry, plan::SegmentOp segment, unsigned index,
                  llvm::function_ref<func::FuncOp(llvm::StringRef)> kernelOf) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  MLIRContext *context = builder.getContext();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {LLVM::LLVMPointerType::get(context), builder.getI32Type()});
  auto function = LLVM::LLVMFuncOp::create(builder, segment.getLoc(), segmentSymbol(entry, index), type);
  SegmentBuilder(module, entry, function, kernelOf).build(segment);
}

} // namespace headrace
