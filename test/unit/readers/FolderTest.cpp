#include "Fixtures.h"
#include "compiler/import/folder/ModelFolder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace headrace;
using namespace fixtures;

static std::string messageOf(const Result<ModelFolder> &folder) {
  return folder ? "accepted" : folder.error().message();
}
static std::string messageOf(const Result<Checkpoint> &checkpoint) {
  return checkpoint ? "accepted" : checkpoint.error().message();
}

TEST_CASE("a folder's tensors are mapped and checked against its configuration") {
  TemporaryFolder folder;
  folder.write("config.json", tinyConfig());
  folder.write("model.safetensors", safetensorsOf(tinyTensors()));
  auto model = openModelFolder(folder.path);
  REQUIRE(model);
  CHECK(model->spec.warnings.empty());
  const CheckpointTensor *k = model->checkpoint.find("model.layers.0.self_attn.k_proj.weight");
  REQUIRE(k);
  CHECK(k->file == "model.safetensors");
  CHECK(k->entry.bytes == 16);
  CHECK(k->data[1] == 0x3f);
  CHECK(model->checkpoint.find("nothing") == nullptr);
  CHECK(model->checkpoint.file("model.safetensors")->data() + k->entry.offset == k->data);
}

TEST_CASE("tensors that do not fit the configuration are refused") {
  TemporaryFolder folder;
  auto write = [&](auto edit) {
    auto tensors = tinyTensors();
    edit(tensors);
    folder.write("config.json", tinyConfig());
    folder.write("model.safetensors", safetensorsOf(tensors));
    std::string message = messageOf(openModelFolder(folder.path));
    size_t at = message.find(std::filesystem::path(folder.path).filename().string());
    return at == 0 ? "FOLDER" + message.substr(message.find(':')) : message;
  };
  using Tensors = std::vector<std::pair<std::string, std::vector<int64_t>>>;
  CHECK(write([](Tensors &t) { t.pop_back(); }) == "FOLDER: tensor 'model.norm.weight': expected [4], found none");
  CHECK(write([](Tensors &t) { t[2].second = {4, 5}; }) ==
        "model.safetensors: tensor 'model.layers.0.self_attn.q_proj.weight': expected [4, 4], found [4, 5]");
  CHECK(write([](Tensors &t) { t.push_back({"model.layers.1.mlp.up_proj.weight", {6, 4}}); }) ==
        "model.safetensors: tensor 'model.layers.1.mlp.up_proj.weight': expected only tensors that config.json "
        "implies, found an extra one of [6, 4]");
  CHECK(write([](Tensors &t) { t.push_back({"lm_head.weight", {3, 4}}); }) ==
        "model.safetensors: tensor 'lm_head.weight': expected the values of model.embed_tokens.weight, as "
        "tie_word_embeddings is true, found others");
}

TEST_CASE("weights of a type that is not computed with are refused by name") {
  TemporaryFolder folder;
  std::string file = safetensorsOf(tinyTensors());
  file.replace(file.find("\"BF16\""), 6, "\"I16\" "); // the first tensor by name
  folder.write("config.json", tinyConfig());
  folder.write("model.safetensors", file);
  CHECK(messageOf(openModelFolder(folder.path)) ==
        "model.safetensors: tensor 'model.embed_tokens.weight': expected F32, F16 or BF16, found I16");
}

TEST_CASE("buffers that follow from the configuration are tolerated and reported") {
  TemporaryFolder folder;
  auto tensors = tinyTensors();
  tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", {1}});
  folder.write("config.json", tinyConfig());
  folder.write("model.safetensors", safetensorsOf(tensors));
  auto model = openModelFolder(folder.path);
  REQUIRE(model);
  CHECK(
      model->spec.warnings ==
      std::vector<std::string>{"model.safetensors: tensor 'model.layers.0.self_attn.rotary_emb.inv_freq' follows from "
                               "config.json and was ignored"});
}

TEST_CASE("folders without what is needed") {
  TemporaryFolder folder;
  CHECK(messageOf(openModelFolder(folder.path)) ==
        folder.path + "/config.json: cannot be opened: no such file or directory");
  folder.write("config.json", tinyConfig());
  CHECK(messageOf(openModelFolder(folder.path)) ==
        folder.path + ": expected model.safetensors or model.safetensors.index.json, found neither");
  folder.write("pytorch_model.bin", "");
  CHECK(messageOf(openModelFolder(folder.path)) ==
        folder.path +
            ": expected model.safetensors or model.safetensors.index.json, found pytorch_model.bin, which is not read");
}

// ---- sharded checkpoints ----

static const char kA[] = "model-00001-of-00002.safetensors", kB[] = "model-00002-of-00002.safetensors";

static std::string indexOf(const nlohmann::json &map) {
  return nlohmann::json{{"metadata", {{"total_size", 24}}}, {"weight_map", map}}.dump();
}

TEST_CASE("shards are found through the index") {
  TemporaryFolder folder;
  folder.write(kA, safetensorsOf({{"a", {2, 2}}, {"b", {3}}}));
  folder.write(kB, safetensorsOf({{"c", {5}}}));
  folder.write("model.safetensors.index.json", indexOf({{"a", kA}, {"b", kA}, {"c", kB}}));
  auto checkpoint = Checkpoint::open(folder.path);
  REQUIRE(checkpoint);
  CHECK(checkpoint->warnings().empty());
  CHECK(checkpoint->tensors().size() == 3);
  CHECK(checkpoint->find("c")->file == kB);
  CHECK(checkpoint->find("c")->data[1] == 0x3f);
  folder.write("model.safetensors.index.json",
               R"({"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00001-of-00002.safetensors",)"
               R"("c":"model-00002-of-00002.safetensors"},"metadata":{"total_size":7},"x":1})");
  CHECK(Checkpoint::open(folder.path)->warnings() ==
        std::vector<std::string>{"model.safetensors.index.json: field 'x' is not known and was ignored",
                                 "model.safetensors.index.json: total_size is 7, the tensors are 24 bytes"});
}

TEST_CASE("malformed indexes are refused with the reason") {
  TemporaryFolder folder;
  folder.write(kA, safetensorsOf({{"a", {2, 2}}, {"b", {3}}}));
  folder.write(kB, safetensorsOf({{"c", {5}}}));
  folder.write("cut.safetensors", safetensorsOf({{"d", {5}}}).substr(0, 70));
  folder.write("twice.safetensors", safetensorsOf({{"c", {5}}, {"d", {1}}}));
  const std::string index = "model.safetensors.index.json";
  struct Row {
    std::string text, message;
  };
  const Row rows[] = {
      {"{", index + ": expected valid JSON, found a syntax error at byte 2"},
      {"[]", index + ": expected an object with a weight_map, found a list"},
      {"{}", index + ": expected an object with a weight_map, found none"},
      {R"({"weight_map":{}})", index + ": weight_map: expected an object of tensor names, found an empty object"},
      {R"({"weight_map":["a"]})", index + ": weight_map: expected an object of tensor names, found a list"},
      {R"({"weight_map":{"a":1}})", index + ": tensor 'a': expected the name of a shard, found the number 1"},
      {R"({"weight_map":{"a":"../x.safetensors"}})",
       index + ": tensor 'a': expected a .safetensors file beside the index, found '../x.safetensors'"},
      {R"({"weight_map":{"a":"x.bin"}})",
       index + ": tensor 'a': expected a .safetensors file beside the index, found 'x.bin'"},
      {R"({"weight_map":{"a":"x.safetensors"}})", index + ": expected the shard 'x.safetensors', found no such file"},
      {indexOf({{"d", "cut.safetensors"}}),
       "cut.safetensors: expected a header of 87 bytes, found 62 bytes after the header length"},
      {indexOf({{"a", kA}, {"b", kA}, {"c", kB}, {"d", kB}}),
       std::string(kB) + ": expected the tensor 'd' that " + index + " lists, found none"},
      {indexOf({{"a", kA}, {"c", kB}}),
       std::string(kA) + ": tensor 'b': expected a tensor that " + index + " lists, found one that it does not"},
      {indexOf({{"a", kA}, {"b", kB}, {"c", kB}}),
       std::string(kA) + ": tensor 'b': expected it in " + kB + " as " + index + " says, found it here"},
      {indexOf({{"c", kB}, {"d", "twice.safetensors"}}),
       "twice.safetensors: tensor 'c': expected each tensor in one shard, found it in " + std::string(kB) + " too"},
  };
  for (const Row &row : rows) {
    folder.write(index, row.text);
    CHECK(messageOf(Checkpoint::open(folder.path)) == row.message);
  }
}

// ---- the shared checkpoints ----

TEST_CASE("the shared checkpoints are read without a remark") {
  std::string data = sharedData();
  if (data.empty())
    return;
  for (const char *name : {"/models/brook", "/data/stories260K-hf", "/data/hf-families/llama",
                           "/data/hf-families/llama-bias-headdim", "/data/hf-families/llama3-rope"}) {
    auto model = openModelFolder(data + name);
    CHECK(messageOf(model) == "accepted");
    if (model)
      CHECK(model->spec.warnings.empty());
  }
  auto biased = openModelFolder(data + "/data/hf-families/llama-bias-headdim");
  REQUIRE(biased);
  const BlockSpec &block = biased->spec.blocks.front();
  CHECK(block.mlp.down.bias);
  CHECK(block.attention.headDim * block.attention.heads != biased->spec.hidden);
  CHECK(openModelFolder(data + "/data/hf-families/llama3-rope")->spec.ropes.front().kind == RopeKind::Llama3);
  CHECK(openModelFolder(data + "/data/stories260K-hf")->spec.eosIds == std::vector<int32_t>{1, 2});
}

TEST_CASE("a checkpoint of every family is read") {
  std::string data = sharedData();
  if (data.empty())
    return;
  for (const char *name : {"bert", "gemma", "gemma3", "gpt-neox", "gpt2", "llama", "llama-bias-headdim", "llama3-rope",
                           "mistral-window", "olmo2", "phi3", "qwen2", "qwen3"}) {
    auto model = openModelFolder(data + "/data/hf-families/" + name);
    CHECK(std::string(name) + ": " + messageOf(model) == std::string(name) + ": accepted");
  }
  auto gemma = openModelFolder(data + "/data/hf-families/gemma3");
  REQUIRE(gemma);
  CHECK(gemma->spec.warnings.empty());
  CHECK(gemma->spec.blocks[4].attention.window == 12);
  CHECK(gemma->spec.blocks[5].attention.window == 0);
  CHECK(gemma->spec.ropes[size_t(gemma->spec.blocks[5].attention.rope)].theta == 1e6);
  auto bert = openModelFolder(data + "/data/hf-families/bert");
  REQUIRE(bert);
  CHECK(bert->spec.kind == ModelKind::Encoder);
  CHECK(bert->spec.warnings ==
        std::vector<std::string>{"modules.json: none; the embedding of a text is the mean of its rows, not normalised",
                                 "model.safetensors: tensor 'pooler.dense.bias' (and 1 more) is not part of the "
                                 "encoder and was ignored"});
}

// ---- pooling ----

TEST_CASE("pooling is what the files of sentence-transformers say") {
  TemporaryFolder folder;
  auto read = [&](const std::string &modules, const std::string &pooling) {
    folder.write("modules.json", modules);
    folder.write("pool/config.json", pooling);
    ModelSpec spec;
    auto done = readPooling(folder.path, spec);
    return done ? std::string(poolingName(spec.pooling)) + (spec.normalize ? ", normalised" : "")
                : done.error().message();
  };
  std::filesystem::create_directory(folder.path + "/pool");
  const std::string transformer = R"({"path":"","type":"sentence_transformers.models.Transformer"})",
                    pool = R"({"path":"pool","type":"sentence_transformers.models.Pooling"})",
                    normalize = R"({"path":"n","type":"sentence_transformers.models.Normalize"})";
  const std::string mean = R"({"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true})",
                    cls = R"({"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false})";
  CHECK(read("[" + transformer + "," + pool + "," + normalize + "]", mean) == "mean, normalised");
  CHECK(read("[" + transformer + "," + pool + "]", cls) == "cls");
  CHECK(read("[" + pool + "]", R"({"pooling_mode":"cls"})") == "cls");
  CHECK(read("[" + pool + "]", R"({"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":true})") ==
        "pool/config.json: expected pooling_mode_mean_tokens or pooling_mode_cls_token alone, found "
        "'pooling_mode_cls_token', 'pooling_mode_mean_tokens'");
  CHECK(read("[" + pool + "]", R"({"pooling_mode_max_tokens":true})") ==
        "pool/config.json: expected pooling_mode_mean_tokens or pooling_mode_cls_token alone, found "
        "'pooling_mode_max_tokens'");
  CHECK(read("[" + transformer + "]", mean) == "modules.json: expected a step Pooling, found none");
  auto textSettings = [&](const std::string &settings) {
    folder.write("sentence_bert_config.json", settings);
    ModelSpec spec;
    auto done = readPooling(folder.path, spec);
    return done ? std::to_string(spec.textPositions) + (spec.warnings.empty() ? "" : ", " + spec.warnings.front())
                : done.error().message();
  };
  read("[" + transformer + "," + pool + "]", mean);
  CHECK(textSettings(R"({"max_seq_length": 256, "do_lower_case": false})") == "256");
  CHECK(textSettings(R"({"max_seq_length": null})") == "0");
  CHECK(textSettings(R"({"do_lower_case": true})") ==
        "0, sentence_bert_config.json: do_lower_case: texts are expected in lower case, and not changed");
  CHECK(textSettings(R"({"max_seq_length": 0})") ==
        "sentence_bert_config.json: max_seq_length: expected an integer from 1 to 16777216, found the number 0");
  CHECK(textSettings("[]") == "sentence_bert_config.json: expected a JSON object, found a list");
  CHECK(read(R"([{"type":"sentence_transformers.models.Dense"}])", mean) ==
        "modules.json: expected steps Transformer, Pooling and Normalize, found 'sentence_transformers.models.Dense'");
  CHECK(read(R"([{"type":"x.Pooling","path":"../pool"}])", mean) ==
        "modules.json: expected a folder beside it for the step Pooling, found '../pool'");
  CHECK(read("{}", mean) == "modules.json: expected a list, found an object");
}
