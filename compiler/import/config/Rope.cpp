// Rotary positions: see Config.h.
#include "compiler/import/config/Config.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

namespace headrace {

using nlohmann::json;

namespace {

/// The names of rope types. "dynamic" stretches only beyond max_position_embeddings, where no context goes.
struct KindName {
  const char *name;
  RopeKind kind;
};
const KindName kKinds[] = {{"default", RopeKind::Default},   {"linear", RopeKind::Linear},
                           {"llama3", RopeKind::Llama3},     {"yarn", RopeKind::Yarn},
                           {"longrope", RopeKind::LongRope}, {"dynamic", RopeKind::Default}};

struct Parameters {
  RopeSpec rope;
  std::string type = "default";
  double partial = 1.0;
  int64_t originalPositions = 0; // given outside of the object, which comes first; 0: is not
  bool onlyLongRope = false;
  std::string older;                            // the name that the type has in the file
  std::vector<float> shortFactors, longFactors; // longrope
};

const char kPartial[] = "partial_rotary_factor";
const char kTypes[] = "default, linear, llama3, yarn, longrope or dynamic";

/// The rope type of a rope_scaling or rope_parameters object: "rope_type", or "type" as files before 2024 spell it.
Result<void> readKind(const FieldReader &fields, Parameters &made) {
  std::string older;
  HR_TRY(fields.optionalString("type", older));
  if (!older.empty())
    made.type = older;
  HR_TRY(fields.optionalString("rope_type", made.type));
  if (!older.empty() && older != made.type)
    return expectedFound(fields.place("type"), "the same as rope_type " + inQuotes(made.type), inQuotes(older));
  if (made.onlyLongRope && (made.type == "su" || made.type == "yarn")) {
    made.older = made.type;
    made.type = "longrope";
  }
  if (made.onlyLongRope && made.type != "default" && made.type != "longrope")
    return expectedFound(fields.place("rope_type"), "default or longrope", inQuotes(made.type));
  for (const KindName &row : kKinds)
    if (made.type == row.name) {
      made.rope.kind = row.kind;
      return {};
    }
  return expectedFound(fields.place("rope_type"), kTypes, inQuotes(made.type));
}

/// Every key of the object must belong to its rope type: all of them change the mathematics.
Result<void> checkKeys(const json &object, const std::string &type, const std::string &where) {
  struct Row {
    const char *type;
    std::vector<std::string> keys;
  };
  static const std::vector<std::string> kAlways = {"partial_rotary_factor", "rope_theta", "rope_type", "type"};
  static const Row kRows[] = {
      {"default", {}},
      {"linear", {"factor"}},
      {"dynamic", {"factor", "original_max_position_embeddings"}},
      {"longrope", {"attention_factor", "factor", "long_factor", "original_max_position_embeddings", "short_factor"}},
      {"llama3", {"factor", "high_freq_factor", "low_freq_factor", "original_max_position_embeddings"}},
      {"yarn",
       {"attention_factor", "beta_fast", "beta_slow", "factor", "mscale", "mscale_all_dim",
        "original_max_position_embeddings", "truncate"}}};
  for (const auto &field : object.items()) {
    auto is = [&](const std::string &name) { return field.key() == name; };
    bool known = std::any_of(kAlways.begin(), kAlways.end(), is);
    for (const Row &row : kRows)
      known = known || (type == row.type && std::any_of(row.keys.begin(), row.keys.end(), is));
    if (!known && !field.value().is_null())
      return expectedFound(where, "only fields of rope type " + type, inQuotes(field.key()));
  }
  return {};
}

Result<void> readLlama3(const FieldReader &fields, RopeSpec &rope) {
  HR_TRY(fields.number("low_freq_factor", 1e-6, 1e6, rope.lowFreqFactor));
  HR_TRY(fields.number("high_freq_factor", 1e-6, 1e6, rope.highFreqFactor));
  if (rope.highFreqFactor <= rope.lowFreqFactor)
    return expectedFound(fields.place("high_freq_factor"),
                         "more than low_freq_factor " + json(rope.lowFreqFactor).dump(),
                         json(rope.highFreqFactor).dump());
  return {};
}

/// The cosines and sines of a stretched model are larger, so that scores keep their spread.
double yarnMagnitude(double factor, double scale) { return factor <= 1 ? 1 : 0.1 * scale * std::log(factor) + 1; }

Result<void> readYarn(const FieldReader &fields, RopeSpec &rope) {
  HR_TRY(fields.optionalNumber("beta_fast", 1e-6, 1e6, rope.betaFast));
  HR_TRY(fields.optionalNumber("beta_slow", 1e-6, 1e6, rope.betaSlow));
  if (rope.betaFast <= rope.betaSlow)
    return expectedFound(fields.place("beta_fast"), "more than beta_slow " + json(rope.betaSlow).dump(),
                         json(rope.betaFast).dump());
  HR_TRY(fields.optionalBool("truncate", rope.truncate));
  double scale = 0, scaleAll = 0;
  HR_TRY(fields.optionalNumber("mscale", 0, 1e3, scale));
  HR_TRY(fields.optionalNumber("mscale_all_dim", 0, 1e3, scaleAll));
  rope.attentionFactor = scale > 0 && scaleAll > 0
                             ? yarnMagnitude(rope.factor, scale) / yarnMagnitude(rope.factor, scaleAll)
                             : yarnMagnitude(rope.factor, 1);
  return fields.optionalNumber("attention_factor", 1e-3, 1e3, rope.attentionFactor);
}

/// A list of positive numbers, one for each frequency.
Result<void> readFactors(const FieldReader &fields, const char *name, const std::string &older,
                         std::vector<float> &factors) {
  const json *list = fields.find(name);
  if (!list || !list->is_array())
    return expectedFound(fields.place(name),
                         "a list of numbers" +
                             (older.empty() ? "" : ", as rope type " + inQuotes(older) + " is longrope in this family"),
                         list ? jsonKindText(*list) : "none");
  for (const json &entry : *list) {
    if (!entry.is_number() || !(entry.get<double>() >= 1e-6 && entry.get<double>() <= 1e6))
      return expectedFound(fields.place(name), "numbers from 1e-06 to 1e+06", jsonKindText(entry));
    factors.push_back(entry.get<float>());
  }
  return {};
}

/// Contexts of up to original_max_position_embeddings are computed, for which short_factor counts.
Result<void> readLongRope(const FieldReader &fields, const Dimensions &dims, Parameters &made) {
  RopeSpec &rope = made.rope;
  HR_TRY(readFactors(fields, "short_factor", made.older, made.shortFactors));
  HR_TRY(readFactors(fields, "long_factor", made.older, made.longFactors));
  rope.originalPositions = made.originalPositions ? made.originalPositions : dims.maxPositions;
  if (!made.originalPositions)
    HR_TRY(fields.optionalInteger("original_max_position_embeddings", 2, 1 << 24, rope.originalPositions));
  rope.factor = double(dims.maxPositions) / double(rope.originalPositions);
  HR_TRY(fields.optionalNumber("factor", 1e-3, 1e6, rope.factor));
  rope.attentionFactor =
      rope.factor <= 1 ? 1 : std::sqrt(1 + std::log(rope.factor) / std::log(double(rope.originalPositions)));
  return fields.optionalNumber("attention_factor", 1e-3, 1e3, rope.attentionFactor);
}

Result<void> readScaling(const FieldReader &fields, const Dimensions &dims, Parameters &made) {
  RopeSpec &rope = made.rope;
  if (made.type == "default")
    return {};
  if (rope.kind == RopeKind::LongRope)
    return readLongRope(fields, dims, made);
  HR_TRY(fields.number("factor", 1.0, 1e6, rope.factor));
  if (rope.kind == RopeKind::Llama3 || rope.kind == RopeKind::Yarn) {
    rope.originalPositions = dims.maxPositions;
    HR_TRY(fields.optionalInteger("original_max_position_embeddings", 1, 1 << 24, rope.originalPositions));
  }
  if (rope.kind == RopeKind::Llama3)
    return readLlama3(fields, rope);
  return rope.kind == RopeKind::Yarn ? readYarn(fields, rope) : Result<void>();
}

/// One object in either spelling; `made` holds the values given outside of it.
Result<void> readObject(const json &object, const std::string &where, const Dimensions &dims, Parameters &made) {
  if (!object.is_object())
    return expectedFound(where, "an object", jsonKindText(object));
  FieldReader fields(object, where);
  HR_TRY(readKind(fields, made));
  HR_TRY(checkKeys(object, made.type, where));
  HR_TRY(fields.optionalNumber("rope_theta", 1.0, 1e12, made.rope.theta));
  HR_TRY(fields.optionalNumber("partial_rotary_factor", 1e-6, 1.0, made.partial));
  return readScaling(fields, dims, made);
}

bool sameRope(const Parameters &a, const Parameters &b) {
  auto all = [](const Parameters &p) {
    const RopeSpec &r = p.rope;
    return std::make_tuple(r.kind, r.theta, r.factor, r.lowFreqFactor, r.highFreqFactor, r.originalPositions,
                           r.betaFast, r.betaSlow, r.truncate, r.attentionFactor, p.partial, p.shortFactors,
                           p.longFactors);
  };
  return all(a) == all(b);
}

Result<RopeSpec> finished(Parameters made, const FieldReader &config, const Dimensions &dims, const char *field) {
  if (!field && made.partial != 1)
    return expectedFound(config.place(kPartial), "1.0, as this family rotates whole heads", json(made.partial).dump());
  made.rope.rotaryDim = int64_t(double(dims.headDim) * made.partial);
  if (made.rope.rotaryDim < 2 || made.rope.rotaryDim % 2 != 0)
    return expectedFound(config.place(field ? field : kPartial), "an even number of rotated elements",
                         std::to_string(made.rope.rotaryDim) + " of " + std::to_string(dims.headDim));
  if (made.rope.kind != RopeKind::LongRope)
    return made.rope;
  for (const auto &[name, factors] :
       {std::pair("short_factor", &made.shortFactors), {"long_factor", &made.longFactors}})
    if (int64_t(factors->size()) != made.rope.rotaryDim / 2)
      return expectedFound(config.place(name), std::to_string(made.rope.rotaryDim / 2) + " numbers, one for each pair",
                           std::to_string(factors->size()));
  made.rope.divisors = TensorExpr::literal(made.shortFactors);
  return made.rope;
}

} // namespace

Result<RopeSpec> readRope(const FieldReader &config, const Dimensions &dims, const RopeDefaults &defaults) {
  Parameters given;
  given.rope.theta = defaults.theta;
  given.partial = defaults.partial;
  given.onlyLongRope = defaults.onlyLongRope;
  given.originalPositions = defaults.originalPositions;
  HR_TRY(config.optionalNumber(defaults.thetaField, 1.0, 1e12, given.rope.theta));
  const char *partialField = defaults.partialField ? defaults.partialField : kPartial;
  HR_TRY(config.optionalNumber(partialField, 1e-6, 1.0, given.partial));
  Parameters old = given, current = given;
  const json *scaling = config.find("rope_scaling"), *parameters = config.find("rope_parameters");
  if (scaling)
    HR_TRY(readObject(*scaling, config.place("rope_scaling"), dims, old));
  if (parameters)
    HR_TRY(readObject(*parameters, config.place("rope_parameters"), dims, current));
  if (config.has(defaults.thetaField) && parameters && current.rope.theta != given.rope.theta)
    return expectedFound(config.place(defaults.thetaField),
                         "the same as in rope_parameters " + json(current.rope.theta).dump(),
                         json(given.rope.theta).dump());
  // The older spelling hides the other one, with what stands only there: the base is then the field's or the family's.
  if (scaling && parameters && old.rope.theta != current.rope.theta)
    return expectedFound(config.place("rope_parameters") + ": rope_theta",
                         json(old.rope.theta).dump() + ", as rope_scaling stands beside it",
                         json(current.rope.theta).dump());
  if (scaling && parameters && !sameRope(old, current))
    return expectedFound(config.place("rope_scaling"), "the same as rope_parameters " + parameters->dump(),
                         scaling->dump());
  return finished(scaling && !parameters ? old : current, config, dims, defaults.partialField);
}

Result<LayerRopes> readLayerRopes(const FieldReader &config, const Dimensions &dims, double fullTheta,
                                  double slidingTheta) {
  LayerRopes made;
  const json *parameters = config.find("rope_parameters");
  if (!parameters || !parameters->is_object() || !parameters->contains("full_attention")) {
    RopeDefaults defaults;
    defaults.theta = fullTheta;
    Result<RopeSpec> full = readRope(config, dims, defaults);
    if (!full)
      return full.error();
    made.full = full.take();
    Parameters sliding;
    sliding.rope.theta = slidingTheta;
    HR_TRY(config.optionalNumber("rope_local_base_freq", 1.0, 1e12, sliding.rope.theta));
    sliding.rope.rotaryDim = dims.headDim;
    made.sliding = sliding.rope;
    return made;
  }
  for (const auto &field : parameters->items())
    if (field.key() != "full_attention" && field.key() != "sliding_attention")
      return expectedFound(config.place("rope_parameters"), "only full_attention and sliding_attention",
                           inQuotes(field.key()));
  for (auto [kind, theta, rope] : {std::tuple("full_attention", fullTheta, &made.full),
                                   std::tuple("sliding_attention", slidingTheta, &made.sliding)}) {
    Parameters one;
    one.rope.theta = theta;
    if (auto object = parameters->find(kind); object != parameters->end() && !object->is_null())
      HR_TRY(readObject(*object, config.place("rope_parameters") + ": " + kind, dims, one));
    Result<RopeSpec> done = finished(one, config, dims, nullptr);
    if (!done)
      return done.error();
    *rope = done.take();
  }
  return made;
}

} // namespace headrace
