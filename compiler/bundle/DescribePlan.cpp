#include "compiler/bundle/DescribePlan.h"
#include "compiler/bundle/Recipe.h"
#include "dialects/plan/Plan.h"
#include "dialects/target/Target.h"
#include "headrace.h"
#include "targets/devices/Device.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

#include <set>

using namespace mlir;

namespace headrace {
namespace {

/// The entries that generate one token.
bool isDecodeEntry(plan::EntryOp entry) { return entry.getRows() == 1; }

/// Sizes that the runtime computes from hr_library, for a library of this plan; pointers of 64 bits are the largest
/// there are.
void describeMemory(ModuleOp plan, uint32_t tokenBytes, Manifest &manifest) {
  std::vector<hr_base> bases;
  for (plan::BaseOp base : plan::basesOf(plan)) {
    uint32_t kind = llvm::StringSwitch<uint32_t>(base.getKind())
                        .Case("kv", HR_BASE_KV)
                        .Case("section", HR_BASE_SECTION)
                        .Default(HR_BASE_ARENA);
    bases.push_back({kind, base.getDevice(), base.getSection().value_or(0), uint32_t(base.getAlign()), 0,
                     uint64_t(base.getBytes())});
  }
  std::vector<hr_entry> entries;
  for (auto entry : plan.getOps<plan::EntryOp>()) {
    hr_entry row = {};
    row.kind = entry.getKind() == "head" ? HR_ENTRY_HEAD : HR_ENTRY_BODY;
    row.rows = uint32_t(entry.getRows());
    entries.push_back(row);
  }
  plan::LibraryOp op = plan::findLibrary(plan);
  hr_library library = {};
  library.vocab_size = uint32_t(op.getVocab());
  library.token_bytes = tokenBytes;
  library.hidden_size = uint32_t(op.getHidden());
  library.context = uint32_t(op.getContext());
  library.max_positions = uint32_t(op.getMaxPositions());
  library.device_count = uint32_t(op.getDevices().size());
  library.base_count = uint32_t(bases.size());
  library.bases = bases.data();
  library.entry_count = uint32_t(entries.size());
  library.entries = entries.data();
  manifest.arenaBytes = hr_arena_bytes(&library);
  manifest.sessionBytes = hr_session_bytes(&library);
}

void describeModel(ModuleOp plan, Manifest &manifest) {
  plan::LibraryOp library = plan::findLibrary(plan);
  manifest.model.context = uint64_t(library.getContext());
  manifest.model.maxPositions = uint64_t(library.getMaxPositions());
  manifest.model.bos = int32_t(library.getBos());
  if (auto kind = plan->getAttrOfType<StringAttr>(model::kKindAttr))
    manifest.model.kind = kind.getValue().str();
  if (auto pooling = plan->getAttrOfType<StringAttr>(model::kPoolingAttr))
    manifest.model.pooling = pooling.getValue().str();
  if (auto normalize = plan->getAttrOfType<BoolAttr>(model::kNormalizeAttr))
    manifest.model.normalize = normalize.getValue();
  for (int32_t id : library.getEos())
    manifest.model.eos.push_back(id);
  for (auto name : library.getDevices().getAsRange<StringAttr>())
    manifest.devices.push_back(name.str());
}

void describeSections(const std::vector<hr_blob_section> &sections, Manifest &manifest) {
  static const char *const kKinds[] = {"", "weights", "tokenizer", "template"};
  static const char *const kMemory[] = {"file map", "dma-buf", "OpenCL buffer", "flash"};
  for (const hr_blob_section &section : sections) {
    manifest.model.tokenizer |= section.kind == HR_SECTION_TOKENIZER;
    manifest.model.chatTemplate |= section.kind == HR_SECTION_TEMPLATE;
    manifest.sections.push_back(
        {section.name, kKinds[section.kind], kMemory[section.memory], section.device, section.offset, section.bytes});
  }
}

/// Bytes of a weight that a launch reads for one row of a step: all of a matrix or vector, one expert of several, one
/// row of a table that is looked up.
uint64_t bytesPerRow(model::WeightOp weight, plan::KernelOp kernel) {
  uint64_t bytes = uint64_t(weight.getBytes().value_or(0)), rows = uint64_t(weight.getTensorType().getDimSize(0));
  if (int64_t experts = tile::intParam(kernel.getParams(), "experts"))
    return bytes / uint64_t(experts);
  StringRef family = kernel.getFamily();
  bool lookedUp = (family == "embed" || family == "rope_append") && weight.getTensorType().getRank() > 1;
  return lookedUp ? bytes / std::max<uint64_t>(1, rows) : bytes;
}

/// Everything that a walk over the launches tells: entries, kernels, the arena's values, and who reads which weight.
class Launches {
public:
  Launches(ModuleOp plan, Manifest &manifest) : plan(plan), manifest(manifest), symbols(plan) {
    for (auto weight : plan.getOps<model::WeightOp>())
      weightAt[{uint32_t(weight.getDevice().value_or(0)), int64_t(weight.getOffset().value_or(0))}] = weight;
  }
  void describe();
  llvm::ArrayRef<StringRef> readersOf(model::WeightOp weight) { return readers[weight].getArrayRef(); }
  /// Bytes of weights that the launches of one generated token read.
  uint64_t decodeBytes() const { return bytesPerToken; }

private:
  void describeLaunch(plan::EntryOp entry, plan::LaunchOp launch, ManifestEntry &row);
  void describeOperand(plan::EntryOp entry, plan::LaunchOp launch, plan::KernelOp kernel, const tile::OperandInfo &info,
                       plan::RefAttr ref);

  ModuleOp plan;
  Manifest &manifest;
  SymbolTable symbols;
  std::map<std::pair<uint32_t, int64_t>, model::WeightOp> weightAt;
  llvm::DenseMap<Operation *, llvm::SetVector<StringRef>> readers;
  uint64_t bytesPerToken = 0;
  llvm::MapVector<Operation *, uint64_t> launches; // of one generated token, per kernel
  std::set<std::tuple<std::string, std::string, uint64_t>> seenBuffers;
};

void Launches::describeOperand(plan::EntryOp entry, plan::LaunchOp launch, plan::KernelOp kernel,
                               const tile::OperandInfo &info, plan::RefAttr ref) {
  auto base = symbols.lookup<plan::BaseOp>(ref.getBase().getAttr());
  if (base.getKind() == "section") {
    auto weight = weightAt.find({base.getDevice(), ref.getOffset()});
    if (weight == weightAt.end())
      return;
    readers[weight->second].insert(kernel.getSymName());
    if (isDecodeEntry(entry))
      bytesPerToken += bytesPerRow(weight->second, kernel);
    return;
  }
  int64_t bytes = plan::extentOf(info, plan::rowsOf(kernel.getFamilyInfo(), entry.getRows()));
  if (base.getKind() != "arena" || !info.isWritten() || bytes < 0)
    return;
  std::string value = model::anchorOf(launch.getLoc()).str();
  if (info.name == "sum")
    value += ".sum";
  if (seenBuffers.insert({entry.getSymName().str(), value, uint64_t(ref.getOffset())}).second)
    manifest.buffers.push_back(
        {entry.getSymName().str(), value, base.getDevice(), uint64_t(ref.getOffset()), uint64_t(bytes)});
}

void Launches::describeLaunch(plan::EntryOp entry, plan::LaunchOp launch, ManifestEntry &row) {
  ++row.launches;
  auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernelAttr().getAttr());
  launches[kernel] += isDecodeEntry(entry);
  for (auto [info, ref] : llvm::zip(kernel.getOperandInfos(), launch.getRefs().getAsRange<plan::RefAttr>()))
    describeOperand(entry, launch, kernel, info, ref);
}

void Launches::describe() {
  for (auto entry : plan.getOps<plan::EntryOp>()) {
    ManifestEntry row{entry.getSymName().str(), entry.getKind().str(), uint64_t(entry.getRows()), 0, 0, 0};
    entry.walk([&](Operation *op) {
      row.barriers += isa<plan::BarrierOp>(op);
      row.copies += isa<plan::CopyOp>(op);
      if (auto launch = dyn_cast<plan::LaunchOp>(op))
        describeLaunch(entry, launch, row);
    });
    manifest.entries.push_back(row);
  }
  for (auto [op, count] : launches) {
    auto kernel = cast<plan::KernelOp>(op);
    manifest.kernels.push_back(
        {kernel.getSymName().str(), kernel.getFamily().str(), uint64_t(kernel.getDevice()), count});
  }
}

/// What a checkpoint calls the elements of a range: of bytes in blocks, the blocks.
std::string dtypeText(recipe::RangeOp range) {
  Type element = cast<RankedTensorType>(range.getResult().getType()).getElementType();
  for (Operation *user : range->getUsers())
    if (auto blocks = dyn_cast<recipe::FromBlocksOp>(user))
      return blocks.getType().str();
  if (element.isInteger())
    return element.isInteger(8) ? "I8" : "I32";
  return element.isF32() ? "F32" : element.isF16() ? "F16" : "BF16";
}

std::vector<ManifestSource> sourcesOf(model::WeightOp weight) {
  std::vector<ManifestSource> sources;
  weight.walk([&](Operation *op) {
    if (auto range = dyn_cast<recipe::RangeOp>(op))
      sources.push_back({range.getTensor().str(), range.getFile().str(), dtypeText(range), uint64_t(range.getOffset()),
                         uint64_t(range.getBytes())});
    else if (isa<recipe::RopeTableOp>(op))
      sources.push_back({"rope table", "", "F32", 0, uint64_t(weight.getTensorType().getNumElements()) * 4});
  });
  return sources;
}

std::string encodingText(enc::Encoding encoding) {
  std::string text = encoding.getSpelling().str();
  return encoding.isFloat() ? text : text + " g" + std::to_string(encoding.getGroupSize());
}

void describeWeights(ModuleOp plan, Launches &launches, Manifest &manifest) {
  llvm::DenseMap<uint32_t, uint64_t> sectionOf;
  for (plan::BaseOp base : plan::basesOf(plan))
    if (base.getKind() == "section")
      sectionOf[base.getDevice()] = uint64_t(base.getSection().value_or(0));
  for (auto weight : plan.getOps<model::WeightOp>()) {
    ManifestWeight row;
    row.name = weight.getSymName().str();
    row.encoding = encodingText(*weight.getEnc());
    row.layout = weight.getLayout()->str();
    row.shape.assign(weight.getTensorType().getShape().begin(), weight.getTensorType().getShape().end());
    row.device = uint64_t(weight.getDevice().value_or(0));
    row.section = sectionOf.lookup(uint32_t(row.device));
    row.offset = uint64_t(*weight.getOffset());
    row.bytes = uint64_t(*weight.getBytes());
    row.sources = sourcesOf(weight);
    row.recipe = recipeText(weight);
    if (auto codes = weight->getAttrOfType<StringAttr>(recipe::kCodesAttr))
      row.recipe += ", " + codes.getValue().str();
    for (StringRef kernel : launches.readersOf(weight))
      row.kernels.push_back(kernel.str());
    manifest.weights.push_back(std::move(row));
  }
}

void describeFusions(ModuleOp plan, Manifest &manifest) {
  static const std::pair<const char *, const char *> kNames[] = {
      {"qkv", "query, key and value into one matrix product"},
      {"gate_up", "gate and up into one matrix product"},
      {"residual_norm", "residual sum into the norm that reads it"},
      {"activation", "activation into the matrix product before it"},
      {"softcap", "cap into the matrix product before it"},
      {"residual", "residual sum into the matrix product before it"},
      {"attention", "rotation, cache and attention into one"}};
  auto fused = plan->getAttrOfType<DictionaryAttr>(model::kFusedAttr);
  for (NamedAttribute entry : fused ? fused.getValue() : llvm::ArrayRef<NamedAttribute>()) {
    std::string name = entry.getName().str();
    for (auto [key, text] : kNames)
      if (entry.getName() == key)
        name = text;
    manifest.fusions.push_back({name, uint64_t(cast<IntegerAttr>(entry.getValue()).getInt())});
  }
}

void describeCost(ModuleOp plan, Manifest &manifest) {
  uint64_t cache = 0;
  for (plan::BaseOp base : plan::basesOf(plan))
    cache += base.getKind() == "kv" ? uint64_t(base.getBytes()) : 0;
  manifest.cost.kvBytesPerPosition = cache / std::max<uint64_t>(1, manifest.model.context);
  auto devices = target::devicesOf(plan);
  if (!devices.empty() && devices.front().getBandwidthMBs() > 0 && manifest.cost.weightBytesPerToken > 0)
    manifest.cost.tokensPerSecond =
        double(devices.front().getBandwidthMBs()) * 1e6 / double(manifest.cost.weightBytesPerToken);
}

} // namespace

void describePlan(ModuleOp plan, const std::vector<hr_blob_section> &sections, uint32_t tokenBytes,
                  Manifest &manifest) {
  describeModel(plan, manifest);
  describeMemory(plan, tokenBytes, manifest);
  describeSections(sections, manifest);
  Launches launches(plan, manifest);
  launches.describe();
  manifest.cost.weightBytesPerToken = launches.decodeBytes();
  describeWeights(plan, launches, manifest);
  describeFusions(plan, manifest);
  describeCost(plan, manifest);
}

uint32_t requiredFeatures(ModuleOp plan) {
  auto devices = target::devicesOf(plan);
  const Device *device = devices.empty() ? nullptr : findDevice(devices.front().getDeviceName().str());
  return device ? device->getVariant().cpuFeatures : 0;
}

} // namespace headrace
