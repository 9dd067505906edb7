#include "compiler/driver/Fit.h"

#include "dialects/model/Model.h"
#include "dialects/plan/Plan.h"

#include <cstdio>

namespace headrace {

MemoryNeed memoryNeedOf(mlir::ModuleOp module) {
  MemoryNeed need;
  need.context = plan::findLibrary(module).getContext();
  for (plan::BaseOp base : plan::basesOf(module)) {
    uint64_t bytes = base.getBytes();
    (base.getKind() == "arena" ? need.arena : base.getKind() == "kv" ? need.cache : need.weights) += bytes;
  }
  need.perPosition = need.cache / uint64_t(need.context);
  // Tables with a row per position grow with the context too.
  for (auto weight : module.getOps<model::WeightOp>())
    if (auto type = weight.getTensorType(); type.getRank() == 3)
      need.perPosition += uint64_t(type.getNumElements() / type.getDimSize(0)) * 4;
  return need;
}

int64_t largestContext(const MemoryNeed &need, uint64_t usable) {
  uint64_t growing = need.perPosition * uint64_t(need.context);
  uint64_t fixed = need.total() > growing ? need.total() - growing : 0;
  if (usable < fixed || need.perPosition == 0)
    return 0;
  return int64_t((usable - fixed) / need.perPosition / 32 * 32);
}

static std::string mebibytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", double(bytes) / (1 << 20));
  return text;
}

Result<void> checkFit(const MemoryNeed &need, uint64_t usable, const std::string &device) {
  if (usable == 0 || need.total() <= usable)
    return {};
  std::string text = "does not fit " + device + ": weights " + mebibytes(need.weights) + " + KV cache " +
                     mebibytes(need.cache) + " + arena " + mebibytes(need.arena) + " = " + mebibytes(need.total()) +
                     ", expected at most " + mebibytes(usable) + "; ";
  int64_t context = largestContext(need, usable);
  if (context > 0)
    return Error(text + "--context " + std::to_string(context) + " is the largest that would, found " +
                 std::to_string(need.context));
  return Error(text + "no --context would; choose a smaller --quant");
}

} // namespace headrace
