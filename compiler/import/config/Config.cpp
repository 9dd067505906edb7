#include "compiler/import/config/Config.h"
#include "compiler/import/config/FieldTables.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <algorithm>

namespace headrace {

using nlohmann::json;

Result<json> parseConfigObject(std::string_view text, const char *file) {
  Result<json> parsed = parseJson(text, file);
  if (parsed && !parsed->is_object())
    return expectedFound(file, "a JSON object", jsonKindText(*parsed));
  return parsed;
}

//===-- sizes
//---------------------------------------------------------------------------------------------------------------===//

static Result<void> readHeads(const FieldReader &fields, const DimensionFields &names, Dimensions &made) {
  HR_TRY(fields.integer(names.heads, 1, 4096, made.heads));
  made.kvHeads = made.heads;
  if (names.kvHeads)
    HR_TRY(fields.optionalInteger(names.kvHeads, 1, 4096, made.kvHeads));
  if (made.heads % made.kvHeads != 0)
    return expectedFound(fields.place(names.kvHeads),
                         std::string("a divisor of ") + names.heads + " " + std::to_string(made.heads),
                         std::to_string(made.kvHeads));
  made.headDim = names.headDimDefault;
  if (names.headDim)
    HR_TRY(fields.optionalInteger(names.headDim, 1, 4096, made.headDim));
  if (made.headDim == 0) {
    if (made.hidden % made.heads != 0)
      return expectedFound(fields.place(names.hidden),
                           std::string("a multiple of ") + names.heads + " " + std::to_string(made.heads) +
                               (names.headDim ? std::string(", as there is no ") + names.headDim : ""),
                           std::to_string(made.hidden));
    made.headDim = made.hidden / made.heads;
  }
  if (made.headDim % 2 != 0 || made.headDim > 4096)
    return expectedFound(fields.place(names.headDim ? names.headDim : names.hidden),
                         names.headDim ? "an even number up to 4096" : "an even number up to 4096 for each head",
                         std::to_string(made.headDim));
  return {};
}

Result<Dimensions> readDimensions(const FieldReader &fields, const DimensionFields &names) {
  Dimensions made;
  HR_TRY(fields.integer(names.vocab, 1, 1 << 22, made.vocab));
  HR_TRY(fields.integer(names.hidden, 1, 1 << 20, made.hidden));
  made.feedForward = names.feedForwardPerHidden * made.hidden;
  if (made.feedForward)
    HR_TRY(fields.optionalInteger(names.feedForward, 1, 1 << 22, made.feedForward));
  else
    HR_TRY(fields.integer(names.feedForward, 1, 1 << 22, made.feedForward));
  HR_TRY(fields.integer(names.layers, 1, 4096, made.layers));
  HR_TRY(readHeads(fields, names, made));
  made.maxPositions = names.maxPositionsDefault;
  HR_TRY(fields.optionalInteger(names.maxPositions, 1, 1 << 24, made.maxPositions));
  return made;
}

Result<void> expectValue(const FieldReader &fields, const char *name, const json &value) {
  const json *found = fields.find(name);
  return !found || *found == value ? Result<void>()
                                   : expectedFound(fields.place(name), value.dump(), jsonKindText(*found));
}

Result<void> readWindow(const FieldReader &fields, int64_t &window) {
  if (fields.isNull("sliding_window"))
    window = 0;
  return fields.optionalInteger("sliding_window", 1, 1 << 24, window);
}

Result<std::vector<bool>> readSlidingLayers(const FieldReader &fields, int64_t layers,
                                            const std::function<bool(int64_t)> &otherwise) {
  std::vector<bool> sliding;
  const json *kinds = fields.find("layer_types");
  if (!kinds) {
    for (int64_t layer = 0; layer < layers; ++layer)
      sliding.push_back(otherwise(layer));
    return sliding;
  }
  std::string expected = "full_attention or sliding_attention for each of " + std::to_string(layers) + " layers";
  if (!kinds->is_array() || int64_t(kinds->size()) != layers)
    return expectedFound(fields.place("layer_types"), expected,
                         kinds->is_array() ? "a list of " + std::to_string(kinds->size()) : jsonKindText(*kinds));
  for (const json &kind : *kinds) {
    if (kind != "full_attention" && kind != "sliding_attention")
      return expectedFound(fields.place("layer_types"), expected, jsonKindText(kind));
    sliding.push_back(kind == "sliding_attention");
  }
  return sliding;
}

//===-- names
//---------------------------------------------------------------------------------------------------------------===//

Result<void> readActivation(const FieldReader &fields, const char *field, HiddenActivation &activation) {
  static const struct {
    const char *name;
    HiddenActivation activation;
  } kNames[] = {{"silu", HiddenActivation::Silu},
                {"swish", HiddenActivation::Silu},
                {"gelu", HiddenActivation::Gelu},
                {"gelu_python", HiddenActivation::Gelu},
                {"gelu_new", HiddenActivation::GeluTanh},
                {"gelu_accurate", HiddenActivation::GeluTanh},
                {"gelu_fast", HiddenActivation::GeluTanh},
                {"gelu_python_tanh", HiddenActivation::GeluTanh},
                {"gelu_pytorch_tanh", HiddenActivation::GeluTanh},
                {"relu", HiddenActivation::Relu}};
  std::string name;
  HR_TRY(fields.optionalString(field, name));
  if (name.empty() && !fields.has(field))
    return {};
  for (const auto &row : kNames)
    if (name == row.name) {
      activation = row.activation;
      return {};
    }
  return expectedFound(fields.place(field), "silu, gelu, gelu_new, gelu_pytorch_tanh or relu", inQuotes(name));
}

/// eos_token_id as a list of ids; empty when it is absent or null.
static Result<std::vector<int32_t>> readEndIds(const FieldReader &fields, ModelSpec &spec) {
  std::vector<int32_t> ids;
  HR_TRY(fields.optionalIds("eos_token_id", spec.vocab, ids, spec.warnings));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Result<void> readSpecialIds(const FieldReader &config, const FieldReader *generation, ModelSpec &spec) {
  std::vector<int32_t> bos;
  HR_TRY(config.optionalIds("bos_token_id", spec.vocab, bos, spec.warnings));
  Result<std::vector<int32_t>> ends = readEndIds(config, spec);
  if (!ends)
    return ends.error();
  spec.eosIds = ends.take();
  if (generation) {
    if (bos.empty())
      HR_TRY(generation->optionalIds("bos_token_id", spec.vocab, bos, spec.warnings));
    Result<std::vector<int32_t>> first = readEndIds(*generation, spec);
    if (!first)
      return first.error();
    if (!first->empty())
      spec.eosIds = first.take();
  }
  if (bos.size() > 1)
    return expectedFound(config.place("bos_token_id"), "one id", std::to_string(bos.size()));
  spec.bosId = bos.empty() ? -1 : bos[0];
  return {};
}

Result<void> checkOtherFields(const json &config, const FieldReader &fields, std::vector<std::string> &warnings) {
  for (const auto &field : config.items()) {
    if (fields.asked().count(field.key()))
      continue;
    std::string where = "config.json: field " + inQuotes(field.key());
    switch (classifyField(field.key())) {
    case FieldClass::Harmless:
      break;
    case FieldClass::Conditional:
      if (!isNeutral(field.key(), field.value()))
        return expectedFound(where, neutralText(field.key()), jsonKindText(field.value()));
      break;
    case FieldClass::Dangerous:
      if (!field.value().is_null() && field.value() != false)
        return expectedFound(where, "a field that is known, as it may change the result", jsonKindText(field.value()));
      [[fallthrough]];
    case FieldClass::Unknown:
      warnings.push_back(where + " is not known and was ignored");
      break;
    }
  }
  return {};
}

} // namespace headrace
