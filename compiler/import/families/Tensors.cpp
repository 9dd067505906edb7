#include "compiler/import/families/Tensors.h"
#include "compiler/support/ErrorText.h"

#include <algorithm>
#include <cstring>

namespace headrace {

static bool beginsWith(const std::string &text, const std::string &beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

static bool endsWith(const std::string &text, const std::string &ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

void Tensors::setBase(const std::string &base) {
  bool present = std::any_of(checkpoint.tensors().begin(), checkpoint.tensors().end(),
                             [&](const CheckpointTensor &tensor) { return beginsWith(tensor.entry.name, base); });
  dropped = present || checkpoint.tensors().empty() ? "" : base;
}

/// Without the base where the checkpoint is; norms also by the names that they had before PyTorch's.
std::string Tensors::resolved(const std::string &name) const {
  std::string found = !dropped.empty() && beginsWith(name, dropped) ? name.substr(dropped.size()) : name;
  if (checkpoint.find(found))
    return found;
  for (auto [ending, older] : {std::pair("LayerNorm.weight", "LayerNorm.gamma"), {"LayerNorm.bias", "LayerNorm.beta"}})
    if (endsWith(found, ending)) {
      std::string other = found.substr(0, found.size() - std::strlen(ending)) + older;
      return checkpoint.find(other) ? other : found;
    }
  return found;
}

Result<void> Tensors::check(const CheckpointTensor *tensor, const std::string &name,
                            const std::vector<int64_t> &shape) const {
  std::string what = "tensor " + inQuotes(name);
  if (!tensor)
    return expectedFound(fileNameOf(checkpoint.folder()) + ": " + what, shapeText(shape), "none");
  std::string where = tensor->file + ": " + what;
  if (tensor->entry.shape != shape)
    return expectedFound(where, shapeText(shape), shapeText(tensor->entry.shape));
  ElementType type = tensor->entry.type;
  if (elementBytes(type) == 0 && !isBlockType(type))
    return expectedFound(where, endsWith(tensor->file, ".gguf") ? "a type that is computed with" : "F32, F16 or BF16",
                         tensor->entry.typeName);
  return {};
}

TensorExpr Tensors::get(const std::string &name, std::vector<int64_t> shape) {
  std::string found = resolved(name);
  if (quantized && shape.size() == 2 && quantized->has(checkpoint, found))
    return getCodes(found, std::move(shape));
  const CheckpointTensor *tensor = checkpoint.find(found);
  if (auto checked = check(tensor, found, shape); !checked) {
    if (!failure)
      failure = checked.error();
    return TensorExpr::zeros(std::move(shape));
  }
  if (used.insert(found).second) {
    uint64_t count = 1;
    for (int64_t size : shape)
      count *= uint64_t(size);
    values += count;
  }
  const TensorEntry &entry = tensor->entry;
  return TensorExpr::stored({found, tensor->file, entry.offset, entry.bytes, entry.type}, std::move(shape));
}

TensorExpr Tensors::getCodes(const std::string &name, std::vector<int64_t> shape) {
  anyCodes = true;
  std::vector<std::string> parts;
  Result<TensorExpr> made = quantized->get(checkpoint, name, shape, parts);
  used.insert(parts.begin(), parts.end());
  if (!made) {
    if (!failure)
      failure = made.error();
    return TensorExpr::zeros(std::move(shape));
  }
  values += uint64_t(shape[0] * shape[1]);
  return made.take();
}

/// Some quantizers add a bias of zeros to every layer.
bool Tensors::isZeroBias(const CheckpointTensor &extra) const {
  const std::string &name = extra.entry.name, bias = ".bias";
  if (!quantized || !endsWith(name, bias) ||
      !quantized->has(checkpoint, name.substr(0, name.size() - bias.size()) + ".weight"))
    return false;
  return std::all_of(extra.data, extra.data + extra.entry.bytes, [](uint8_t byte) { return byte == 0; });
}

/// What the warning says of a tensor that nobody asked for, or the error.
Result<std::string> Tensors::whyIgnored(const CheckpointTensor &extra) const {
  const std::string &name = extra.entry.name;
  for (const auto &[ending, why] : endings)
    if (endsWith(name, ending))
      return why;
  for (const auto &[beginning, why] : beginnings)
    if (beginsWith(name, beginning))
      return why;
  if (isZeroBias(extra))
    return std::string("is a bias of zeros");
  std::string where = extra.file + ": tensor " + inQuotes(name);
  auto copy = copies.find(name);
  if (copy == copies.end())
    return expectedFound(where, "only tensors that " + implied + " implies",
                         "an extra one of " + shapeText(extra.entry.shape));
  const CheckpointTensor *original = checkpoint.find(copy->second);
  bool same = original && extra.entry.type == original->entry.type && extra.entry.shape == original->entry.shape &&
              std::memcmp(extra.data, original->data, original->entry.bytes) == 0;
  if (!same)
    return expectedFound(where, "the values of " + copy->second + ", as tie_word_embeddings is true", "others");
  return std::string("repeats the tied embedding");
}

Result<void> Tensors::finish(std::vector<std::string> &warnings) {
  if (failure)
    return *failure;
  std::map<std::string, std::vector<const CheckpointTensor *>> ignored; // by reason
  for (const CheckpointTensor &tensor : checkpoint.tensors()) {
    if (used.count(tensor.entry.name))
      continue;
    Result<std::string> why = whyIgnored(tensor);
    if (!why)
      return why.error();
    ignored[*why].push_back(&tensor);
  }
  for (const auto &[why, tensors] : ignored) {
    const CheckpointTensor &first = *tensors.front();
    std::string more = tensors.size() > 1 ? " (and " + std::to_string(tensors.size() - 1) + " more)" : "";
    warnings.push_back(first.file + ": tensor " + inQuotes(first.entry.name) + more + " " + why + " and was ignored");
  }
  return {};
}

//===-- parts
//---------------------------------------------------------------------------------------------------------------===//

static NormSpec norm(Tensors &tensors, NormKind kind, const std::string &name, int64_t columns, double eps, bool bias) {
  NormSpec made;
  made.kind = kind;
  made.weight = tensors.get(name + ".weight", {columns});
  if (bias)
    made.bias = tensors.get(name + ".bias", {columns});
  made.eps = eps;
  made.name = name;
  return made;
}

NormSpec rmsNorm(Tensors &tensors, const std::string &name, int64_t columns, double eps) {
  return norm(tensors, NormKind::RMS, name, columns, eps, false);
}

NormSpec layerNorm(Tensors &tensors, const std::string &name, int64_t columns, double eps, bool bias) {
  return norm(tensors, NormKind::Layer, name, columns, eps, bias);
}

NormSpec bareNorm(NormKind kind, const std::string &name, int64_t columns, double eps) {
  NormSpec made;
  made.kind = kind;
  made.weight = TensorExpr::zeros({columns}).plus(1.0f);
  made.eps = eps;
  made.name = name;
  return made;
}

LinearSpec linear(Tensors &tensors, const std::string &name, int64_t outputs, int64_t inputs, bool bias) {
  LinearSpec made;
  made.weight = tensors.get(name + ".weight", {outputs, inputs});
  if (bias)
    made.bias = tensors.get(name + ".bias", {outputs});
  made.name = name;
  return made;
}

LinearSpec stackedLinear(Tensors &tensors, const std::string &name, int64_t count, int64_t outputs, int64_t inputs) {
  LinearSpec made;
  made.weight = tensors.get(name, {count, outputs, inputs}).reshaped({count * outputs, inputs});
  made.name = name;
  return made;
}

LinearSpec stackedLinear(Tensors &tensors, const std::string &prefix, const std::string &name, int64_t count,
                         int64_t outputs, int64_t inputs) {
  std::vector<TensorExpr> parts;
  for (int64_t part = 0; part < count && !tensors.failed(); ++part)
    parts.push_back(tensors.get(prefix + "." + std::to_string(part) + "." + name + ".weight", {outputs, inputs}));
  LinearSpec made;
  made.weight = tensors.failed() ? TensorExpr::zeros({count * outputs, inputs}) : TensorExpr::concat(std::move(parts));
  made.name = prefix + "." + name;
  return made;
}

LinearSpec outputsOf(const LinearSpec &all, int64_t period, int64_t first, int64_t size) {
  LinearSpec made;
  made.weight = all.weight.take(period, first, size);
  if (all.bias)
    made.bias = all.bias.take(period, first, size);
  made.name = all.name;
  return made;
}

LinearSpec scaled(LinearSpec linear, double factor) {
  if (factor == 1.0)
    return linear;
  linear.weight = linear.weight.scaled(float(factor));
  if (linear.bias)
    linear.bias = linear.bias.scaled(float(factor));
  return linear;
}

} // namespace headrace
