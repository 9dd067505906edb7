// The text files of a bundle: what a firmware project includes and finds.
#include "compiler/bundle/BundleTexts.h"
#include <catch2/catch.hpp>

using namespace headrace;

static Manifest sample() {
  Manifest m;
  m.name = "brook";
  m.compiler = "headrace 0.1.0";
  m.settings.target = "rpi5";
  m.arenaBytes = 4096;
  m.sessionBytes = uint64_t(5) << 30;
  m.model.vocab = 2048;
  m.model.tokenizer = true;
  m.devices = {"cpu"};
  m.libraries = {{"aarch64-linux-gnu", "armv8.2-a+dotprod", "lib/aarch64-linux-gnu/libbrook.a", "", "", "", {}},
                 {"x86_64-linux-gnu", "x86-64-v3", "", "", "", "", {}}};
  m.fusions = {{"query, key and value into one matrix product", 6}};
  m.weights = {{"embed", "w4 g64", "t32", {64, 64}, 0, 0, 0, 2304, {}, "", {}}};
  return m;
}

TEST_CASE("the header states sizes as constants") {
  std::string text = headerText(sample());
  CHECK(text.find("#define BROOK_ARENA_BYTES 4096u ") != std::string::npos);
  CHECK(text.find("#define BROOK_SESSION_BYTES 5368709120ull ") != std::string::npos);
  CHECK(text.find("#define BROOK_HAS_TOKENIZER 1u ") != std::string::npos);
  CHECK(text.find("extern const hr_library brook_library;") != std::string::npos);
}

TEST_CASE("the runtime's headers go along") {
  std::vector<std::string> names;
  for (const auto &[name, text] : publicHeaders()) {
    names.push_back(name);
    CHECK(text.find("#ifndef") != std::string::npos);
    CHECK(text.find("#endif", text.size() - 10) != std::string::npos); // whole, to the last line
  }
  CHECK(names == std::vector<std::string>{"hr_abi.h", "headrace.h", "headrace_port.h"});
}

TEST_CASE("the CMake package names the model and its triples") {
  std::string text = packageText(sample());
  CHECK(text.find('@') == std::string::npos);
  CHECK(text.find("set(_hr_triples aarch64-linux-gnu x86_64-linux-gnu)") != std::string::npos);
  CHECK(text.find("add_library(brook::brook STATIC IMPORTED)") != std::string::npos);
}

TEST_CASE("the report says what was fused, precision, memory and cost") {
  Manifest m = sample();
  m.cost.weightBytesPerToken = 1500000;
  m.cost.tokensPerSecond = 12.5;
  m.model.mixtures = 24;
  m.model.experts = 60;
  m.model.expertsPerToken = 4;
  std::string text = bundleReportText(m);
  CHECK(text.find("     6 x query, key and value into one matrix product") != std::string::npos);
  CHECK(text.find("w4 g64                        1 tensors         4096 values       0.00 MiB  4.50 bits a value") !=
        std::string::npos);
  CHECK(text.find("--quant keep") == std::string::npos);
  CHECK(text.find("weights read                1500000 bytes") != std::string::npos);
  CHECK(text.find("at most                        12.5 tokens/s") != std::string::npos);
  auto json = nlohmann::json::parse(bundleReportJson(m));
  CHECK(json["precision"]["w4 g64"]["bytes"] == 2304);
  CHECK(json["token"]["weight_bytes"] == 1500000);
  CHECK(json["token"]["experts_per_token"] == 4);
  CHECK(text.find("of experts                      4 of 60 in each of 24 layers") != std::string::npos);
  CHECK(bundleReportText(sample()).find("experts") == std::string::npos);
}

TEST_CASE("the report says what became of a quantized checkpoint's matrices") {
  Manifest m = sample();
  m.stored = {{"Q4_0", "w8 g32", "kept, widened", "blk.0.attn_q.weight", 2, 4096, 2304},
              {"Q6_K", "w8 g32", "requantized", "output.weight", 1, 256, 210}};
  CHECK(m.stored[0].isExact());
  CHECK_FALSE(m.stored[1].isExact());
  std::string text = bundleReportText(m);
  CHECK(text.find("\nThe checkpoint's matrices under --quant keep\n") != std::string::npos);
  CHECK(text.find("  Q4_0 in w8 g32: kept, widened ") != std::string::npos);
  CHECK(text.find("     2 tensors         4096 values       0.00 MiB there: blk.0.attn_q.weight, ...\n") !=
        std::string::npos);
  CHECK(text.find("MiB there: output.weight\n") != std::string::npos);
  auto json = nlohmann::json::parse(bundleReportJson(m));
  CHECK(json["stored"][0]["outcome"] == "kept, widened");
  CHECK(json["stored"][1]["bytes"] == 210);
}
