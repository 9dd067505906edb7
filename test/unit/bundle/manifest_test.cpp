// manifest.json: what is written can be read, equal contents give equal bytes, damaged ones a line that names the
// field.
#include "compiler/bundle/Manifest.h"
#include <catch2/catch.hpp>

using namespace headrace;

namespace {

Manifest sample() {
  Manifest m;
  m.name = "brook";
  m.compiler = "headrace 0.1.0";
  m.model.architecture = "LlamaForCausalLM";
  m.model.kind = "encoder";
  m.model.pooling = "cls";
  m.model.normalize = true;
  m.model.layers = 6;
  m.model.eos = {0, 2};
  m.settings.quant = "w4";
  m.libraries.push_back(
      {"x86_64-linux-gnu", "x86-64-v3", "lib/a", "lib/b.so", "lib/run", "lib/port", {"AVX2+FMA+F16C"}});
  m.devices = {"cpu"};
  m.entries.push_back({"body_1", "body", 1, 50, 20, 0});
  m.sections.push_back({"weights0", "weights", "file map", 0, 16384, 1000});
  m.weights.push_back({"layers.0.attn.qkv",
                       "w4 g64",
                       "t32",
                       {320, 192},
                       0,
                       0,
                       128,
                       30000,
                       {{"q", "model.safetensors", "BF16", 10, 20}},
                       "concat",
                       {"gemv"}});
  m.stored.push_back({"Q4_0", "w4 g32", "kept", "blk.0.attn_q.weight", 7, 4096, 2304});
  m.fusions = {{"q, k and v into one", 6}};
  m.cost = {1500000, 768, 12.5};
  m.checksums.push_back({"weights.bin", 5, "0123456789abcdef"});
  return m;
}

std::string problem(std::string text) {
  auto parsed = Manifest::parse(text, "manifest.json");
  return parsed ? "" : parsed.error().message();
}

std::string with(const std::string &from, const std::string &to) {
  std::string text = sample().toText();
  return text.replace(text.find(from), from.size(), to);
}

} // namespace

TEST_CASE("a manifest survives writing and reading") {
  std::string text = sample().toText();
  auto parsed = Manifest::parse(text, "manifest.json");
  REQUIRE(parsed);
  CHECK(parsed->toText() == text);
  CHECK(parsed->model.pooling == "cls");
  CHECK(parsed->weights[0].sources[0].file == "model.safetensors");
  CHECK(parsed->fusions[0].second == 6);
  CHECK(parsed->stored[0].text() == "Q4_0 in w4 g32: kept");
  CHECK(parsed->cost.tokensPerSecond == 12.5);
}

TEST_CASE("a damaged manifest is refused with a line that names the field") {
  CHECK(problem("{}") == "manifest.json: field 'format': expected the field as Headrace writes it, found nothing");
  CHECK(problem("[]") == "manifest.json: field 'format': expected the field as Headrace writes it, found nothing");
  CHECK(problem(with("\"format\": 1", "\"format\": 2")) == "manifest.json: field 'format': expected 1, found 2");
  CHECK(
      problem(with("\"layers\": 6", "\"layers\": -6")) ==
      "manifest.json: model: field 'layers': expected the field as Headrace writes it, found a value of another type");
  CHECK(problem(with("\"file\": \"model.safetensors\"", "\"file\": 7")) ==
        "manifest.json: weights: sources: field 'file': expected the field as Headrace writes it, found a value of "
        "another type");
  CHECK(problem(with("\"fusions\"", "\"confusions\"")) ==
        "manifest.json: field 'fusions': expected the field as Headrace writes it, found nothing");
  CHECK_FALSE(problem(sample().toText().substr(0, 200)).empty());
}
