// The published tokenizers against ids and texts of the reference implementation.
#include "Fixtures.h"

#include <catch2/catch.hpp>

using namespace fixtures;

TEST_CASE("published tokenizers give the reference's ids and texts") {
  for (const char *name : {"bert-bge", "gpt-2", "llama-bpe", "llama-spm", "qwen2"}) {
    std::string folder = std::string("data/tokenizers/") + name, path = sharedFile(folder + "/tokenizer.json");
    if (path.empty())
      return;
    Tokenizer tokenizer = Tokenizer::fromFile(path);
    for (const auto &vector : readJson(sharedFile(folder + "/vectors.json"))) {
      std::string text = vector["text"];
      INFO(name << ": " << text);
      Ids ids = vector["ids"];
      CHECK(tokenizer.encode(text) == ids);
      CHECK(tokenizer.encode(text, HR_WITH_SPECIAL) == vector["ids_with_special"].get<Ids>());
      CHECK(tokenizer.decode(ids) == vector["decoded"].get<std::string>());
      CHECK(tokenizer.decodeStream(ids) == vector["decoded"].get<std::string>());
    }
  }
}

TEST_CASE("stories260K gives the reference's ids and texts") {
  std::string path = sharedFile("data/stories260K-hf/tokenizer.json");
  if (path.empty())
    return;
  Tokenizer tokenizer = Tokenizer::fromFile(path);
  for (const auto &vector : readJson(sharedFile("data/stories260K-hf/reference/tokenization.json"))) {
    std::string text = vector["text"];
    INFO(text);
    Ids ids = vector["ids"];
    CHECK(tokenizer.encode(text, HR_WITH_SPECIAL) == ids);
    CHECK(tokenizer.decode(ids, 0) == vector["decoded_skip_special"].get<std::string>());
    CHECK(tokenizer.decode(ids) == vector["decoded_keep_special"].get<std::string>());
    CHECK(tokenizer.decodeStream(ids, 0) == vector["decoded_skip_special"].get<std::string>());
  }
}

TEST_CASE("brook gives the reference's ids and texts") {
  std::string path = sharedFile("models/brook/tokenizer.json");
  if (path.empty())
    return;
  Tokenizer tokenizer = Tokenizer::fromFile(path);
  nlohmann::json reference = readJson(sharedFile("models/brook/reference.json"));
  for (const auto &prompt : reference["prompts"]) {
    CHECK(tokenizer.encode(prompt["text"], HR_WITH_SPECIAL) == prompt["ids"].get<Ids>());
    CHECK(tokenizer.decodeStream(prompt["greedy_ids"], 0) == prompt["greedy_text"].get<std::string>());
  }
}
