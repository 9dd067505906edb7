#include "compiler/import/spec/ModelSpec.h"

namespace headrace {

const char *poolingName(Pooling pooling) {
  return pooling == Pooling::Mean ? "mean" : pooling == Pooling::Cls ? "cls" : "none";
}

const char *activationName(HiddenActivation activation) {
  switch (activation) {
  case HiddenActivation::Silu:
    return "silu";
  case HiddenActivation::Gelu:
    return "gelu";
  case HiddenActivation::GeluTanh:
    return "gelu_tanh";
  case HiddenActivation::Relu:
    return "relu";
  }
  return "";
}

const char *ropeKindName(RopeKind kind) {
  switch (kind) {
  case RopeKind::Default:
    return "default";
  case RopeKind::Linear:
    return "linear";
  case RopeKind::Llama3:
    return "llama3";
  case RopeKind::Yarn:
    return "yarn";
  case RopeKind::LongRope:
    return "longrope";
  }
  return "";
}

void addRope(ModelSpec &spec, RopeSpec rope, const std::string &where) {
  if (rope.kind == RopeKind::LongRope && rope.originalPositions < spec.maxPositions) {
    spec.computedPositions = rope.originalPositions;
    spec.warnings.push_back(where + ": rotary positions of type longrope are computed for contexts up to " +
                            std::to_string(rope.originalPositions) + " of the model's " +
                            std::to_string(spec.maxPositions) + " positions");
  }
  spec.ropes.push_back(std::move(rope));
}

} // namespace headrace
