// What each family makes of its configuration, what it refuses, and how it finds tensors by the names that checkpoints
// have had. The numbers of whole models are held to references in test/families.
#include "Fixtures.h"
#include "compiler/import/families/Family.h"
#include "compiler/import/folder/ModelFolder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace headrace;
using namespace fixtures;
using nlohmann::json;

/// A small configuration of each family; fields that most of them have, then the family's own.
static json configOf(const std::string &architecture) {
  json made = {{"hidden_size", 16},        {"intermediate_size", 24},    {"num_hidden_layers", 2},
               {"num_attention_heads", 2}, {"num_key_value_heads", 1},   {"head_dim", 8},
               {"vocab_size", 9},          {"tie_word_embeddings", true}};
  if (architecture == "GPT2LMHeadModel")
    made = {{"n_embd", 16}, {"n_layer", 2}, {"n_head", 2}, {"vocab_size", 9}};
  if (architecture.compare(0, 10, "DistilBert") == 0)
    made = {{"dim", 16}, {"hidden_dim", 24}, {"n_layers", 2}, {"n_heads", 2}, {"vocab_size", 9}};
  bool falcon = architecture == "FalconForCausalLM" || architecture == "RWForCausalLM";
  if (falcon || architecture == "OPTForCausalLM") {
    made = {
        {"hidden_size", 16}, {"num_hidden_layers", 2}, {"num_attention_heads", 2}, {"vocab_size", 9}, {"ffn_dim", 24}};
    if (falcon)
      made.erase("ffn_dim");
  }
  bool noHeads = architecture == "GPTNeoXForCausalLM" || architecture.find("Bert") == 0 ||
                 architecture.find("Roberta") != std::string::npos || architecture == "StableLmForCausalLM";
  for (const char *field : {"num_key_value_heads", "head_dim"})
    if (noHeads)
      made.erase(field);
  made["architectures"] = {architecture};
  made["model_type"] = findFamily(architecture)->modelType;
  return made;
}

static Result<ModelSpec> parse(const json &config) {
  const Checkpoint none;
  Tensors tensors(none);
  ModelSpec spec;
  if (auto read = readModel(config.dump(), "", tensors, spec); !read)
    return read.error();
  return spec;
}

static std::vector<std::string> architectures() {
  std::vector<std::string> all;
  std::string names = familyNames() + ", ";
  for (size_t at = 0, end; (end = names.find(", ", at)) != std::string::npos; at = end + 2)
    all.push_back(names.substr(at, end - at));
  return all;
}

TEST_CASE("every family fills a whole description") {
  for (const std::string &architecture : architectures()) {
    auto spec = parse(configOf(architecture));
    INFO(architecture << ": " << (spec ? "accepted" : spec.error().message()));
    REQUIRE(spec);
    CHECK(spec->architecture == architecture);
    CHECK(spec->warnings.empty());
    CHECK(spec->embedding.weight.shape() == std::vector<int64_t>{9, 16});
    REQUIRE(spec->blocks.size() == 2);
    for (const BlockSpec &block : spec->blocks) {
      const AttentionSpec &a = block.attention;
      CHECK(a.q.weight.shape() == std::vector<int64_t>{a.heads * a.headDim, 16});
      CHECK(a.k.weight.shape() == std::vector<int64_t>{a.kvHeads * a.headDim, 16});
      CHECK(a.v.weight.shape() == a.k.weight.shape());
      CHECK(a.o.weight.shape() == std::vector<int64_t>{16, a.heads * a.headDim});
      CHECK(a.scale > 0);
      CHECK(a.rope < int(spec->ropes.size()));
      const ExpertsSpec &experts = block.mlp.experts;
      int64_t matrices = std::max<int64_t>(experts.count, 1), inner = block.mlp.down.weight.shape()[1];
      CHECK((experts.count != 0 || inner == spec->feedForward));
      CHECK(experts.top <= experts.count);
      CHECK(block.mlp.down.weight.shape() == std::vector<int64_t>{matrices * 16, inner});
      CHECK(block.mlp.up.weight.shape() == std::vector<int64_t>{matrices * inner, 16});
    }
    CHECK((spec->kind == ModelKind::Encoder || spec->finalNorm));
  }
}

TEST_CASE("what a family cannot honour is refused with the field's name") {
  struct Row {
    const char *architecture, *field, *value, *message;
  };
  const Row rows[] = {
      {"FalconForCausalLM", "alibi", "true", "field 'alibi': expected null or false, found true"},
      {"FalconForCausalLM", "num_ln_in_parallel_attn", "2",
       "num_ln_in_parallel_attn: expected an integer from 1 to 1, found the number 2"},
      {"OPTForCausalLM", "word_embed_proj_dim", "0",
       "word_embed_proj_dim: expected an integer from 1 to 1048576, found the number 0"},
      {"Starcoder2ForCausalLM", "norm_type", "\"rms\"",
       "field 'norm_type': expected null or \"layer_norm\", found the string 'rms'"},
      {"BertModel", "is_decoder", "true", "is_decoder: expected false, found true"},
      {"BertModel", "position_embedding_type", "\"relative_key\"",
       "field 'position_embedding_type': expected null or \"absolute\", found the string 'relative_key'"},
      {"Qwen2ForCausalLM", "layer_types", "[\"full_attention\"]",
       "layer_types: expected full_attention or sliding_attention for each of 2 layers, found a list of 1"},
      {"Qwen3ForCausalLM", "layer_types", "[\"full_attention\",\"linear_attention\"]",
       "layer_types: expected full_attention or sliding_attention for each of 2 layers, found the string "
       "'linear_attention'"},
      {"SmolLM3ForCausalLM", "no_rope_layers", "[1]",
       "no_rope_layers: expected 0 or 1 for each of 2 layers, found a list of 1"},
      {"SmolLM3ForCausalLM", "no_rope_layers", "[1,2]",
       "no_rope_layers: expected 0 or 1 for each of 2 layers, found the number 2"},
      {"OlmoForCausalLM", "clip_qkv", "8.0", "field 'clip_qkv': expected null, found the number 8.0"},
      {"OlmoeForCausalLM", "clip_qkv", "8.0", "field 'clip_qkv': expected null, found the number 8.0"},
      {"OlmoeForCausalLM", "num_experts", "4", "num_experts_per_tok: expected 1 to 4, found 8"},
      {"MixtralForCausalLM", "num_experts_per_tok", "9", "num_experts_per_tok: expected 1 to 8, found 9"},
      {"MixtralForCausalLM", "num_local_experts", "0",
       "num_local_experts: expected an integer from 1 to 4096, found the number 0"},
      {"Qwen3MoeForCausalLM", "mlp_only_layers", "1", "mlp_only_layers: expected a list of layers, found the number 1"},
      {"Qwen3MoeForCausalLM", "mlp_only_layers", "[-1]",
       "mlp_only_layers: expected a list of layers, found the number -1"},
      {"Qwen3MoeForCausalLM", "decoder_sparse_step", "0",
       "decoder_sparse_step: expected an integer from 1 to 1048576, found the number 0"},
      {"Qwen3MoeForCausalLM", "shared_expert_intermediate_size", "64",
       "field 'shared_expert_intermediate_size': expected a field that is known, as it may change the result, found "
       "the number 64"},
      {"LlamaForCausalLM", "num_local_experts", "8",
       "field 'num_local_experts': expected null or 0 or 1, found the number 8"},
      {"GemmaForCausalLM", "use_bidirectional_attention", "true",
       "field 'use_bidirectional_attention': expected null or false, found true"},
      {"Gemma3ForCausalLM", "rope_parameters", R"({"full_attention":{},"other":{}})",
       "rope_parameters: expected only full_attention and sliding_attention, found 'other'"},
      {"Phi3ForCausalLM", "rope_scaling", R"({"type":"longrope","short_factor":[1.0]})",
       "rope_scaling: long_factor: expected a list of numbers, found none"},
      {"Phi3ForCausalLM", "rope_scaling", R"({"type":"yarn","factor":4.0,"original_max_position_embeddings":64})",
       "rope_scaling: short_factor: expected a list of numbers, as rope type 'yarn' is longrope in this family, found "
       "none"},
      {"Phi3ForCausalLM", "rope_scaling", R"({"type":"linear","factor":4.0})",
       "rope_scaling: rope_type: expected default or longrope, found 'linear'"},
      {"Phi3ForCausalLM", "full_attn_mod", "2", "field 'full_attn_mod': expected null or 1, found the number 2"},
      {"GemmaForCausalLM", "hidden_activation", "\"gelu\"",
       "hidden_activation: expected the same as hidden_act, gelu_tanh, found gelu"},
      {"Gemma3ForCausalLM", "attn_logit_softcapping", "50.0",
       "field 'attn_logit_softcapping': expected null, found the number 50.0"},
      {"Qwen3ForCausalLM", "rope_parameters", R"({"partial_rotary_factor":0.5})",
       "partial_rotary_factor: expected 1.0, as this family rotates whole heads, found 0.5"},
      {"PhiForCausalLM", "partial_rotary_factor", "0.2",
       "partial_rotary_factor: expected an even number of rotated elements, found 1 of 8"},
      {"GPT2LMHeadModel", "add_cross_attention", "true",
       "field 'add_cross_attention': expected null or false, found true"},
      {"MistralForCausalLM", "sliding_window", "0",
       "sliding_window: expected an integer from 1 to 16777216, found the number 0"},
  };
  for (const Row &row : rows) {
    json config = configOf(row.architecture);
    config[row.field] = json::parse(row.value);
    auto spec = parse(config);
    REQUIRE_FALSE(spec);
    CHECK(spec.error().message() == std::string("config.json: ") + row.message);
  }
}

TEST_CASE("Falcon's fields by the names of its first releases") {
  json config = {{"architectures", {"RWForCausalLM"}},
                 {"model_type", "RefinedWeb"},
                 {"hidden_size", 16},
                 {"n_head", 4},
                 {"n_head_kv", 2},
                 {"n_layer", 3},
                 {"vocab_size", 9}};
  auto spec = parse(config);
  REQUIRE(spec);
  CHECK(spec->warnings.empty());
  CHECK(spec->blocks.size() == 3);
  CHECK(spec->blocks[0].attention.heads == 4);
  CHECK(spec->blocks[0].attention.kvHeads == 2);
  CHECK(spec->blocks[0].mlpNorm); // the generation with two norms
  config["model_type"] = "RefinedWebModel";
  config["multi_query"] = true;
  config.erase("n_head_kv");
  spec = parse(config);
  REQUIRE(spec);
  CHECK(spec->blocks[0].attention.kvHeads == 1);
  CHECK_FALSE(spec->blocks[0].mlpNorm);
}

TEST_CASE("published fields that say what a family does anyway") {
  json cohere = configOf("Cohere2ForCausalLM");
  cohere.update({{"layer_switch", 4},
                 {"order_of_interleaved_layers", "local_attn_first"},
                 {"position_embedding_type", "rope_gptj"},
                 {"rotary_pct", 1.0},
                 {"use_embedding_sharing", true},
                 {"use_gated_activation", true},
                 {"use_parallel_block", true},
                 {"use_parallel_embedding", true}});
  auto spec = parse(cohere);
  REQUIRE(spec);
  CHECK(spec->warnings.empty());
  cohere["layer_switch"] = 3;
  CHECK(parse(cohere).error().message() == "config.json: layer_switch: expected 4, found the number 3");
  json smollm = configOf("SmolLM3ForCausalLM");
  smollm["max_window_layers"] = 28;
  CHECK(parse(smollm)->warnings.empty());
}

TEST_CASE("an absent window is the family's, null is none") {
  json mistral = configOf("MistralForCausalLM");
  CHECK(parse(mistral)->blocks[0].attention.window == 4096);
  mistral["sliding_window"] = nullptr;
  CHECK(parse(mistral)->blocks[0].attention.window == 0);
  json gemma = configOf("Gemma2ForCausalLM");
  CHECK(parse(gemma)->blocks[0].attention.window == 4096);
  CHECK(parse(gemma)->blocks[1].attention.window == 0);
  CHECK(parse(gemma)->finalSoftcap == 30);
  gemma["final_logit_softcapping"] = nullptr;
  CHECK(parse(gemma)->finalSoftcap == 0);
}

TEST_CASE("mutated configurations of every family never crash") {
  size_t refused = 0;
  for (const std::string &architecture : architectures()) {
    const std::string text = configOf(architecture).dump();
    for (size_t at = 0; at < text.size(); ++at)
      for (int flip : {0x01, 0x08, 0x40, 0xff}) {
        std::string mutant = text;
        mutant[at] = char(mutant[at] ^ flip);
        const Checkpoint none;
        Tensors tensors(none);
        ModelSpec spec;
        if (auto read = readModel(mutant, "", tensors, spec); !read) {
          ++refused;
          REQUIRE(read.error().message().find('\n') == std::string::npos);
        }
      }
  }
  CHECK(refused > 1000);
}

TEST_CASE("the largest numbers that a configuration may hold do no harm") {
  json config = configOf("StableLmForCausalLM");
  config["num_hidden_layers"] = config["num_attention_heads"] = 4096;
  config["hidden_size"] = 1 << 16;
  config["qk_layernorm"] = true;
  TemporaryFolder folder;
  folder.write("config.json", config.dump());
  folder.write("model.safetensors", safetensorsOf({{"model.x", {1}}}));
  auto model = openModelFolder(folder.path);
  REQUIRE_FALSE(model);
  CHECK(model.error().message().find("tensor 'model.embed_tokens.weight': expected [9, 65536], found none") !=
        std::string::npos);
}

// ---- names of tensors ----

TEST_CASE("names with and without the base, and the older names of norms") {
  TemporaryFolder folder;
  auto open = [&](const std::vector<std::pair<std::string, std::vector<int64_t>>> &stored) {
    folder.write("model.safetensors", safetensorsOf(stored));
    return Checkpoint::open(folder.path).take();
  };
  for (const std::string base : {"bert.", ""}) {
    Checkpoint checkpoint =
        open({{base + "a.weight", {2, 3}}, {base + "LayerNorm.gamma", {3}}, {base + "LayerNorm.beta", {3}}});
    Tensors tensors(checkpoint);
    tensors.setBase("bert.");
    CHECK(tensors.get("bert.a.weight", {2, 3}).source().name == base + "a.weight");
    CHECK(layerNorm(tensors, "bert.LayerNorm", 3, 1e-5).weight.source().name == base + "LayerNorm.gamma");
    std::vector<std::string> warnings;
    CHECK(tensors.finish(warnings));
    CHECK(warnings.empty());
    CHECK(tensors.parameters() == 12);
  }
}

TEST_CASE("tensors that are ignored are said once for each reason, others are refused") {
  TemporaryFolder folder;
  folder.write("model.safetensors",
               safetensorsOf({{"h.0.attn.bias", {1}}, {"h.1.attn.bias", {1}}, {"pooler.x", {1}}, {"w", {2}}}));
  Checkpoint checkpoint = Checkpoint::open(folder.path).take();
  Tensors tensors(checkpoint);
  tensors.ignoreEnding(".attn.bias", "follows from config.json");
  tensors.get("w", {2});
  std::vector<std::string> warnings;
  auto refused = tensors.finish(warnings);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "model.safetensors: tensor 'pooler.x': expected only tensors that config.json "
                                     "implies, found an extra one of [1]");
  tensors.ignoreBeginning("pooler.", "is not part of the encoder");
  CHECK(tensors.finish(warnings));
  CHECK(warnings ==
        std::vector<std::string>{
            "model.safetensors: tensor 'h.0.attn.bias' (and 1 more) follows from config.json and was ignored",
            "model.safetensors: tensor 'pooler.x' is not part of the encoder and was ignored"});
}
