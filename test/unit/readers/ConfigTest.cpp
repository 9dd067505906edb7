#include "Fixtures.h"
#include "compiler/import/families/Family.h"
#include "compiler/import/folder/ModelFolder.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace headrace;
using fixtures::tinyConfigWith;

/// What config.json and generation_config.json say; of the tensors nothing is asked.
static Result<ModelSpec> parse(const std::string &config, const std::string &generation = {}) {
  const Checkpoint none;
  Tensors tensors(none);
  ModelSpec spec;
  if (auto read = readModel(config, generation, tensors, spec); !read)
    return read.error();
  return spec;
}
static AttentionSpec attentionOf(const std::string &config) { return parse(config)->blocks.at(0).attention; }

TEST_CASE("a plain configuration") {
  auto spec = parse(fixtures::tinyConfig());
  REQUIRE(spec);
  CHECK(spec->architecture == "LlamaForCausalLM");
  CHECK(spec->vocab == 3);
  CHECK(spec->blocks.size() == 1);
  CHECK(spec->blocks[0].attention.kvHeads == 1);
  CHECK(spec->blocks[0].attention.headDim == 2);
  CHECK(spec->finalNorm.eps == 1e-5);
  CHECK_FALSE(spec->head.weight);
  CHECK(spec->bosId == 0);
  CHECK(spec->eosIds == std::vector<int32_t>{1});
  CHECK(spec->ropes.at(0).rotaryDim == 2);
  CHECK(spec->warnings.empty());
}

TEST_CASE("absent fields have the architecture's defaults") {
  CHECK(attentionOf(tinyConfigWith("num_key_value_heads", "null")).kvHeads == 2);
  CHECK(attentionOf(tinyConfigWith("head_dim", "")).headDim == 2);
  CHECK(parse(tinyConfigWith("rms_norm_eps", ""))->finalNorm.eps == 1e-6);
  CHECK(parse(tinyConfigWith("tie_word_embeddings", ""))->head.weight);
  CHECK(parse(tinyConfigWith("rope_theta", ""))->ropes.at(0).theta == 10000.0);
  CHECK(parse(tinyConfigWith("bos_token_id", "null"))->bosId == -1);
}

TEST_CASE("activations by all their names") {
  CHECK(parse(tinyConfigWith("hidden_act", "\"gelu\""))->blocks.at(0).mlp.activation == HiddenActivation::Gelu);
  CHECK(parse(tinyConfigWith("hidden_act", "\"gelu_new\""))->blocks.at(0).mlp.activation == HiddenActivation::GeluTanh);
  CHECK(parse(tinyConfigWith("hidden_act", "\"gelu_pytorch_tanh\""))->blocks.at(0).mlp.activation ==
        HiddenActivation::GeluTanh);
  CHECK(parse(tinyConfigWith("hidden_act", "\"relu\""))->blocks.at(0).mlp.activation == HiddenActivation::Relu);
}

TEST_CASE("end ids come from generation_config.json first") {
  CHECK(parse(fixtures::tinyConfig(), R"({"eos_token_id":[2,0,2]})")->eosIds == std::vector<int32_t>{0, 2});
  CHECK(parse(fixtures::tinyConfig(), R"({"eos_token_id":null})")->eosIds == std::vector<int32_t>{1});
  CHECK(parse(tinyConfigWith("eos_token_id", "[1,2]"))->eosIds == std::vector<int32_t>{1, 2});
}

TEST_CASE("rope in both spellings") {
  auto linear = parse(tinyConfigWith("rope_scaling", R"({"type":"linear","factor":2})"));
  REQUIRE(linear);
  CHECK(linear->ropes.at(0).kind == RopeKind::Linear);
  CHECK(linear->ropes.at(0).factor == 2.0);
  const std::string llama3 =
      R"({"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":32)";
  auto old = parse(tinyConfigWith("rope_scaling", llama3 + "}"));
  auto current = parse(tinyConfigWith("rope_parameters", llama3 + R"(,"rope_theta":10000.0})"));
  REQUIRE(old);
  REQUIRE(current);
  CHECK(old->ropes.at(0).kind == RopeKind::Llama3);
  CHECK(current->ropes.at(0).highFreqFactor == 4.0);
  CHECK(current->ropes.at(0).originalPositions == 32);
  CHECK(current->ropes.at(0).theta == old->ropes.at(0).theta);
  auto both = [](const std::string &theta) {
    return parse(
        R"({"architectures":["Qwen2ForCausalLM"],"vocab_size":3,"hidden_size":16,"intermediate_size":6,"num_hidden_layers":1,)"
        R"("num_attention_heads":2,"rope_scaling":{"type":"linear","factor":2},)"
        R"("rope_parameters":{"rope_type":"linear","factor":2.0,"rope_theta":)" +
        theta + "}}");
  };
  auto same = both("10000.0"), other = both("700.0");
  REQUIRE(same);
  CHECK(same->ropes.at(0).factor == 2.0);
  CHECK(same->ropes.at(0).theta == 10000.0);
  REQUIRE_FALSE(other);
  CHECK(other.error().message() ==
        "config.json: rope_parameters: rope_theta: expected 10000.0, as rope_scaling stands beside it, found 700.0");
  auto partial = parse(
      R"({"architectures":["PhiForCausalLM"],"vocab_size":3,"hidden_size":16,"intermediate_size":6,"num_hidden_layers":1,)"
      R"("num_attention_heads":2,"rope_parameters":{"rope_theta":5e5,"partial_rotary_factor":0.5,"rope_type":"default"}})");
  REQUIRE(partial);
  CHECK(partial->ropes.at(0).rotaryDim == 4);
  CHECK(partial->ropes.at(0).theta == 5e5);
}

TEST_CASE("yarn's cosines and sines grow as the configuration says") {
  auto rope = [](const std::string &more) {
    return parse(tinyConfigWith("rope_scaling", R"({"rope_type":"yarn","factor":4.0)" + more + "}"))->ropes.at(0);
  };
  CHECK(rope("").attentionFactor == Approx(0.1 * std::log(4.0) + 1));
  CHECK(rope("").originalPositions == 32); // max_position_embeddings
  CHECK(rope("").truncate);
  CHECK(rope(R"(,"attention_factor":1.5,"original_max_position_embeddings":8,"truncate":false)").attentionFactor ==
        1.5);
  CHECK(rope(R"(,"attention_factor":1.5,"original_max_position_embeddings":8,"truncate":false)").originalPositions ==
        8);
  CHECK_FALSE(rope(R"(,"truncate":false)").truncate);
  CHECK(rope(R"(,"mscale":2.0,"mscale_all_dim":1.0)").attentionFactor ==
        Approx((0.2 * std::log(4.0) + 1) / (0.1 * std::log(4.0) + 1)));
  CHECK(parse(tinyConfigWith("rope_scaling", R"({"rope_type":"dynamic","factor":4.0})"))->ropes.at(0).kind ==
        RopeKind::Default);
}

TEST_CASE("nothing is silent: fields that are not known are reported") {
  auto config = parse(tinyConfigWith("colour", "\"blue\""));
  REQUIRE(config);
  CHECK(config->warnings == std::vector<std::string>{"config.json: field 'colour' is not known and was ignored"});
  CHECK(parse(tinyConfigWith("use_cache", "false"))->warnings.empty());
  CHECK(parse(tinyConfigWith("sliding_window", "null"))->warnings.empty());
  CHECK(parse(tinyConfigWith("layer_types", R"(["full_attention"])"))->warnings.empty());
}

TEST_CASE("longrope is computed for contexts up to the original positions") {
  auto config = parse(tinyConfigWith(
      "rope_scaling",
      R"({"type":"longrope","short_factor":[1.5],"long_factor":[4],"factor":4.0,"original_max_position_embeddings":16})"));
  REQUIRE(config);
  const RopeSpec &rope = config->ropes[0];
  CHECK(rope.kind == RopeKind::LongRope);
  CHECK(rope.divisors.values() == std::vector<float>{1.5f});
  CHECK(rope.attentionFactor == Approx(std::sqrt(1.5))); // ln 4 / ln 16
  CHECK(config->computedPositions == 16);
  CHECK(config->warnings ==
        std::vector<std::string>{"config.json: rotary positions of type longrope are computed for contexts up to 16 of "
                                 "the model's 32 positions"});
}

TEST_CASE("without architectures the model type says which") {
  for (const char *names : {"", "null", "[]"}) {
    auto config = parse(tinyConfigWith("architectures", names));
    REQUIRE(config);
    CHECK(config->architecture == "LlamaForCausalLM");
    CHECK(config->warnings ==
          std::vector<std::string>{
              "config.json: architectures: none; LlamaForCausalLM is taken, as model_type is 'llama'"});
  }
  CHECK(familyOfType("bert")->architecture == std::string("BertModel"));
  CHECK(familyOfType("gemma3_text")->architecture == std::string("Gemma3ForCausalLM"));
}

TEST_CASE("configurations that cannot be honoured are refused with the field's name") {
  struct Row {
    std::string config, message;
  };
  const std::string kNames = "one of " + familyNames();
  const Row rows[] = {
      {"", "config.json: expected valid JSON, found a syntax error at byte 1"},
      {"[]", "config.json: expected a JSON object, found a list"},
      {R"({"vocab_size":3,"vocab_size":4})",
       "config.json: expected valid JSON, found the key 'vocab_size' twice in one object"},
      {R"({"vocab_size":3})", "config.json: architectures: expected " + kNames + ", found none"},
      {R"({"architectures":[],"model_type":"mamba"})",
       "config.json: architectures: expected " + kNames + ", found none, and model_type 'mamba'"},
      {R"({"model_type":"phimoe"})",
       "config.json: model_type: expected a dense model or Granite-MoE, Mixtral, OLMoE or Qwen3-MoE, "
       "as other mixtures of experts are not computed, found 'phimoe'"},
      {tinyConfigWith("architectures", R"(["MambaForCausalLM"])"),
       "config.json: architectures: expected " + kNames + ", found 'MambaForCausalLM'"},
      {tinyConfigWith("architectures", R"(["Qwen2MoeForCausalLM"])"),
       "config.json: architectures: expected a dense model or Granite-MoE, Mixtral, OLMoE or Qwen3-MoE, as other "
       "mixtures of "
       "experts "
       "are not computed, found 'Qwen2MoeForCausalLM'"},
      {tinyConfigWith("architectures", R"(["Gemma3ForConditionalGeneration"])"),
       "config.json: architectures: expected a text model (Gemma3ForCausalLM), as images are not computed, found "
       "'Gemma3ForConditionalGeneration'"},
      {tinyConfigWith("architectures", R"(["LlamaForCausalLM","LlamaModel"])"),
       "config.json: architectures: expected " + kNames + R"(, found ["LlamaForCausalLM","LlamaModel"])"},
      {tinyConfigWith("model_type", R"("qwen2")"), "config.json: model_type: expected 'llama', found 'qwen2'"},
      {tinyConfigWith("quantization_config", R"({"quant_method":"bitsandbytes","load_in_4bit":true})"),
       "config.json: quantization_config: quant_method: expected gptq, awq or compressed-tensors, found "
       "'bitsandbytes'"},
      {tinyConfigWith("vocab_size", ""), "config.json: vocab_size: expected an integer, found none"},
      {tinyConfigWith("vocab_size", "0"),
       "config.json: vocab_size: expected an integer from 1 to 4194304, found the number 0"},
      {tinyConfigWith("vocab_size", "18446744073709551615"),
       "config.json: vocab_size: expected an integer from 1 to 4194304, found the number 18446744073709551615"},
      {tinyConfigWith("hidden_size", "4.0"),
       "config.json: hidden_size: expected an integer from 1 to 1048576, found the number 4.0"},
      {tinyConfigWith("hidden_size", R"("4")"),
       "config.json: hidden_size: expected an integer from 1 to 1048576, found the string '4'"},
      {tinyConfigWith("num_attention_heads", "0"),
       "config.json: num_attention_heads: expected an integer from 1 to 4096, found the number 0"},
      {tinyConfigWith("num_hidden_layers", "-1"),
       "config.json: num_hidden_layers: expected an integer from 1 to 4096, found the number -1"},
      {tinyConfigWith("num_key_value_heads", "3"),
       "config.json: num_key_value_heads: expected a divisor of num_attention_heads 2, found 3"},
      {tinyConfigWith("head_dim", "3"), "config.json: head_dim: expected an even number up to 4096, found 3"},
      {R"({"architectures":["LlamaForCausalLM"],"vocab_size":3,"hidden_size":5,"intermediate_size":6,"num_hidden_layers":1,"num_attention_heads":2})",
       "config.json: hidden_size: expected a multiple of num_attention_heads 2, as there is no head_dim, found 5"},
      {tinyConfigWith("hidden_act", R"("mish")"),
       "config.json: hidden_act: expected silu, gelu, gelu_new, gelu_pytorch_tanh or relu, found 'mish'"},
      {tinyConfigWith("hidden_act", "1"), "config.json: hidden_act: expected a string, found the number 1"},
      {tinyConfigWith("rms_norm_eps", "-1e-5"),
       "config.json: rms_norm_eps: expected a number from 1e-30 to 1.0, found the number -1e-05"},
      {tinyConfigWith("attention_bias", "1"),
       "config.json: attention_bias: expected true or false, found the number 1"},
      {tinyConfigWith("bos_token_id", "0.5"),
       "config.json: bos_token_id: expected token ids below vocab_size 3, found the number 0.5"},
      {tinyConfigWith("eos_token_id", "[1,-1]"),
       "config.json: eos_token_id: expected token ids below vocab_size 3, found the number -1"},
      {tinyConfigWith("rope_theta", "0"),
       "config.json: rope_theta: expected a number from 1.0 to 1000000000000.0, found the number 0"},
      {tinyConfigWith("rope_scaling", R"({"type":"su","factor":4.0})"),
       "config.json: rope_scaling: rope_type: expected default, linear, llama3, yarn, longrope or dynamic, found 'su'"},
      {tinyConfigWith("rope_scaling", R"({"type":"longrope","factor":4.0})"),
       "config.json: rope_scaling: short_factor: expected a list of numbers, found none"},
      {tinyConfigWith("rope_scaling", R"({"type":"longrope","short_factor":[1,1],"long_factor":[2]})"),
       "config.json: short_factor: expected 1 numbers, one for each pair, found 2"},
      {tinyConfigWith("rope_scaling", R"({"type":"longrope","short_factor":[0],"long_factor":[2]})"),
       "config.json: rope_scaling: short_factor: expected numbers from 1e-06 to 1e+06, found the number 0"},
      {tinyConfigWith("rope_scaling", R"({"type":"linear"})"),
       "config.json: rope_scaling: factor: expected a number, found none"},
      {tinyConfigWith("rope_scaling", R"({"type":"linear","rope_type":"llama3"})"),
       "config.json: rope_scaling: type: expected the same as rope_type 'llama3', found 'linear'"},
      {tinyConfigWith("rope_scaling", R"({"rope_type":"linear","factor":2,"beta_fast":32})"),
       "config.json: rope_scaling: expected only fields of rope type linear, found 'beta_fast'"},
      {tinyConfigWith(
           "rope_scaling",
           R"({"rope_type":"llama3","factor":8,"low_freq_factor":4,"high_freq_factor":4,"original_max_position_embeddings":32})"),
       "config.json: rope_scaling: high_freq_factor: expected more than low_freq_factor 4.0, found 4.0"},
      {tinyConfigWith("rope_parameters", R"({"full_attention":{"rope_theta":1.0}})"),
       "config.json: rope_parameters: expected only fields of rope type default, found 'full_attention'"},
      {tinyConfigWith("rope_parameters", R"({"rope_theta":500.0})"),
       "config.json: rope_theta: expected the same as in rope_parameters 500.0, found 10000.0"},
      {tinyConfigWith("partial_rotary_factor", "0.5"),
       "config.json: partial_rotary_factor: expected 1.0, as this family rotates whole heads, found 0.5"},
      {tinyConfigWith("sliding_window", "4096"),
       "config.json: field 'sliding_window': expected null, found the number 4096"},
      {tinyConfigWith("rope_interleaved", "true"),
       "config.json: field 'rope_interleaved': expected null or false, found true"},
      {tinyConfigWith("logits_scaling", "8.0"),
       "config.json: field 'logits_scaling': expected null or 1.0, found the number 8.0"},
      {tinyConfigWith("layer_types", R"(["sliding_attention"])"),
       "config.json: field 'layer_types': expected null or only 'full_attention', found a list"},
      {tinyConfigWith("attention_sink_size", "4"), "config.json: field 'attention_sink_size': expected a field that is "
                                                   "known, as it may change the result, found the number 4"},
  };
  for (const Row &row : rows) {
    auto config = parse(row.config);
    CHECK_FALSE(config);
    if (!config)
      CHECK(config.error().message() == row.message);
  }
  CHECK(parse(fixtures::tinyConfig(), "{").error().message() ==
        "generation_config.json: expected valid JSON, found a syntax error at byte 2");
}

TEST_CASE("special ids beyond the vocabulary are ignored with a warning") {
  auto spec = parse(tinyConfigWith("bos_token_id", "3"), R"({"eos_token_id":[7,2]})");
  REQUIRE(spec);
  CHECK(spec->bosId == -1);
  CHECK(spec->eosIds == std::vector<int32_t>{2});
  std::vector<std::string> expected = {
      "config.json: bos_token_id: 3 is not below vocab_size 3 and was ignored",
      "generation_config.json: eos_token_id: 7 is not below vocab_size 3 and was ignored"};
  for (const std::string &warning : expected)
    CHECK(std::count(spec->warnings.begin(), spec->warnings.end(), warning) == 1);
}
