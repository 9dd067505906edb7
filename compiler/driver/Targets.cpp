#include "compiler/driver/Targets.h"
#include "targets/cpu/CpuTarget.h"
#include "targets/reference/ReferenceTarget.h"

namespace headrace {

const TargetRegistry &allTargets() {
  static const TargetRegistry registry = [] {
    TargetRegistry filled;
    filled.add(createCpuTarget());
    filled.add(createReferenceTarget());
    return filled;
  }();
  return registry;
}

} // namespace headrace
