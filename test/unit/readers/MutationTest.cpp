// Every byte of a header changed, every length cut: a reader refuses, or what it accepts means the same. Built with
// sanitizers in CI, so that "no sanitizer report" is part of the claim.
#include "Fixtures.h"
#include "compiler/import/folder/ModelFolder.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

using namespace headrace;
using namespace fixtures;

/// The bytes in a heap block of exactly their size, so that the address sanitizer sees a read past the end.
static Result<SafetensorsHeader> readExact(const std::string &file) {
  std::unique_ptr<uint8_t[]> block(new uint8_t[file.size()]);
  std::memcpy(block.get(), file.data(), file.size());
  return readSafetensorsHeader(block.get(), file.size(), "m");
}

using Expected = std::vector<std::pair<std::string, std::vector<int64_t>>>;

/// What the compiler takes from a header: the tensors that the configuration implies; "" when one is missing, of
/// another shape or type.
static std::string meaning(const SafetensorsHeader &header, const Expected &expected) {
  std::string text;
  for (const auto &[name, shape] : expected) {
    const TensorEntry *found = nullptr;
    for (const TensorEntry &tensor : header.tensors)
      if (tensor.name == name)
        found = &tensor;
    if (!found || found->shape != shape || found->type == ElementType::Other ||
        header.tensors.size() != expected.size())
      return "";
    text +=
        name + " " + found->typeName + " " + std::to_string(found->offset) + " " + std::to_string(found->bytes) + "\n";
  }
  return text;
}

TEST_CASE("mutated safetensors headers are refused or mean the same") {
  const std::string file = safetensorsOf(tinyTensors());
  const Expected expected = tinyTensors();
  const std::string original = meaning(*readExact(file), expected);
  REQUIRE_FALSE(original.empty());
  size_t headerEnd = 8 + size_t(uint8_t(file[0])) + 256 * size_t(uint8_t(file[1]));
  size_t refused = 0, accepted = 0, changed = 0;
  for (size_t at = 0; at < headerEnd; ++at)
    for (int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string mutant = file;
      mutant[at] = char(mutant[at] ^ flip);
      auto header = readExact(mutant);
      std::string now = header ? meaning(*header, expected) : "";
      now.empty() ? ++refused : ++accepted;
      if (!now.empty() && now != original)
        ++changed;
    }
  CHECK(changed == 0);
  CHECK(refused > 0);
  CHECK(accepted > 0); // the value of __metadata__
}

TEST_CASE("truncated safetensors files are refused") {
  const std::string file = safetensorsOf(tinyTensors());
  for (size_t length = 0; length < file.size(); ++length)
    REQUIRE_FALSE(readExact(file.substr(0, length)));
  CHECK_FALSE(readExact(file + "x"));
}

static Result<void> parse(const std::string &config) {
  const Checkpoint none;
  Tensors tensors(none);
  ModelSpec spec;
  return readModel(config, "", tensors, spec);
}

TEST_CASE("mutated and truncated configurations never crash, and cut ones are refused") {
  const std::string text = tinyConfigWith(
      "rope_scaling",
      R"({"rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":32})");
  REQUIRE(parse(text));
  for (size_t length = 0; length < text.size(); ++length)
    REQUIRE_FALSE(parse(text.substr(0, length)));
  size_t refused = 0;
  for (size_t at = 0; at < text.size(); ++at)
    for (int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string mutant = text;
      mutant[at] = char(mutant[at] ^ flip);
      auto config = parse(mutant);
      if (!config) {
        ++refused;
        CHECK(config.error().message().find('\n') == std::string::npos);
      }
    }
  CHECK(refused > text.size());
}

TEST_CASE("mutated indexes are refused or mean the same") {
  TemporaryFolder folder;
  folder.write("s1.safetensors", safetensorsOf({{"a", {2, 2}}}));
  folder.write("s2.safetensors", safetensorsOf({{"b", {2, 2}}}));
  const std::string text = R"({"metadata":{"total_size":16},"weight_map":{"a":"s1.safetensors","b":"s2.safetensors"}})";
  for (size_t at = 0; at < text.size(); ++at)
    for (int flip : {0x01, 0x02, 0x04, 0x20, 0x80, 0xff}) {
      std::string mutant = text;
      mutant[at] = char(mutant[at] ^ flip);
      folder.write("model.safetensors.index.json", mutant);
      auto checkpoint = Checkpoint::open(folder.path);
      if (checkpoint) {
        REQUIRE(checkpoint->find("a"));
        REQUIRE(checkpoint->find("b"));
        CHECK(checkpoint->find("a")->file == "s1.safetensors");
      }
    }
  for (size_t length = 0; length < text.size(); ++length) {
    folder.write("model.safetensors.index.json", text.substr(0, length));
    REQUIRE_FALSE(Checkpoint::open(folder.path));
  }
}
