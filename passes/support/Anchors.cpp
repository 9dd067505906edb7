#include "passes/support/Anchors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

bool headrace::matchesAnchor(StringRef pattern, StringRef anchor) {
  if (pattern.empty())
    return anchor.empty() || anchor.front() == '.';
  if (pattern.front() != '*')
    return !anchor.empty() && pattern.front() == anchor.front() &&
           matchesAnchor(pattern.drop_front(), anchor.drop_front());
  for (size_t length = 0;; ++length) {
    if (matchesAnchor(pattern.drop_front(), anchor.drop_front(length)))
      return true;
    if (length == anchor.size() || anchor[length] == '.')
      return false;
  }
}

int32_t headrace::deviceOf(Operation *op) {
  auto device = op->getAttrOfType<IntegerAttr>("device");
  return device ? static_cast<int32_t>(device.getInt()) : 0;
}

void headrace::setDevice(Operation *op, int32_t device) {
  op->setAttr("device", Builder(op->getContext()).getI32IntegerAttr(device));
}
