#include "compiler/import/quantized/Quantized.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <cstring>

namespace headrace {

using nlohmann::json;

//===-- configuration
//------------------------------------------------------------------------------------------------------===//

static std::string found(const json &object, const char *key) {
  if (!object.contains(key))
    return "none";
  const json &value = object[key];
  return value.is_string() ? inQuotes(value.get_ref<const std::string &>()) : jsonKindText(value);
}

static std::string textOf(const json &object, const char *key, const std::string &otherwise) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : otherwise;
}

/// An error unless the field is absent, null, false or empty.
static Result<void> expectNone(const json &object, const char *key, const std::string &where) {
  if (!object.contains(key))
    return {};
  const json &value = object[key];
  if (value.is_null() || (value.is_boolean() && !value.get<bool>()) || (value.is_structured() && value.empty()))
    return {};
  return expectedFound(where + ": " + key, "none, as it is not read", jsonKindText(value));
}

Result<void> QuantizedWeights::readBitsAndGroup(const json &config, const std::string &where, const char *bitsField) {
  if (!config.contains(bitsField) || !config[bitsField].is_number_integer() ||
      (config[bitsField] != 4 && config[bitsField] != 8))
    return expectedFound(where + ": " + bitsField, "4 or 8", found(config, bitsField));
  bits = config[bitsField].get<unsigned>();
  if (!config.contains("group_size") || config["group_size"].is_null())
    return {};
  const json &group = config["group_size"];
  if (!group.is_number_integer() || group == 0 || group < -1 || group > 1 << 24)
    return expectedFound(where + ": group_size", "-1 or at least 1", found(config, "group_size"));
  groupSize = group.get<int64_t>();
  return {};
}

Result<void> QuantizedWeights::readGptq(const json &config, const std::string &where) {
  method = Method::GPTQ;
  HR_TRY(readBitsAndGroup(config, where, "bits"));
  std::string format = textOf(config, "checkpoint_format", textOf(config, "format", "gptq"));
  if (format != "gptq" && format != "gptq_v2")
    return expectedFound(where + ": checkpoint_format", "gptq or gptq_v2", inQuotes(format));
  for (const char *key : {"is_marlin_format", "dynamic"})
    HR_TRY(expectNone(config, key, where));
  if (std::string words = textOf(config, "pack_dtype", "int32"); words != "int32")
    return expectedFound(where + ": pack_dtype", "'int32'", inQuotes(words));
  zeroShift = format == "gptq" ? 1 : 0; // the first version stores zero points less one
  return {};
}

Result<void> QuantizedWeights::readAwq(const json &config, const std::string &where) {
  method = Method::AWQ;
  const char *bitsField = config.contains("bits") ? "bits" : "w_bit";
  HR_TRY(readBitsAndGroup(config, where, bitsField));
  if (config.contains("q_group_size") && config["q_group_size"].is_number_integer())
    groupSize = config["q_group_size"].get<int64_t>();
  if (bits != 4)
    return expectedFound(where + ": " + bitsField, "4", std::to_string(bits));
  std::string version = textOf(config, "version", "gemm");
  for (char &c : version)
    c = char(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (version != "gemm")
    return expectedFound(where + ": version", "'gemm'", inQuotes(version));
  return {};
}

/// One entry of config_groups.
Result<void> QuantizedWeights::readScheme(const json &scheme, const std::string &where,
                                          std::vector<std::string> &warnings) {
  if (!scheme.is_object() || !scheme.contains("weights") || !scheme["weights"].is_object())
    return expectedFound(where, "an object with weights", jsonKindText(scheme));
  const json &weights = scheme["weights"];
  if (std::string type = textOf(weights, "type", "int"); type != "int")
    return expectedFound(where + ": weights: type", "'int'", inQuotes(type));
  HR_TRY(readBitsAndGroup(weights, where + ": weights", "num_bits"));
  std::string strategy = textOf(weights, "strategy", groupSize > 0 ? "group" : "channel");
  if (strategy != "group" && strategy != "channel")
    return expectedFound(where + ": weights: strategy", "group or channel", inQuotes(strategy));
  if (strategy == "channel")
    groupSize = -1;
  quantizesInputs = scheme.contains("input_activations") && !scheme["input_activations"].is_null();
  if (quantizesInputs)
    warnings.push_back(
        where + ": input_activations: activations are quantized by --act, in groups, and not as the checkpoint says");
  return {};
}

Result<void> QuantizedWeights::readCompressed(const json &config, const std::string &where,
                                              std::vector<std::string> &warnings) {
  std::string format = textOf(config, "format", "");
  if (format != "pack-quantized" && format != "int-quantized" && format != "naive-quantized")
    return expectedFound(where + ": format", "pack-quantized or int-quantized", found(config, "format"));
  for (const char *key : {"kv_cache_scheme", "sparsity_config", "transform_config"})
    HR_TRY(expectNone(config, key, where));
  if (!config.contains("config_groups") || !config["config_groups"].is_object() || config["config_groups"].size() != 1)
    return expectedFound(where + ": config_groups", "one group",
                         config.contains("config_groups") && config["config_groups"].is_object()
                             ? std::to_string(config["config_groups"].size())
                             : found(config, "config_groups"));
  auto group = config["config_groups"].begin();
  HR_TRY(readScheme(group.value(), where + ": config_groups: " + group.key(), warnings));
  method = format == "pack-quantized" ? Method::Packed : Method::Bytes;
  if (method == Method::Bytes)
    bits = 8; // each code is a byte, whatever its range
  return {};
}

Result<QuantizedWeights> QuantizedWeights::read(const json &config, const std::string &where,
                                                std::vector<std::string> &warnings) {
  if (!config.is_object())
    return expectedFound(where, "an object", jsonKindText(config));
  QuantizedWeights made;
  made.source = where;
  std::string name = textOf(config, "quant_method", config.contains("desc_act") ? "gptq" : "");
  if (name == "gptq")
    HR_TRY(made.readGptq(config, where));
  else if (name == "awq")
    HR_TRY(made.readAwq(config, where));
  else if (name == "compressed-tensors")
    HR_TRY(made.readCompressed(config, where, warnings));
  else
    return expectedFound(where + ": quant_method", "gptq, awq or compressed-tensors", found(config, "quant_method"));
  return made;
}

//===-- tensors
//------------------------------------------------------------------------------------------------------------===//

namespace {

/// The tensors of one weight, each found with its shape and type, or an error that names it.
class Parts {
public:
  Parts(const Checkpoint &checkpoint, std::string base, std::vector<std::string> &used)
      : checkpoint(checkpoint), base(std::move(base)), used(used) {}

  bool has(const char *suffix) const { return checkpoint.find(base + suffix) != nullptr; }
  Result<GroupedTensor::Part> get(const char *suffix, std::vector<int64_t> shape, ElementType type) {
    return getOne(suffix, std::move(shape), {type});
  }
  Result<GroupedTensor::Part> scales(const char *suffix, std::vector<int64_t> shape) {
    return getOne(suffix, std::move(shape), {ElementType::F16, ElementType::BF16, ElementType::F32});
  }
  /// The group of each input, when it is not input / group.
  Result<GroupedTensor::Part> order(const char *suffix, int64_t inputs, int64_t group);
  /// A tensor that does not count, if it is there.
  void skip(const char *suffix) {
    if (const CheckpointTensor *tensor = checkpoint.find(base + suffix))
      used.push_back(tensor->entry.name);
  }
  /// X.weight_shape says the shape that is expected.
  Result<void> checkShape(const char *suffix, const std::vector<int64_t> &shape);

private:
  Result<GroupedTensor::Part> getOne(const char *suffix, std::vector<int64_t> shape, std::vector<ElementType> types);
  std::string where(const CheckpointTensor &tensor) const {
    return tensor.file + ": tensor " + inQuotes(tensor.entry.name);
  }
  const Checkpoint &checkpoint;
  std::string base;
  std::vector<std::string> &used;
};

const char *typeNames(ElementType type) {
  return type == ElementType::I32 ? "I32" : type == ElementType::I8 ? "I8" : "F16, BF16 or F32";
}

Result<GroupedTensor::Part> Parts::getOne(const char *suffix, std::vector<int64_t> shape,
                                          std::vector<ElementType> types) {
  const CheckpointTensor *tensor = checkpoint.find(base + suffix);
  if (!tensor)
    return expectedFound(fileNameOf(checkpoint.folder()) + ": tensor " + inQuotes(base + suffix), shapeText(shape),
                         "none");
  if (tensor->entry.shape != shape)
    return expectedFound(where(*tensor), shapeText(shape), shapeText(tensor->entry.shape));
  bool fits = false;
  for (ElementType type : types)
    fits = fits || type == tensor->entry.type;
  if (!fits)
    return expectedFound(where(*tensor), typeNames(types.front()), tensor->entry.typeName);
  used.push_back(tensor->entry.name);
  const TensorEntry &entry = tensor->entry;
  return GroupedTensor::Part{{entry.name, tensor->file, entry.offset, entry.bytes, entry.type}, std::move(shape)};
}

Result<GroupedTensor::Part> Parts::order(const char *suffix, int64_t inputs, int64_t group) {
  if (!has(suffix))
    return GroupedTensor::Part{};
  Result<GroupedTensor::Part> part = get(suffix, {inputs}, ElementType::I32);
  if (!part)
    return part.error();
  const CheckpointTensor &tensor = *checkpoint.find(base + suffix);
  int64_t groups = (inputs + group - 1) / group;
  bool ascending = true;
  for (int64_t input = 0; input < inputs; ++input) {
    int32_t value;
    std::memcpy(&value, tensor.data + input * 4, 4);
    if (value < 0 || value >= groups)
      return expectedFound(where(tensor), "groups 0 to " + std::to_string(groups - 1),
                           std::to_string(value) + " for input " + std::to_string(input));
    ascending = ascending && value == input / group;
  }
  return ascending ? GroupedTensor::Part{} : part.take();
}

Result<void> Parts::checkShape(const char *suffix, const std::vector<int64_t> &shape) {
  const CheckpointTensor *tensor = checkpoint.find(base + suffix);
  if (!tensor)
    return {};
  used.push_back(tensor->entry.name);
  std::vector<int64_t> said(2);
  bool wide = tensor->entry.typeName == "I64" && tensor->entry.bytes == 16;
  if (wide)
    std::memcpy(said.data(), tensor->data, 16);
  if (!wide || said != shape)
    return expectedFound(where(*tensor), shapeText(shape),
                         wide ? shapeText(said) : tensor->entry.typeName + " of " + bytesText(tensor->entry.bytes));
  return {};
}

const std::string kWeight = ".weight";

std::string baseOf(const std::string &name) {
  bool weight =
      name.size() > kWeight.size() && name.compare(name.size() - kWeight.size(), kWeight.size(), kWeight) == 0;
  return weight ? name.substr(0, name.size() - kWeight.size()) : "";
}

/// One part, or the error of the function it is asked in.
#define HR_PART(into, expression)                                                                                      \
  do {                                                                                                                 \
    auto hrPart = (expression);                                                                                        \
    if (!hrPart)                                                                                                       \
      return hrPart.error();                                                                                           \
    (into) = hrPart.take();                                                                                            \
  } while (false)

} // namespace

std::string QuantizedWeights::codesOf(const std::string &name) const {
  switch (method) {
  case Method::GPTQ:
  case Method::AWQ:
    return baseOf(name) + ".qweight";
  case Method::Packed:
    return baseOf(name) + ".weight_packed";
  case Method::Bytes: // the codes have the weight's own name
    break;
  }
  return baseOf(name) + ".weight_scale";
}

bool QuantizedWeights::has(const Checkpoint &checkpoint, const std::string &name) const {
  return !baseOf(name).empty() && checkpoint.find(codesOf(name));
}

Result<TensorExpr> QuantizedWeights::get(const Checkpoint &checkpoint, const std::string &name,
                                         const std::vector<int64_t> &shape, std::vector<std::string> &used) const {
  Parts parts(checkpoint, baseOf(name), used);
  int64_t n = shape[0], k = shape[1], per = 32 / bits, group = groupFor(k), groups = (k + group - 1) / group;
  auto words = [&](int64_t count) { return (count + per - 1) / per; };
  GroupedTensor made;
  made.bits = bits;
  made.group = group;
  made.zeroShift = zeroShift;
  switch (method) {
  case Method::GPTQ:
    made.layout = GroupLayout::InputsPacked;
    HR_PART(made.codes, parts.get(".qweight", {words(k), n}, ElementType::I32));
    HR_PART(made.zeros, parts.get(".qzeros", {groups, words(n)}, ElementType::I32));
    HR_PART(made.scales, parts.scales(".scales", {groups, n}));
    HR_PART(made.order, parts.order(".g_idx", k, group));
    break;
  case Method::AWQ:
    made.layout = GroupLayout::OutputsPacked;
    HR_PART(made.codes, parts.get(".qweight", {k, words(n)}, ElementType::I32));
    HR_PART(made.zeros, parts.get(".qzeros", {groups, words(n)}, ElementType::I32));
    HR_PART(made.scales, parts.scales(".scales", {groups, n}));
    break;
  case Method::Packed:
    made.layout = GroupLayout::RowsPacked;
    HR_TRY(parts.checkShape(".weight_shape", shape));
    HR_PART(made.codes, parts.get(".weight_packed", {n, words(k)}, ElementType::I32));
    HR_PART(made.scales, parts.scales(".weight_scale", {n, groups}));
    if (parts.has(".weight_zero_point"))
      HR_PART(made.zeros, parts.get(".weight_zero_point", {words(n), groups}, ElementType::I32));
    HR_PART(made.order, parts.order(".weight_g_idx", k, group));
    break;
  case Method::Bytes:
    made.layout = GroupLayout::Bytes;
    HR_PART(made.codes, parts.get(".weight", shape, ElementType::I8));
    HR_PART(made.scales, parts.scales(".weight_scale", {n, groups}));
    if (parts.has(".weight_zero_point"))
      HR_PART(made.zeros, parts.get(".weight_zero_point", {n, groups}, ElementType::I8));
    break;
  }
  for (const char *suffix : {".input_scale", ".input_zero_point"})
    if (quantizesInputs)
      parts.skip(suffix);
  return TensorExpr::grouped(std::move(made), shape);
}

} // namespace headrace
