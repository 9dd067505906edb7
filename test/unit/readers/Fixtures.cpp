#include "Fixtures.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace fixtures {

using nlohmann::json;

std::string safetensors(const std::string &text, const std::string &data) {
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += char(uint64_t(text.size()) >> (8 * i));
  return file + text + data;
}

std::string safetensorsOf(const std::vector<std::pair<std::string, std::vector<int64_t>>> &tensors) {
  json header = {{"__metadata__", {{"format", "pt"}}}};
  size_t end = 0;
  for (const auto &[name, shape] : tensors) {
    size_t begin = end, elements = 1;
    for (int64_t dim : shape)
      elements *= size_t(dim);
    end += 2 * elements;
    header[name] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {begin, end}}};
  }
  std::string data;
  for (size_t i = 0; i < end; ++i)
    data += char(i % 2 ? 0x3f : i % 128);
  return safetensors(header.dump(), data);
}

static json tiny() {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"model_type", "llama"},
          {"vocab_size", 3},
          {"hidden_size", 4},
          {"intermediate_size", 6},
          {"num_hidden_layers", 1},
          {"num_attention_heads", 2},
          {"num_key_value_heads", 1},
          {"head_dim", 2},
          {"hidden_act", "silu"},
          {"rms_norm_eps", 1e-5},
          {"rope_theta", 10000.0},
          {"tie_word_embeddings", true},
          {"max_position_embeddings", 32},
          {"bos_token_id", 0},
          {"eos_token_id", 1}};
}

std::string tinyConfig() { return tiny().dump(); }

std::string tinyConfigWith(const std::string &field, const std::string &value) {
  json config = tiny();
  config.erase(field);
  if (!value.empty())
    config[field] = json::parse(value);
  return config.dump();
}

std::vector<std::pair<std::string, std::vector<int64_t>>> tinyTensors() {
  const std::string layer = "model.layers.0.";
  return {{"model.embed_tokens.weight", {3, 4}},
          {layer + "input_layernorm.weight", {4}},
          {layer + "self_attn.q_proj.weight", {4, 4}},
          {layer + "self_attn.k_proj.weight", {2, 4}},
          {layer + "self_attn.v_proj.weight", {2, 4}},
          {layer + "self_attn.o_proj.weight", {4, 4}},
          {layer + "post_attention_layernorm.weight", {4}},
          {layer + "mlp.gate_proj.weight", {6, 4}},
          {layer + "mlp.up_proj.weight", {6, 4}},
          {layer + "mlp.down_proj.weight", {4, 6}},
          {"model.norm.weight", {4}}};
}

static std::string makeFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "hr-test-XXXXXX").string();
  REQUIRE(::mkdtemp(&pattern[0]) != nullptr);
  return pattern;
}

TemporaryFolder::TemporaryFolder() : path(makeFolder()) {}
TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path); }

void TemporaryFolder::write(const std::string &name, const std::string &bytes) const {
  std::ofstream(path + "/" + name, std::ios::binary) << bytes;
}

std::string sharedData() {
  const char *given = std::getenv("HEADRACE_TEST_DATA");
  std::string folder = given ? given : HEADRACE_SOURCE_DIR "/../shared";
  if (std::filesystem::is_directory(folder + "/models"))
    return folder;
  const char *ci = std::getenv("CI");
  if (ci && std::string(ci) == "true")
    FAIL("test data is absent: " << folder);
  WARN("skipped: test data is absent: " << folder);
  return "";
}

} // namespace fixtures
