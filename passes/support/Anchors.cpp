#include "passes/support/Anchors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

static void collectAnchors(Location loc, SmallVectorImpl<StringRef> &anchors) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    anchors.push_back(name.getName().getValue());
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      collectAnchors(part, anchors);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectAnchors(call.getCallee(), anchors);
  }
}

SmallVector<StringRef> headrace::anchorsOf(Location loc) {
  SmallVector<StringRef> anchors;
  collectAnchors(loc, anchors);
  return anchors;
}

StringRef headrace::anchorOf(Operation *op) {
  SmallVector<StringRef> anchors = anchorsOf(op->getLoc());
  return anchors.empty() ? op->getName().getStringRef() : anchors.front();
}

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

Location headrace::withAnchor(Location loc, StringRef name) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

int32_t headrace::deviceOf(Operation *op) {
  auto device = op->getAttrOfType<IntegerAttr>("device");
  return device ? static_cast<int32_t>(device.getInt()) : 0;
}

void headrace::setDevice(Operation *op, int32_t device) {
  op->setAttr("device", Builder(op->getContext()).getI32IntegerAttr(device));
}
