#include "compiler/import/folder/ModelFolder.h"
#include "compiler/import/families/Family.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <set>

namespace headrace {

using nlohmann::json;

static const char kConfig[] = "config.json";
static const char kGeneration[] = "generation_config.json";
static const char kQuantize[] = "quantize_config.json";
constexpr size_t kLongestConfig = 16 << 20;

/// Of a configuration without architectures: what the model type implies, which is told.
static Result<const Family *> familyByType(const FieldReader &config, std::vector<std::string> &warnings) {
  std::string where = config.place("architectures"), type;
  HR_TRY(config.optionalString("model_type", type));
  const Family *family = familyOfType(type);
  if (!family)
    return expectedFound(where, "one of " + familyNames(),
                         type.empty() ? "none" : "none, and model_type " + inQuotes(type));
  if (!family->fill)
    return expectedFound(config.place("model_type"), family->reason, inQuotes(type));
  warnings.push_back(where + ": none; " + family->architecture + " is taken, as model_type is " + inQuotes(type));
  return family;
}

/// The row of the architecture that config.json names.
static Result<const Family *> familyOf(const FieldReader &config, std::vector<std::string> &warnings) {
  std::string where = config.place("architectures"), type;
  const json *names = config.find("architectures");
  if (!names || *names == json::array())
    return familyByType(config, warnings);
  if (!names->is_array() || names->size() != 1 || !(*names)[0].is_string())
    return expectedFound(where, "one of " + familyNames(), names->dump());
  const std::string &name = (*names)[0].get_ref<const std::string &>();
  HR_TRY(config.optionalString("model_type", type));
  const Family *family = findFamily(name, type);
  if (!family)
    return expectedFound(where, "one of " + familyNames(), inQuotes(name));
  if (!family->fill)
    return expectedFound(where, family->reason, inQuotes(name));
  if (config.has("model_type") && type != family->modelType)
    return expectedFound(config.place("model_type"), inQuotes(family->modelType), inQuotes(type));
  return family;
}

static Result<void> readQuantization(const FieldReader &config, Tensors &tensors, ModelSpec &spec) {
  const json *said = config.find("quantization_config");
  if (!said || said->is_null())
    return {};
  Result<QuantizedWeights> weights = QuantizedWeights::read(*said, config.place("quantization_config"), spec.warnings);
  if (!weights)
    return weights.error();
  tensors.setQuantized(*weights);
  return {};
}

/// What older writers of GPTQ checkpoints put beside config.json.
static Result<void> readQuantizationFile(const std::string &folder, Tensors &tensors, ModelSpec &spec) {
  if (!pathExists(folder + "/" + kQuantize))
    return {};
  Result<std::string> text = readFile(folder + "/" + kQuantize, kLongestConfig);
  if (!text)
    return text.error();
  Result<json> config = parseConfigObject(*text, kQuantize);
  if (!config)
    return config.error();
  Result<QuantizedWeights> weights = QuantizedWeights::read(*config, kQuantize, spec.warnings);
  if (!weights)
    return weights.error();
  tensors.setQuantized(*weights);
  return {};
}

/// config.json must not say that weights are quantized where none is. A file beside it may be left from before.
static Result<void> checkQuantization(const Tensors &tensors, ModelSpec &spec) {
  if (!tensors.getQuantized() || tensors.areQuantized() || spec.blocks.empty())
    return {};
  const QuantizedWeights &said = *tensors.getQuantized();
  const StoredTensor &first = *spec.blocks.front().attention.q.weight.firstSource();
  std::string expected = inQuotes(said.codesOf(first.name)), where = first.file + ": tensor " + inQuotes(first.name);
  if (said.where() != kQuantize)
    return expectedFound(where, expected + " in its place, as " + said.where() + " says", "floats, as for all weights");
  spec.warnings.push_back(said.where() + ": expected " + expected + ", found floats; the file was ignored");
  return {};
}

Result<void> readModel(std::string_view configText, std::string_view generationText, Tensors &tensors,
                       ModelSpec &spec) {
  Result<json> config = parseConfigObject(configText, kConfig);
  if (!config)
    return config.error();
  json generation = json::object();
  if (!generationText.empty()) {
    Result<json> parsed = parseConfigObject(generationText, kGeneration);
    if (!parsed)
      return parsed.error();
    generation = parsed.take();
  }
  FieldReader fields(*config, kConfig), generationFields(generation, kGeneration);
  Result<const Family *> family = familyOf(fields, spec.warnings);
  if (!family)
    return family.error();
  HR_TRY(readQuantization(fields, tensors, spec));
  spec.architecture = (*family)->architecture;
  HR_TRY((*family)->fill({fields, tensors}, spec));
  HR_TRY(readSpecialIds(fields, generationText.empty() ? nullptr : &generationFields, spec));
  return checkOtherFields(*config, fields, spec.warnings);
}

//===-- pooling
//-------------------------------------------------------------------------------------------------------------===//

/// The one way of pooling that the step's own configuration switches on.
static Result<Pooling> readPoolingStep(const std::string &folder, const std::string &step) {
  std::string file = step + "/config.json";
  Result<std::string> text = readFile(folder + "/" + file, kLongestConfig);
  if (!text)
    return text.error();
  Result<json> config = parseConfigObject(*text, file.c_str());
  if (!config)
    return config.error();
  std::vector<std::string> modes;
  for (const auto &field : config->items())
    if (field.key().compare(0, 13, "pooling_mode_") == 0 && field.value() == true)
      modes.push_back(field.key());
  if (modes.empty() && config->contains("pooling_mode") && (*config)["pooling_mode"].is_string())
    modes.push_back("pooling_mode_" + (*config)["pooling_mode"].get<std::string>() +
                    ((*config)["pooling_mode"] == "cls" ? "_token" : "_tokens"));
  if (modes == std::vector<std::string>{"pooling_mode_mean_tokens"})
    return Pooling::Mean;
  if (modes == std::vector<std::string>{"pooling_mode_cls_token"})
    return Pooling::Cls;
  std::string found;
  for (const std::string &mode : modes)
    found += (found.empty() ? "" : ", ") + inQuotes(mode);
  return expectedFound(file, "pooling_mode_mean_tokens or pooling_mode_cls_token alone",
                       modes.empty() ? "none" : found);
}

/// What sentence-transformers does to a text before and after it is tokenized.
static Result<void> readTextSettings(const std::string &folder, ModelSpec &spec) {
  const char *const file = "sentence_bert_config.json";
  if (!pathExists(folder + "/" + file))
    return {};
  Result<std::string> text = readFile(folder + "/" + file, kLongestConfig);
  if (!text)
    return text.error();
  Result<json> config = parseConfigObject(*text, file);
  if (!config)
    return config.error();
  FieldReader fields(*config, file);
  HR_TRY(fields.optionalInteger("max_seq_length", 1, 1 << 24, spec.textPositions));
  bool lowers = false;
  HR_TRY(fields.optionalBool("do_lower_case", lowers));
  if (lowers)
    spec.warnings.push_back(std::string(file) + ": do_lower_case: texts are expected in lower case, and not changed");
  return {};
}

/// One entry of modules.json.
static Result<void> readStep(const std::string &folder, const json &step, ModelSpec &spec) {
  const std::string where = "modules.json";
  if (!step.is_object() || !step.contains("type") || !step["type"].is_string())
    return expectedFound(where, "objects with a type", jsonKindText(step));
  const std::string type = step["type"].get<std::string>(), kind = type.substr(type.rfind('.') + 1);
  if (kind == "Transformer")
    return readTextSettings(folder, spec);
  if (kind == "Normalize") {
    spec.normalize = true;
    return {};
  }
  if (kind != "Pooling")
    return expectedFound(where, "steps Transformer, Pooling and Normalize", inQuotes(type));
  if (!step.contains("path") || !step["path"].is_string())
    return expectedFound(where, "a path for the step Pooling", "none");
  const std::string path = step["path"].get<std::string>();
  if (path.empty() || path.find_first_of(std::string("/\\\0", 3)) != std::string::npos || path[0] == '.')
    return expectedFound(where, "a folder beside it for the step Pooling", inQuotes(path));
  Result<Pooling> pooling = readPoolingStep(folder, path);
  if (!pooling)
    return pooling.error();
  spec.pooling = *pooling;
  return {};
}

Result<void> readPooling(const std::string &folder, ModelSpec &spec) {
  std::string path = folder + "/modules.json";
  spec.pooling = Pooling::Mean;
  if (!pathExists(path)) {
    spec.warnings.push_back("modules.json: none; the embedding of a text is the mean of its rows, not normalised");
    return {};
  }
  spec.pooling = Pooling::None;
  Result<std::string> text = readFile(path, kLongestConfig);
  if (!text)
    return text.error();
  Result<json> steps = parseJson(*text, "modules.json");
  if (!steps)
    return steps.error();
  if (!steps->is_array())
    return expectedFound("modules.json", "a list", jsonKindText(*steps));
  for (const json &step : *steps)
    HR_TRY(readStep(folder, step, spec));
  if (spec.pooling == Pooling::None)
    return expectedFound("modules.json", "a step Pooling", "none");
  return {};
}

//===-- folders
//-------------------------------------------------------------------------------------------------------------===//

static Result<std::string> readGeneration(const std::string &folder) {
  std::string path = folder + "/" + kGeneration;
  if (!pathExists(path))
    return std::string();
  Result<std::string> text = readFile(path, kLongestConfig);
  if (text && text->empty())
    return expectedFound(kGeneration, "valid JSON", "an empty file");
  return text;
}

Result<ModelFolder> openModelFolder(const std::string &folder) {
  Result<std::string> config = readFile(folder + "/" + kConfig, kLongestConfig);
  if (!config)
    return config.error();
  Result<std::string> generation = readGeneration(folder);
  if (!generation)
    return generation.error();
  Result<Checkpoint> checkpoint = Checkpoint::open(folder);
  if (!checkpoint)
    return checkpoint.error();
  ModelSpec spec;
  Tensors tensors(*checkpoint);
  HR_TRY(readQuantizationFile(folder, tensors, spec));
  HR_TRY(readModel(*config, *generation, tensors, spec));
  if (spec.kind == ModelKind::Encoder)
    HR_TRY(readPooling(folder, spec));
  spec.warnings.insert(spec.warnings.end(), checkpoint->warnings().begin(), checkpoint->warnings().end());
  HR_TRY(tensors.finish(spec.warnings));
  HR_TRY(checkQuantization(tensors, spec));
  spec.folder = folder;
  spec.parameters = tensors.parameters();
  spec.isQuantized = tensors.areQuantized();
  std::set<std::string> files;
  for (const CheckpointTensor &tensor : checkpoint->tensors())
    files.insert(tensor.file);
  spec.files.assign(files.begin(), files.end());
  return ModelFolder{std::move(spec), checkpoint.take()};
}

} // namespace headrace
