#include "targets/common/LibraryTables.h"
#include "dialects/model/Model.h"
#include "dialects/target/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "runtime/abi/hr_abi.h"
#include "targets/common/PlanSteps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace headrace {
namespace {

// The struct types below list the fields of hr_abi.h in order; natural alignment gives both the same layout. These
// sizes change whenever a field is added, and then the lists must follow.
static_assert(sizeof(hr_base) == 32 && sizeof(hr_segment) == 24 && sizeof(hr_entry) == 32 && sizeof(hr_tap) == 32 &&
                  sizeof(hr_slot) == 16 && sizeof(hr_device_info) == 16 && sizeof(hr_kv) == 40 &&
                  sizeof(hr_library) == 216,
              "LibraryTables.cpp must follow hr_abi.h");
static_assert(offsetof(hr_library, cpu_features) == 40 && offsetof(hr_library, bos_id) == 84 &&
                  offsetof(hr_library, token_bytes) == 92 && offsetof(hr_library, model_kind) == 96 &&
                  offsetof(hr_library, devices) == 112 && offsetof(hr_library, kv) == 160 &&
                  offsetof(hr_library, tokens) == 168 && offsetof(hr_base, offset) == 16 &&
                  offsetof(hr_kv, window) == 36 && offsetof(hr_segment, signal) == 16 &&
                  offsetof(hr_entry, rows) == 24 && offsetof(hr_tap, base) == 16 && offsetof(hr_slot, base) == 8,
              "LibraryTables.cpp must follow hr_abi.h");

/// A constant expression: an integer, a zero pointer, the address of a symbol, or a list of such.
struct Constant {
  Type type;
  int64_t integer = 0;
  std::string symbol;
  std::vector<Constant> fields;
};

class TableBuilder {
public:
  TableBuilder(ModuleOp module, plan::LibraryOp library, const LibraryFacts &facts)
      : module(module), library(library), facts(facts), b(OpBuilder::atBlockEnd(module.getBody())),
        loc(library.getLoc()) {
    for (plan::EntryOp entry : module.getOps<plan::EntryOp>())
      entries.push_back(entry);
    llvm::sort(entries, [](plan::EntryOp x, plan::EntryOp y) {
      return std::make_pair(kindOf(x), x.getRows()) < std::make_pair(kindOf(y), y.getRows());
    });
    for (auto [index, base] : llvm::enumerate(plan::basesOf(module)))
      baseIndex[base.getSymName()] = index;
  }

  LogicalResult build();

private:
  static uint32_t kindOf(plan::EntryOp entry) { return entry.getKind() == "head" ? HR_ENTRY_HEAD : HR_ENTRY_BODY; }

  Constant u32(int64_t value) { return {i32, value, {}, {}}; }
  Constant u64(uint64_t value) { return {i64, int64_t(value), {}, {}}; }
  Constant addressOf(std::string symbol) { return {pointer, 0, std::move(symbol), {}}; }
  Constant record(std::vector<Constant> fields);
  Constant string(llvm::StringRef text);
  Constant slot(plan::SlotAttr slot);
  /// The address of a new private array; null when it is empty.
  Constant array(llvm::StringRef name, std::vector<Constant> elements);
  void define(llvm::StringRef name, const Constant &value, LLVM::Linkage linkage);
  Value materialize(const Constant &value);

  FailureOr<Constant> devices();
  /// The number of a text attribute of the module among `names`; 0 when it is absent.
  FailureOr<uint32_t> choice(llvm::StringRef attribute, llvm::ArrayRef<llvm::StringRef> names);
  Constant bases();
  Constant entryTable();
  Constant segments(plan::EntryOp entry);
  Constant taps(uint32_t &count);
  /// Positions that attention looks back over, where the launches say that it is not all.
  llvm::DenseMap<Operation *, int64_t> windows();
  FailureOr<Constant> caches(uint32_t &count);
  Constant sites();
  Constant endIds();

  ModuleOp module;
  plan::LibraryOp library;
  const LibraryFacts &facts;
  OpBuilder b;
  Location loc;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type(), i64 = b.getI64Type();
  SmallVector<plan::EntryOp> entries;
  llvm::StringMap<int64_t> baseIndex;
  llvm::StringMap<std::string> strings;
};

Constant TableBuilder::record(std::vector<Constant> fields) {
  SmallVector<Type> types;
  for (const Constant &field : fields)
    types.push_back(field.type);
  return {LLVM::LLVMStructType::getLiteral(b.getContext(), types), 0, {}, std::move(fields)};
}

Constant TableBuilder::string(llvm::StringRef text) {
  std::string &symbol = strings[text];
  if (symbol.empty()) {
    symbol = "hr.string." + std::to_string(strings.size() - 1);
    std::string bytes = text.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Private, symbol,
                                         b.getStringAttr(bytes));
    global.setUnnamedAddr(LLVM::UnnamedAddr::Global);
  }
  return addressOf(symbol);
}

Constant TableBuilder::slot(plan::SlotAttr slot) {
  return record({u64(slot.getOffset()), u32(baseIndex.lookup(slot.getBase().getValue())), u32(slot.getStride())});
}

Constant TableBuilder::array(llvm::StringRef name, std::vector<Constant> elements) {
  if (elements.empty())
    return addressOf("");
  Type type = LLVM::LLVMArrayType::get(elements.front().type, elements.size());
  define(name, {type, 0, {}, std::move(elements)}, LLVM::Linkage::Private);
  return addressOf(name.str());
}

Value TableBuilder::materialize(const Constant &value) {
  if (value.fields.empty()) {
    if (value.type != pointer)
      return LLVM::ConstantOp::create(b, loc, value.type, b.getIntegerAttr(value.type, value.integer));
    if (value.symbol.empty())
      return LLVM::ZeroOp::create(b, loc, pointer);
    return LLVM::AddressOfOp::create(b, loc, pointer, value.symbol);
  }
  Value result = LLVM::UndefOp::create(b, loc, value.type);
  for (auto [index, field] : llvm::enumerate(value.fields))
    result = LLVM::InsertValueOp::create(b, loc, result, materialize(field), llvm::ArrayRef<int64_t>{int64_t(index)});
  return result;
}

void TableBuilder::define(llvm::StringRef name, const Constant &value, LLVM::Linkage linkage) {
  auto global = LLVM::GlobalOp::create(b, loc, value.type, /*isConstant=*/true, linkage, name, Attribute());
  global.setDsoLocal(true);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, loc, materialize(value));
}

/// The kind comes from the module's #target.device, else the name is the kind.
FailureOr<Constant> TableBuilder::devices() {
  SmallVector<target::Device> described = target::devicesOf(module);
  std::vector<Constant> rows;
  for (auto [index, attr] : llvm::enumerate(library.getDevices())) {
    llvm::StringRef name = cast<StringAttr>(attr).getValue();
    llvm::StringRef kindName = index < described.size() ? described[index].getDeviceKind() : name;
    int kind = llvm::StringSwitch<int>(kindName)
                   .Case("cpu", HR_DEVICE_CPU)
                   .Case("reference", HR_DEVICE_REFERENCE)
                   .Case("hexagon", HR_DEVICE_HEXAGON)
                   .Case("adreno", HR_DEVICE_ADRENO)
                   .Default(-1);
    if (kind < 0)
      return library.emitOpError("device ")
                 << index << ": expected kind cpu, reference, hexagon or adreno, found " << kindName,
             failure();
    rows.push_back(record({string(name), u32(kind), u32(0)}));
  }
  return array("hr.devices", std::move(rows));
}

Constant TableBuilder::bases() {
  std::vector<Constant> rows;
  for (plan::BaseOp base : plan::basesOf(module)) {
    uint32_t kind = llvm::StringSwitch<uint32_t>(base.getKind())
                        .Case("kv", HR_BASE_KV)
                        .Case("section", HR_BASE_SECTION)
                        .Default(HR_BASE_ARENA);
    rows.push_back(record({u32(kind), u32(base.getDevice()), u32(base.getSection().value_or(0)), u32(base.getAlign()),
                           u64(0), u64(base.getBytes())}));
  }
  return array("hr.bases", std::move(rows));
}

Constant TableBuilder::segments(plan::EntryOp entry) {
  std::vector<Constant> rows;
  for (plan::SegmentOp segment : entry.getBody().getOps<plan::SegmentOp>())
    rows.push_back(record({addressOf(segmentSymbol(entry, rows.size())), u32(segment.getDevice()),
                           u32(segment.getWait() ? int32_t(*segment.getWait()) : -1),
                           u32(segment.getSignal() ? int32_t(*segment.getSignal()) : -1), u32(0)}));
  return array(("hr." + entry.getSymName() + ".segments").str(), std::move(rows));
}

Constant TableBuilder::entryTable() {
  std::vector<Constant> rows;
  for (plan::EntryOp entry : entries) {
    auto segmentOps = entry.getBody().getOps<plan::SegmentOp>();
    rows.push_back(
        record({string(entry.getSymName()), segments(entry), u32(std::distance(segmentOps.begin(), segmentOps.end())),
                u32(kindOf(entry)), u32(entry.getRows()), u32(0)}));
  }
  return array("hr.entries", std::move(rows));
}

Constant TableBuilder::taps(uint32_t &count) {
  std::vector<Constant> rows;
  for (auto [index, entry] : llvm::enumerate(entries))
    for (plan::TapOp tap : entry.getBody().getOps<plan::TapOp>())
      rows.push_back(record({string(tap.getName()), u64(tap.getAt().getOffset()),
                             u32(baseIndex.lookup(tap.getAt().getBase().getValue())), u32(tap.getCols()),
                             u32(tap.getStride()), u32(index)}));
  count = rows.size();
  return array("hr.taps", std::move(rows));
}

llvm::DenseMap<Operation *, int64_t> TableBuilder::windows() {
  llvm::StringMap<int64_t> kernels;
  for (plan::KernelOp kernel : module.getOps<plan::KernelOp>())
    if (kernel.getFamily() == "attend" && kernel.intParam("window"))
      kernels[kernel.getSymName()] = kernel.intParam("window");
  llvm::DenseMap<Operation *, int64_t> found;
  for (plan::EntryOp entry : entries)
    entry.walk([&](plan::LaunchOp launch) {
      auto kernel = kernels.find(launch.getKernel());
      if (kernel == kernels.end())
        return;
      auto keys = cast<plan::RefAttr>(launch.getRefs()[1]); // operands: qkv, kcache, vcache, out
      for (model::KVCacheOp cache : module.getOps<model::KVCacheOp>())
        if (("kv" + llvm::Twine(cache.getDevice().value_or(0))).str() == keys.getBase().getValue() &&
            int64_t(cache.getKOffset().value_or(0)) == keys.getOffset())
          found[cache] = kernel->second;
    });
  return found;
}

/// One row a cache, in the order of the module, which is that of the layers.
FailureOr<Constant> TableBuilder::caches(uint32_t &count) {
  auto typeOf = [](enc::Encoding encoding) { return encoding.getSpelling() == "f16" ? HR_KV_F16 : HR_KV_F32; };
  std::vector<Constant> rows;
  llvm::DenseMap<Operation *, int64_t> window = windows();
  for (model::KVCacheOp cache : module.getOps<model::KVCacheOp>()) {
    std::string base = "kv" + std::to_string(cache.getDevice().value_or(0));
    if (!cache.getKOffset() || !cache.getVOffset() || !cache.getKTypeAttr() || !baseIndex.count(base))
      return cache.emitOpError("expected types and places in a KV block, found none"), failure();
    rows.push_back(record({u64(*cache.getKOffset()), u64(*cache.getVOffset()), u32(baseIndex.lookup(base)),
                           u32(typeOf(cache.getKTypeAttr())), u32(typeOf(cache.getVTypeAttr())),
                           u32(cache.getKvHeads()), u32(cache.getHeadDim()), u32(window.lookup(cache))}));
  }
  count = rows.size();
  return array("hr.kv", std::move(rows));
}

Constant TableBuilder::sites() {
  std::vector<Constant> rows;
  for (Attribute site : library.getSites())
    rows.push_back(string(cast<StringAttr>(site).getValue()));
  return array("hr.sites", std::move(rows));
}

Constant TableBuilder::endIds() {
  std::vector<Constant> rows;
  for (int32_t id : library.getEos())
    rows.push_back(u32(id));
  return array("hr.eos", std::move(rows));
}

FailureOr<uint32_t> TableBuilder::choice(llvm::StringRef attribute, llvm::ArrayRef<llvm::StringRef> names) {
  auto text = module->getAttrOfType<StringAttr>(attribute);
  for (auto [index, name] : llvm::enumerate(names))
    if (text ? text.getValue() == name : index == 0)
      return uint32_t(index);
  return library.emitOpError("attribute ")
             << attribute << " of the module: expected " << llvm::join(names, ", ") << ", found " << text.getValue(),
         failure();
}

LogicalResult TableBuilder::build() {
  static_assert(HR_MODEL_ENCODER == 1 && HR_POOLING_MEAN == 1 && HR_POOLING_CLS == 2, "the order of the names below");
  FailureOr<uint32_t> modelKind = choice(model::kKindAttr, {"decoder", "encoder"});
  FailureOr<uint32_t> pooling = choice(model::kPoolingAttr, {"none", "mean", "cls"});
  if (failed(modelKind) || failed(pooling))
    return failure();
  auto normalize = module->getAttrOfType<BoolAttr>(model::kNormalizeAttr);
  FailureOr<Constant> deviceTable = devices();
  if (failed(deviceTable))
    return failure();
  uint32_t tapCount = 0, cacheCount = 0;
  Constant tapTable = taps(tapCount);
  FailureOr<Constant> cacheTable = caches(cacheCount);
  if (failed(cacheTable))
    return failure();
  define((library.getSymName() + "_library").str(),
         record({u32(HR_ABI_VERSION),
                 u32(sizeof(hr_library)),
                 string(library.getSymName()),
                 string(library.getTarget()),
                 u64(facts.blobHash),
                 u64(facts.blobBytes),
                 u32(facts.cpuFeatures),
                 u32(library.getVocab()),
                 u32(library.getHidden()),
                 u32(library.getContext()),
                 u32(library.getMaxPositions()),
                 u32(library.getDevices().size()),
                 u32(baseIndex.size()),
                 u32(entries.size()),
                 u32(tapCount),
                 u32(library.getSites().size()),
                 u32(library.getEos().size()),
                 u32(library.getBos()),
                 u32(cacheCount),
                 u32(facts.tokenBytes),
                 u32(*modelKind),
                 u32(*pooling),
                 u32(normalize && normalize.getValue()),
                 u32(0),
                 *deviceTable,
                 bases(),
                 entryTable(),
                 tapTable,
                 sites(),
                 endIds(),
                 *cacheTable,
                 slot(library.getTokens()),
                 slot(library.getHiddenRows()),
                 slot(library.getLogits())}),
         LLVM::Linkage::External);
  return success();
}

} // namespace

LogicalResult buildLibraryTables(ModuleOp module, const LibraryFacts &facts) {
  plan::LibraryOp library = plan::findLibrary(module);
  if (!library)
    return emitError(module.getLoc(), "expected a plan.library, found none");
  return TableBuilder(module, library, facts).build();
}

OwningOpRef<ModuleOp> buildGetterModule(Location loc, llvm::StringRef library) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  std::string symbol = (library + "_library").str();
  LLVM::GlobalOp::create(b, loc, b.getI8Type(), /*isConstant=*/true, LLVM::Linkage::External, symbol, Attribute());
  auto function = LLVM::LLVMFuncOp::create(b, loc, "hr_library_get", LLVM::LLVMFunctionType::get(pointer, {}));
  b.setInsertionPointToStart(function.addEntryBlock(b));
  LLVM::ReturnOp::create(b, loc, Value(LLVM::AddressOfOp::create(b, loc, pointer, symbol)));
  return module;
}

} // namespace headrace
