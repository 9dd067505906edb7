#include "dialects/enc/Enc.h"
#include "dialects/Verify.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace headrace;
using namespace headrace::enc;

#include "dialects/enc/EncDialect.cpp.inc"
#include "dialects/enc/EncInterfaces.cpp.inc"

/// In the order of W4Offset.
static constexpr struct {
  llvm::StringLiteral keyword, spelling;
} offsets[] = {{"sym", "w4"}, {"minimum", "w4a"}, {"zero_point", "w4z"}};

static ParseResult parseOffset(AsmParser &parser, W4Offset &offset) {
  for (auto [index, row] : llvm::enumerate(offsets))
    if (succeeded(parser.parseOptionalKeyword(row.keyword))) {
      offset = W4Offset(index);
      return success();
    }
  return parser.emitError(parser.getCurrentLocation(), "expected 'sym', 'minimum' or 'zero_point'");
}
static void printOffset(AsmPrinter &printer, W4Offset offset) { printer << offsets[size_t(offset)].keyword; }

#define GET_ATTRDEF_CLASSES
#include "dialects/enc/EncAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/enc/EncTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/enc/EncOps.cpp.inc"

void EncDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/enc/EncAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/enc/EncTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/enc/EncOps.cpp.inc"
      >();
}

//===-- groups
//--------------------------------------------------------------------------------------------------------------===//

bool enc::isAllowedGroup(int64_t group) { return group == 32 || group == 64 || group == 128; }

static LogicalResult verifyGroup(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t group) {
  if (isAllowedGroup(group))
    return success();
  return emitError() << "C1: expected a group of 32, 64 or 128, found " << group;
}

LogicalResult W8Attr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t group) {
  return verifyGroup(emitError, group);
}
LogicalResult W4Attr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t group, W4Offset offset) {
  return verifyGroup(emitError, group);
}
LogicalResult A8Type::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t group) {
  return verifyGroup(emitError, group);
}

//===-- the Encoding interface
//----------------------------------------------------------------------------------------------===//

llvm::StringRef F32Attr::getSpelling() const { return "f32"; }
int64_t F32Attr::getBits() const { return 32; }
int64_t F32Attr::getGroupSize() const { return 0; }

llvm::StringRef F16Attr::getSpelling() const { return "f16"; }
int64_t F16Attr::getBits() const { return 16; }
int64_t F16Attr::getGroupSize() const { return 0; }

llvm::StringRef W8Attr::getSpelling() const { return "w8"; }
int64_t W8Attr::getBits() const { return 8; }
int64_t W8Attr::getGroupSize() const { return getGroup(); }

llvm::StringRef W4Attr::getSpelling() const { return offsets[size_t(getOffset())].spelling; }
int64_t W4Attr::getBits() const { return 4; }
int64_t W4Attr::getGroupSize() const { return getGroup(); }

Encoding enc::encodingNamed(MLIRContext *context, llvm::StringRef name, int64_t group) {
  if (name == "f32")
    return F32Attr::get(context);
  if (name == "f16")
    return F16Attr::get(context);
  if (!isAllowedGroup(group))
    return {};
  if (name == "w8")
    return W8Attr::get(context, group);
  for (auto [index, row] : llvm::enumerate(offsets))
    if (name == row.spelling)
      return W4Attr::get(context, group, W4Offset(index));
  return {};
}

//===-- ops
//-----------------------------------------------------------------------------------------------------------------===//

LogicalResult QuantizeOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (input.getShape() != result.getShape())
    return emitOpError() << "C1: expected a result of shape " << input << ", found " << result;
  if (!input.getElementType().isF32())
    return violated(*this, "C2", "input elements", "f32", input.getElementType());
  if (!isa<A8Type>(result.getElementType()))
    return violated(*this, "C2", "result elements", "!enc.a8", result.getElementType());
  return success();
}
