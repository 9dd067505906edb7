// Mixtures of experts in Hugging Face folders: which layers have one, and how the experts' matrices are stored.
#include "Fixtures.h"
#include "compiler/import/folder/ModelFolder.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace headrace;
using namespace fixtures;
using nlohmann::json;
using Stored = std::vector<std::pair<std::string, std::vector<int64_t>>>;

namespace {

/// The tiny model as one of another architecture, with three experts of 5 columns inside.
json configOf(const char *architecture, const char *type, json more) {
  json config = json::parse(tinyConfig());
  config.update({{"architectures", {architecture}}, {"model_type", type}, {"num_experts_per_tok", 2}});
  config.update(more);
  return config;
}

json qwen(json more = json::object()) {
  more.update({{"num_experts", 3}, {"moe_intermediate_size", 5}});
  return configOf("Qwen3MoeForCausalLM", "qwen3_moe", more);
}

/// The tiny model's tensors but its mlp's, and norms of query and key of `columns` each.
Stored withoutMlp(std::vector<int64_t> norms) {
  Stored tensors;
  for (const auto &tensor : tinyTensors())
    if (tensor.first.find(".mlp.") == std::string::npos)
      tensors.push_back(tensor);
  const std::string attention = "model.layers.0.self_attn.";
  if (!norms.empty()) {
    tensors.push_back({attention + "q_norm.weight", {norms[0]}});
    tensors.push_back({attention + "k_norm.weight", {norms[1]}});
  }
  return tensors;
}

void addExperts(Stored &tensors, const std::string &mlp, const std::vector<std::string> &gateUpDown, int64_t inner) {
  tensors.push_back({mlp + ".gate.weight", {3, 4}});
  for (int expert = 0; expert < 3; ++expert)
    for (size_t part = 0; part < 3; ++part)
      tensors.push_back({mlp + ".experts." + std::to_string(expert) + "." + gateUpDown[part] + ".weight",
                         part < 2 ? std::vector<int64_t>{inner, 4} : std::vector<int64_t>{4, inner}});
}

void addFused(Stored &tensors, int64_t inner) {
  const std::string mlp = "model.layers.0.mlp.";
  tensors.push_back({mlp + "gate.weight", {3, 4}});
  tensors.push_back({mlp + "experts.gate_up_proj", {3, 2 * inner, 4}});
  tensors.push_back({mlp + "experts.down_proj", {3, 4, inner}});
}

Result<ModelSpec> open(const json &config, const Stored &tensors) {
  TemporaryFolder folder;
  folder.write("config.json", config.dump());
  folder.write("model.safetensors", safetensorsOf(tensors));
  Result<ModelFolder> model = openModelFolder(folder.path);
  if (!model)
    return model.error();
  return model->spec;
}

/// The spec of a model that has only its experts' matrices to be asked for.
MlpSpec mlpOf(const json &config, const Stored &tensors) {
  Result<ModelSpec> spec = open(config, tensors);
  INFO((spec ? "accepted" : spec.error().message()));
  REQUIRE(spec);
  CHECK(spec->warnings.empty());
  return spec->blocks[0].mlp;
}

/// Parts of a concatenation by the names of their tensors.
std::vector<std::string> partsOf(const LinearSpec &linear) {
  std::vector<std::string> names;
  REQUIRE(linear.weight.op() == TensorExpr::Op::Concat);
  for (const TensorExpr &part : linear.weight.inputs())
    names.push_back(part.source().name);
  return names;
}

} // namespace

TEST_CASE("experts that are stored one by one are put one below the other") {
  Stored tensors = withoutMlp({2, 2});
  addExperts(tensors, "model.layers.0.mlp", {"gate_proj", "up_proj", "down_proj"}, 5);
  MlpSpec mlp = mlpOf(qwen(), tensors);
  CHECK((mlp.experts.count == 3 && mlp.experts.top == 2 && !mlp.experts.normalise));
  CHECK(mlp.experts.router.weight.source().name == "model.layers.0.mlp.gate.weight");
  CHECK(mlp.gate.weight.shape() == std::vector<int64_t>{15, 4});
  CHECK(mlp.down.weight.shape() == std::vector<int64_t>{12, 5});
  CHECK(partsOf(mlp.up) == std::vector<std::string>{"model.layers.0.mlp.experts.0.up_proj.weight",
                                                    "model.layers.0.mlp.experts.1.up_proj.weight",
                                                    "model.layers.0.mlp.experts.2.up_proj.weight"});
  CHECK(mlp.up.name == "model.layers.0.mlp.experts.up_proj");
  CHECK(mlpOf(qwen({{"norm_topk_prob", true}}), tensors).experts.normalise);

  Stored mixtral = withoutMlp({});
  addExperts(mixtral, "model.layers.0.block_sparse_moe", {"w1", "w3", "w2"}, 6);
  json config = configOf("MixtralForCausalLM", "mixtral", {{"num_local_experts", 3}, {"router_jitter_noise", 0.1}});
  mlp = mlpOf(config, mixtral);
  CHECK(mlp.experts.normalise);
  CHECK(partsOf(mlp.gate)[2] == "model.layers.0.block_sparse_moe.experts.2.w1.weight");
  CHECK(partsOf(mlp.up)[0] == "model.layers.0.block_sparse_moe.experts.0.w3.weight");
  CHECK(partsOf(mlp.down)[1] == "model.layers.0.block_sparse_moe.experts.1.w2.weight");
  CHECK(open(config, mixtral)->blocks[0].attention.window == 0);
  config["sliding_window"] = 7;
  CHECK(open(config, mixtral)->blocks[0].attention.window == 7);

  Stored olmoe = withoutMlp({4, 2});
  addExperts(olmoe, "model.layers.0.mlp", {"gate_proj", "up_proj", "down_proj"}, 6);
  config = configOf("OlmoeForCausalLM", "olmoe", {{"num_experts", 3}, {"output_router_logits", true}});
  CHECK_FALSE(mlpOf(config, olmoe).experts.normalise);
  AttentionSpec attention = open(config, olmoe)->blocks[0].attention;
  CHECK((attention.qNorm.span == 4 && attention.kNorm.span == 2));
}

TEST_CASE("Granite's experts are always fused") {
  Stored tensors = withoutMlp({});
  const std::string name = "model.layers.0.block_sparse_moe.";
  tensors.push_back({name + "router.layer.weight", {3, 4}});
  tensors.push_back({name + "input_linear.weight", {3, 12, 4}});
  tensors.push_back({name + "output_linear.weight", {3, 4, 6}});
  json config =
      configOf("GraniteMoeForCausalLM", "granitemoe", {{"num_local_experts", 3}, {"residual_multiplier", 0.5}});
  MlpSpec mlp = mlpOf(config, tensors);
  CHECK((mlp.experts.normalise && mlp.experts.top == 2));
  CHECK((mlp.up.weight.op() == TensorExpr::Op::Take && mlp.up.weight.first() == 6));
  CHECK(mlp.down.weight.op() == TensorExpr::Op::Scale);
  tensors.pop_back();
  Result<ModelSpec> spec = open(config, tensors);
  REQUIRE_FALSE(spec);
  CHECK(spec.error().message().find("'" + name + "output_linear.weight': expected [3, 4, 6], found none") !=
        std::string::npos);
}

TEST_CASE("experts that are stored fused are seen as matrices one below the other") {
  Stored tensors = withoutMlp({});
  addFused(tensors, 6);
  // Newer writers call Mixtral's block as all others.
  MlpSpec mlp = mlpOf(configOf("MixtralForCausalLM", "mixtral", {{"num_local_experts", 3}}), tensors);
  const TensorExpr &gate = mlp.gate.weight, &up = mlp.up.weight;
  CHECK(gate.shape() == std::vector<int64_t>{18, 4});
  CHECK((gate.op() == TensorExpr::Op::Take && gate.period() == 12 && gate.first() == 0 && gate.size() == 6));
  CHECK((up.op() == TensorExpr::Op::Take && up.period() == 12 && up.first() == 6 && up.size() == 6));
  CHECK(gate.inputs()[0].op() == TensorExpr::Op::Stored);
  CHECK(gate.inputs()[0].shape() == std::vector<int64_t>{36, 4});
  CHECK(mlp.down.weight.op() == TensorExpr::Op::Stored);
  CHECK(mlp.down.weight.shape() == std::vector<int64_t>{12, 6});
}

TEST_CASE("layers without experts are the configuration's") {
  auto sparse = [](json more) {
    const Checkpoint none;
    Tensors tensors(none);
    ModelSpec spec;
    more["num_hidden_layers"] = 6;
    REQUIRE(readModel(qwen(more).dump(), "", tensors, spec));
    std::string layers;
    for (const BlockSpec &block : spec.blocks)
      layers += block.mlp.experts.count ? 's' : 'd';
    return layers;
  };
  CHECK(sparse(json::object()) == "ssssss");
  CHECK(sparse({{"mlp_only_layers", nullptr}, {"decoder_sparse_step", 2}}) == "dsdsds");
  CHECK(sparse({{"mlp_only_layers", {0, 3}}, {"decoder_sparse_step", 2}}) == "dsddds");
  CHECK(sparse({{"mlp_only_layers", {1, 9}}}) == "sdssss");
  // Dense layers are of the other size.
  Result<ModelSpec> dense = open(qwen({{"mlp_only_layers", {0}}}), [] {
    Stored tensors = tinyTensors();
    tensors.push_back({"model.layers.0.self_attn.q_norm.weight", {2}});
    tensors.push_back({"model.layers.0.self_attn.k_norm.weight", {2}});
    return tensors;
  }());
  REQUIRE(dense);
  CHECK(dense->blocks[0].mlp.up.weight.shape() == std::vector<int64_t>{6, 4});
}

TEST_CASE("the number of experts by both names") {
  auto message = [](json more) {
    const Checkpoint none;
    Tensors tensors(none);
    ModelSpec spec;
    auto read = readModel(qwen(more).dump(), "", tensors, spec);
    return read ? std::to_string(spec.blocks[0].mlp.experts.count) : read.error().message();
  };
  CHECK(message({{"num_local_experts", 3}}) == "3");
  CHECK(message({{"num_local_experts", 4}}) ==
        "config.json: num_experts: expected the same as num_local_experts, 4, found 3");
  json saved = qwen({{"num_local_experts", 5}});
  saved.erase("num_experts");
  const Checkpoint none;
  Tensors tensors(none);
  ModelSpec spec;
  REQUIRE(readModel(saved.dump(), "", tensors, spec));
  CHECK(spec.blocks[0].mlp.experts.count == 5);
}

TEST_CASE("missing and misshapen tensors of experts are refused by name") {
  Stored tensors = withoutMlp({2, 2});
  addExperts(tensors, "model.layers.0.mlp", {"gate_proj", "up_proj", "down_proj"}, 5);
  const std::string last = "model.layers.0.mlp.experts.2.down_proj.weight";
  REQUIRE(tensors.back().first == last);
  tensors.back().second = {4, 6};
  CHECK(open(qwen(), tensors).error().message() ==
        "model.safetensors: tensor '" + last + "': expected [4, 5], found [4, 6]");
  tensors.pop_back();
  CHECK(open(qwen(), tensors).error().message().find(": tensor '" + last + "': expected [4, 5], found none") !=
        std::string::npos);
  Stored fused = withoutMlp({2, 2});
  addFused(fused, 4);
  CHECK(open(qwen(), fused).error().message() ==
        "model.safetensors: tensor 'model.layers.0.mlp.experts.gate_up_proj': expected [3, 10, 4], found [3, 8, 4]");
}

TEST_CASE("a slice of a concatenation within one part is one of the part") {
  auto stored = [](const char *name) { return TensorExpr::stored({name, "f", 0, 0, ElementType::F32}, {4, 8}); };
  TensorExpr all = TensorExpr::concat({stored("a"), stored("b"), stored("c")});
  CHECK(all.slice(4, 4).op() == TensorExpr::Op::Stored);
  CHECK(all.slice(4, 4).source().name == "b");
  TensorExpr inside = all.slice(9, 2);
  CHECK((inside.op() == TensorExpr::Op::Take && inside.first() == 1 && inside.period() == 4));
  CHECK(inside.inputs()[0].source().name == "c");
  TensorExpr across = all.slice(3, 2);
  CHECK((across.op() == TensorExpr::Op::Take && across.first() == 3 && across.period() == 12));
  CHECK(across.inputs()[0].op() == TensorExpr::Op::Concat);
  CHECK(all.take(6, 0, 2).shape() == std::vector<int64_t>{4, 8}); // of each six rows
}
