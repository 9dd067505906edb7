// Dialect `plan`: registration, assembly of addresses, verifiers. Constraint numbers are those of Plan.td.
#include "dialects/plan/Plan.h"

#include "runtime/abi/hr_abi.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace headrace::plan;
using headrace::tile::Family;
using headrace::tile::lookupFamily;
using headrace::tile::OperandInfo;

#include "dialects/plan/PlanDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.cpp.inc"

//===-- assembly
//------------------------------------------------------------------------------------------------------===//

template <typename Int, typename Make>
static ParseResult parseNumber(OpAsmParser &parser, IntegerAttr &attr, Make make) {
  Int value;
  if (parser.parseInteger(value))
    return failure();
  attr = make(value);
  return success();
}
static ParseResult parseIndex(OpAsmParser &parser, IntegerAttr &attr) {
  return parseNumber<int32_t>(parser, attr, [&](int32_t v) { return parser.getBuilder().getI32IntegerAttr(v); });
}
static ParseResult parseCount(OpAsmParser &parser, IntegerAttr &attr) {
  return parseNumber<int64_t>(parser, attr, [&](int64_t v) { return parser.getBuilder().getI64IntegerAttr(v); });
}
static void printIndex(OpAsmPrinter &printer, Operation *, IntegerAttr attr) { printer << attr.getInt(); }
static void printCount(OpAsmPrinter &printer, Operation *, IntegerAttr attr) { printer << attr.getInt(); }

// `[@base + offset]` or `[@base + offset row0 stride]`
static ParseResult parseRef(OpAsmParser &parser, RefAttr &ref) {
  FlatSymbolRefAttr base;
  int64_t offset = 0, row0 = 0;
  if (parser.parseLSquare() || parser.parseAttribute(base) || parser.parsePlus() || parser.parseInteger(offset))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("row0")) && parser.parseInteger(row0))
    return failure();
  if (parser.parseRSquare())
    return failure();
  ref = RefAttr::get(parser.getContext(), base, offset, row0);
  return success();
}
static void printRef(OpAsmPrinter &printer, Operation *, RefAttr ref) {
  printer << "[" << ref.getBase() << " + " << ref.getOffset();
  if (ref.getRow0())
    printer << " row0 " << ref.getRow0();
  printer << "]";
}
static ParseResult parseRefs(OpAsmParser &parser, ArrayAttr &refs) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    RefAttr ref;
    if (parseRef(parser, ref))
      return failure();
    list.push_back(ref);
    return success();
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  refs = parser.getBuilder().getArrayAttr(list);
  return success();
}
static void printRefs(OpAsmPrinter &printer, Operation *op, ArrayAttr refs) {
  llvm::interleaveComma(refs.getAsRange<RefAttr>(), printer, [&](RefAttr ref) { printRef(printer, op, ref); });
}

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/plan/PlanAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/plan/PlanOps.cpp.inc"
      >();
}

//===-- helpers
//-------------------------------------------------------------------------------------------------------===//

LibraryOp headrace::plan::findLibrary(ModuleOp module) {
  auto libraries = module.getOps<LibraryOp>();
  return libraries.empty() ? LibraryOp() : *libraries.begin();
}

SmallVector<BaseOp> headrace::plan::basesOf(ModuleOp module) { return llvm::to_vector(module.getOps<BaseOp>()); }

int64_t headrace::plan::extentOf(const OperandInfo &info, int64_t rows) {
  if (info.rowBytes && info.usedBytes)
    return info.rowBytes * (rows - 1) + info.usedBytes;
  return info.rowBytes ? info.rowBytes * rows : info.fixedBytes;
}

int64_t headrace::plan::rowsOf(const Family &family, int64_t entryRows) {
  return family.name == "gemv" ? 1 : entryRows;
}

namespace {
LogicalResult verifyDevice(Operation *op, int32_t device, StringRef rule) {
  if (device >= 0 && device < static_cast<int32_t>(HR_MAX_DEVICES))
    return success();
  return op->emitOpError() << "(" << rule << ") expected a device of 0 .. " << HR_MAX_DEVICES - 1 << ", found "
                           << device;
}

/// Resolves the base of an address: a plan.base, or what becomes part of one when buffers are assigned.
Operation *lookupBase(Operation *user, FlatSymbolRefAttr base, SymbolTableCollection &symbols) {
  return symbols.lookupNearestSymbolFrom(user->getParentOfType<ModuleOp>(), base);
}

/// An address before or after hr-assign-buffers: anything that has, or will get, a place in memory.
LogicalResult verifyRef(Operation *op, RefAttr ref, SymbolTableCollection &symbols, StringRef rule) {
  Operation *target = lookupBase(op, ref.getBase(), symbols);
  if (!target)
    return op->emitOpError() << "(" << rule << ") expected a base, found no symbol " << ref.getBase();
  if (isa<EntryOp, KernelOp, LibraryOp>(target))
    return op->emitOpError() << "(" << rule << ") expected a base, found '" << target->getName() << "' "
                             << ref.getBase();
  if (ref.getOffset() < 0 || ref.getRow0() < 0)
    return op->emitOpError() << "(" << rule << ") expected an offset of at least 0, found "
                             << std::min(ref.getOffset(), ref.getRow0());
  return success();
}

/// The device whose memory a base or buffer is in; none for symbols of other dialects.
std::optional<int32_t> deviceOf(Operation *target) {
  if (auto base = dyn_cast<BaseOp>(target))
    return base.getDevice();
  if (auto buffer = dyn_cast<BufferOp>(target))
    return buffer.getDevice();
  return std::nullopt;
}
} // namespace

//===-- verifiers
//-----------------------------------------------------------------------------------------------------===//

LogicalResult LibraryOp::verify() {
  int64_t context = getContext(), positions = getMaxPositions(), vocab = getVocab();
  if (context % 32 != 0 || positions < 1 || positions > context)
    return emitOpError() << "(C2) expected 1 <= max_positions <= context, a multiple of 32; found " << positions
                         << " and " << context;
  SmallVector<int32_t> ids(getEos());
  if (static_cast<int32_t>(getBos()) != -1)
    ids.push_back(getBos());
  for (int32_t id : ids)
    if (id < 0 || id >= vocab)
      return emitOpError() << "(C3) expected token ids of 0 .. " << vocab - 1 << ", found " << id;
  if (getDevices().empty() || getDevices().size() > HR_MAX_DEVICES)
    return emitOpError() << "(C4) expected 1 to " << HR_MAX_DEVICES << " devices, found " << getDevices().size();
  return success();
}

LogicalResult LibraryOp::verifySymbolUses(SymbolTableCollection &symbols) {
  std::pair<SlotAttr, int64_t> slots[] = {{getTokens(), 1}, {getHiddenRows(), getHidden()}, {getLogits(), getVocab()}};
  for (auto [slot, stride] : slots) {
    RefAttr ref = RefAttr::get((*this)->getContext(), slot.getBase(), slot.getOffset(), 0);
    if (failed(verifyRef(*this, ref, symbols, "C1")))
      return failure();
    if (slot.getStride() < stride)
      return emitOpError() << "(C1) expected a stride of at least " << stride << ", found " << slot.getStride();
  }
  return success();
}

LogicalResult BaseOp::verify() {
  StringRef kind = getKind();
  if (kind != "arena" && kind != "kv" && kind != "section")
    return emitOpError() << "(C1) expected kind arena, kv or section, found '" << kind << "'";
  if ((kind == "section") != getSection().has_value())
    return emitOpError() << "(C1) expected " << (kind == "section" ? "a section number" : "no section number")
                         << " for kind " << kind;
  int64_t bytes = getBytes(), align = getAlign();
  if (bytes < 0 || !llvm::isPowerOf2_64(align))
    return emitOpError() << "(C2) expected bytes of at least 0 and an alignment that is a power of two, found " << bytes
                         << " and " << align;
  if (kind == "section" && align > 4096)
    return emitOpError() << "(C2) expected an alignment of at most 4096 for a section, found " << align;
  return verifyDevice(*this, getDevice(), "C3");
}

LogicalResult BufferOp::verify() {
  int64_t rows = getRows(), rowBytes = getRowBytes();
  if (rows < 1 || rowBytes < 1)
    return emitOpError() << "(C1) expected rows and row_bytes of at least 1, found " << rows << " and " << rowBytes;
  return verifyDevice(*this, getDevice(), "C1");
}

LogicalResult KernelOp::verify() {
  const Family *family = lookupFamily(getFamily());
  if (!family) {
    SmallVector<StringRef> names;
    for (const Family &f : headrace::tile::allFamilies())
      names.push_back(f.name);
    return emitOpError() << "(C1) expected a family of " << llvm::join(names, ", ") << ", found '" << getFamily()
                         << "'";
  }
  if (failed(headrace::tile::verifyParams(*family, getParams(), [&] { return emitOpError() << "(C2) "; })))
    return failure();
  return verifyDevice(*this, getDevice(), "C3");
}

LogicalResult EntryOp::verify() {
  int64_t rows = getRows();
  if ((getKind() != "body" && getKind() != "head") || rows < 1)
    return emitOpError() << "(C1) expected kind body or head and rows of at least 1, found '" << getKind() << "' and "
                         << rows;
  SmallVector<SegmentOp> segments;
  for (Operation &op : getBody().front()) {
    if (!isa<SegmentOp, TapOp>(op))
      return op.emitOpError() << "(C2 of plan.entry) expected plan.segment or plan.tap";
    if (auto segment = dyn_cast<SegmentOp>(op))
      segments.push_back(segment);
  }
  if (segments.empty())
    return emitOpError() << "(C2) expected a segment, found none";
  for (auto [index, segment] : llvm::enumerate(segments)) {
    int32_t own = static_cast<int32_t>(index);
    if (auto signal = segment.getSignal(); signal && static_cast<int32_t>(*signal) != own)
      return segment.emitOpError() << "(C3 of plan.entry) expected signal " << own << ", found " << *signal;
    if (auto wait = segment.getWait())
      if (static_cast<int32_t>(*wait) < 0 || static_cast<int32_t>(*wait) >= own || !segments[*wait].getSignal())
        return segment.emitOpError() << "(C3 of plan.entry) expected to wait for an earlier segment with a signal, "
                                        "found "
                                     << *wait;
  }
  return success();
}

LogicalResult SegmentOp::verify() {
  bool copies = false, launches = false;
  for (Operation &op : getBody().front()) {
    if (!isa<LaunchOp, BarrierOp, CopyOp>(op))
      return op.emitOpError() << "(C1 of plan.segment) expected plan.launch, plan.barrier or plan.copy";
    (isa<CopyOp>(op) ? copies : launches) = true;
  }
  if (copies && launches)
    return emitOpError() << "(C1) expected either copies only, or launches and barriers; found both";
  if (copies && getDevice() != 0)
    return emitOpError() << "(C1) expected copies on device 0, found device " << getDevice();
  return verifyDevice(*this, getDevice(), "C2");
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto module = (*this)->getParentOfType<ModuleOp>();
  auto kernel = symbols.lookupSymbolIn<KernelOp>(module, getKernelAttr());
  if (!kernel)
    return emitOpError() << "(C1) expected a plan.kernel, found no " << getKernelAttr();
  const Family *family = lookupFamily(kernel.getFamily());
  if (!family || failed(headrace::tile::verifyParams(*family, kernel.getParams(), [&] { return emitOpError(); })))
    return failure();
  size_t expected = headrace::tile::operandsOf(*family, kernel.getParams()).size();
  if (getRefs().size() != expected)
    return emitOpError() << "(C2) expected " << expected << " operands, found " << getRefs().size();
  int64_t tiles = headrace::tile::tilesOf(*family, kernel.getParams());
  if (static_cast<int64_t>(getTiles()) != tiles || getPerRow() != family->perRow)
    return emitOpError() << "(C3) expected tiles " << tiles << (family->perRow ? " per_row" : "") << ", found "
                         << getTiles() << (getPerRow() ? " per_row" : "");
  if (getSite().has_value() != family->hasSite)
    return emitOpError() << "(C4) expected " << (family->hasSite ? "a site" : "no site");
  if (auto library = findLibrary(module))
    if (getSite() && (static_cast<int32_t>(*getSite()) < 0 || *getSite() >= library.getSites().size()))
      return emitOpError() << "(C4) expected a site below " << library.getSites().size() << ", found " << *getSite();
  auto segment = (*this)->getParentOfType<SegmentOp>();
  if (kernel.getDevice() != segment.getDevice())
    return emitOpError() << "(C3 of plan.segment) expected a kernel of device " << segment.getDevice() << ", found "
                         << kernel.getDevice();
  bool isHead = segment->getParentOfType<EntryOp>().getKind() == "head";
  for (RefAttr ref : getRefs().getAsRange<RefAttr>()) {
    if (failed(verifyRef(*this, ref, symbols, "C5")))
      return failure();
    auto device = deviceOf(lookupBase(*this, ref.getBase(), symbols));
    if (device && *device != static_cast<int32_t>(segment.getDevice()))
      return emitOpError() << "(C5) expected memory of device " << segment.getDevice() << ", found " << ref.getBase()
                           << " of device " << *device;
    if (ref.getRow0() && !isHead)
      return emitOpError() << "(C6) expected row0 in head entries only";
  }
  return success();
}

LogicalResult CopyOp::verify() {
  int64_t bytes = getBytes();
  return bytes > 0 ? success() : emitOpError() << "(C2) expected at least 1 byte, found " << bytes;
}

LogicalResult CopyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(verifyRef(*this, getFrom(), symbols, "C1")) &&
                 succeeded(verifyRef(*this, getTo(), symbols, "C1")));
}

LogicalResult TapOp::verify() {
  int64_t cols = getCols(), stride = getStride();
  if (cols < 1 || cols > stride)
    return emitOpError() << "(C2) expected 1 <= cols <= stride, found " << cols << " and " << stride;
  return success();
}

LogicalResult TapOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyRef(*this, getAt(), symbols, "C1");
}
