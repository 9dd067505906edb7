// Every byte of a header changed, every length cut: a reader refuses, or what it accepts means the same. Built with
// sanitizers in CI, so that "no sanitizer report" is part of the claim.
#include "Fixtures.h"
#include "compiler/import/folder/LlamaFolder.h"

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

/// What the compiler takes from a header: the tensors that the configuration implies; "" when one is missing, of
/// another shape or type.
static std::string meaning(const SafetensorsHeader &header, const std::vector<ExpectedTensor> &expected) {
  std::string text;
  for (const ExpectedTensor &want : expected) {
    const TensorEntry *found = nullptr;
    for (const TensorEntry &tensor : header.tensors)
      if (tensor.name == want.name)
        found = &tensor;
    if (!found || found->shape != want.shape || found->type == ElementType::Other ||
        header.tensors.size() != expected.size())
      return "";
    text += want.name + " " + found->typeName + " " + std::to_string(found->offset) + " " +
            std::to_string(found->bytes) + "\n";
  }
  return text;
}

TEST_CASE("mutated safetensors headers are refused or mean the same") {
  const std::string file = safetensorsOf(tinyTensors());
  const auto expected = expectedTensors(*parseLlamaConfig(tinyConfig()));
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

TEST_CASE("mutated and truncated configurations never crash, and cut ones are refused") {
  const std::string text = tinyConfigWith(
      "rope_scaling",
      R"({"rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":32})");
  REQUIRE(parseLlamaConfig(text));
  for (size_t length = 0; length < text.size(); ++length)
    REQUIRE_FALSE(parseLlamaConfig(text.substr(0, length)));
  size_t refused = 0;
  for (size_t at = 0; at < text.size(); ++at)
    for (int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string mutant = text;
      mutant[at] = char(mutant[at] ^ flip);
      auto config = parseLlamaConfig(mutant);
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
