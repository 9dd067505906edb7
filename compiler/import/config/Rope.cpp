#include "compiler/import/config/Rope.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace headrace {

using nlohmann::json;

static const char kConfig[] = "config.json";

const char *ropeKindName(RopeKind kind) {
  return kind == RopeKind::Linear ? "linear" : kind == RopeKind::Llama3 ? "llama3" : "default";
}

/// The rope type of a rope_scaling or rope_parameters object: "rope_type", or "type" as files before 2024 spell it.
static Result<RopeKind> readKind(const FieldReader &fields) {
  std::string name = "default", older;
  HR_TRY(fields.optionalString("type", older));
  if (!older.empty())
    name = older;
  HR_TRY(fields.optionalString("rope_type", name));
  if (!older.empty() && older != name)
    return expectedFound(fields.place("type"), "the same as rope_type " + inQuotes(name), inQuotes(older));
  for (RopeKind kind : {RopeKind::Default, RopeKind::Linear, RopeKind::Llama3})
    if (name == ropeKindName(kind))
      return kind;
  return expectedFound(fields.place("rope_type"), "default, linear or llama3", inQuotes(name));
}

/// Every key of the object must belong to its rope type: all of them change the mathematics.
static Result<void> checkKeys(const json &object, RopeKind kind, const std::string &where) {
  static const char *const kAlways[] = {"partial_rotary_factor", "rope_theta", "rope_type", "type"};
  static const char *const kLlama3[] = {"high_freq_factor", "low_freq_factor", "original_max_position_embeddings"};
  for (const auto &field : object.items()) {
    auto is = [&](const char *name) { return field.key() == name; };
    bool known = std::any_of(std::begin(kAlways), std::end(kAlways), is) ||
                 (kind != RopeKind::Default && is("factor")) ||
                 (kind == RopeKind::Llama3 && std::any_of(std::begin(kLlama3), std::end(kLlama3), is));
    if (!known && !field.value().is_null())
      return expectedFound(where, std::string("only fields of rope type ") + ropeKindName(kind), inQuotes(field.key()));
  }
  return {};
}

static Result<void> readScaling(const FieldReader &fields, RopeConfig &rope) {
  if (rope.kind != RopeKind::Default)
    HR_TRY(fields.number("factor", 1.0, 1e6, rope.factor));
  if (rope.kind != RopeKind::Llama3)
    return {};
  HR_TRY(fields.number("low_freq_factor", 1e-6, 1e6, rope.lowFreqFactor));
  HR_TRY(fields.number("high_freq_factor", 1e-6, 1e6, rope.highFreqFactor));
  HR_TRY(fields.integer("original_max_position_embeddings", 1, 1 << 24, rope.originalPositions));
  if (rope.highFreqFactor <= rope.lowFreqFactor)
    return expectedFound(fields.place("high_freq_factor"),
                         "more than low_freq_factor " + json(rope.lowFreqFactor).dump(),
                         json(rope.highFreqFactor).dump());
  return {};
}

/// One object in either spelling. `theta` and `partial` are the values given outside of it.
static Result<void> readObject(const json &object, const std::string &where, RopeConfig &rope, double &partial) {
  if (!object.is_object())
    return expectedFound(where, "an object", jsonKindText(object));
  FieldReader fields(object, where);
  Result<RopeKind> kind = readKind(fields);
  if (!kind)
    return kind.error();
  rope.kind = *kind;
  HR_TRY(checkKeys(object, rope.kind, where));
  HR_TRY(fields.optionalNumber("rope_theta", 1.0, 1e12, rope.theta));
  HR_TRY(fields.optionalNumber("partial_rotary_factor", 1e-6, 1.0, partial));
  return readScaling(fields, rope);
}

static bool sameRope(const RopeConfig &a, const RopeConfig &b) {
  auto all = [](const RopeConfig &r) {
    return std::tie(r.kind, r.theta, r.factor, r.lowFreqFactor, r.highFreqFactor, r.originalPositions);
  };
  return all(a) == all(b);
}

Result<void> readRope(const FieldReader &config, LlamaConfig &made) {
  double partial = 1.0;
  HR_TRY(config.optionalNumber("rope_theta", 1.0, 1e12, made.rope.theta));
  HR_TRY(config.optionalNumber("partial_rotary_factor", 1e-6, 1.0, partial));
  RopeConfig old = made.rope, current = made.rope;
  double oldPartial = partial, currentPartial = partial;
  const json *scaling = config.find("rope_scaling"), *parameters = config.find("rope_parameters");
  if (scaling)
    HR_TRY(readObject(*scaling, std::string(kConfig) + ": rope_scaling", old, oldPartial));
  if (parameters)
    HR_TRY(readObject(*parameters, std::string(kConfig) + ": rope_parameters", current, currentPartial));
  if (config.has("rope_theta") && parameters && current.theta != made.rope.theta)
    return expectedFound(std::string(kConfig) + ": rope_theta",
                         "the same as in rope_parameters " + json(current.theta).dump(), json(made.rope.theta).dump());
  if (scaling && parameters) {
    if (!scaling->contains("rope_theta") && !config.has("rope_theta"))
      old.theta = current.theta;
    if (!sameRope(old, current) || oldPartial != currentPartial)
      return expectedFound(std::string(kConfig) + ": rope_scaling", "the same as rope_parameters " + parameters->dump(),
                           scaling->dump());
  }
  made.rope = scaling && !parameters ? old : current;
  if (scaling && !parameters)
    currentPartial = oldPartial;
  made.rope.rotaryDim = int64_t(double(made.headDim) * currentPartial);
  if (made.rope.rotaryDim < 2 || made.rope.rotaryDim % 2 != 0)
    return expectedFound(std::string(kConfig) + ": partial_rotary_factor", "an even number of rotated elements",
                         std::to_string(made.rope.rotaryDim) + " of " + std::to_string(made.headDim));
  return {};
}

} // namespace headrace
