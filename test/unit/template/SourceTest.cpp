// Which templates a checkpoint has, and which of them are taken; folders.py compares folders with transformers.
#include "Rendered.h"
#include "compiler/import/template/TemplateSource.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>

using headrace::templateOfFolder;
using headrace::templateOfGguf;
namespace fs = std::filesystem;

namespace {

class Folder {
public:
  Folder() {
    char name[] = "/tmp/headrace-template-XXXXXX";
    REQUIRE(mkdtemp(name));
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  Folder &file(const std::string &name, const std::string &text) {
    fs::create_directories(fs::path(path + "/" + name).parent_path());
    std::ofstream(path + "/" + name) << text;
    return *this;
  }
  std::string path;
};

/// Metadata of strings, and the bytes that it points into.
class Metadata {
public:
  Metadata &texts(const std::string &key, const std::vector<std::string> &values, bool isArray = true) {
    std::string bytes;
    for (const std::string &value : values) {
      uint64_t size = value.size();
      bytes.append(reinterpret_cast<const char *>(&size), sizeof size);
      bytes += value;
    }
    return add(key, headrace::GgufType::String, bytes, values.size(), isArray);
  }
  Metadata &text(const std::string &key, const std::string &value) { return texts(key, {value}, false); }
  Metadata &id(const std::string &key, uint32_t value) {
    return add(key, headrace::GgufType::U32, std::string(reinterpret_cast<const char *>(&value), 4), 1, false);
  }
  headrace::GgufMetadata metadata{"model.gguf"};

private:
  Metadata &add(const std::string &key, headrace::GgufType type, const std::string &bytes, uint64_t count, bool isArray) {
    const std::string &name = kept.emplace_back(key), &data = kept.emplace_back(bytes);
    metadata.add(name, headrace::GgufValue{type, isArray, count, reinterpret_cast<const uint8_t *>(data.data())});
    return *this;
  }
  std::deque<std::string> kept;
};

std::string rendered(const headrace::TemplateSource &source, const std::string &context) {
  auto section = headrace::compileTemplate(source);
  REQUIRE(section);
  auto result = fixtures::renderSection(*section, context);
  return result.status == HR_OK ? result.text : result.message;
}

std::string errorOf(const Folder &folder, const std::string &chosen = "") {
  auto found = templateOfFolder(folder.path, chosen);
  return found ? "" : found.error().message();
}

} // namespace

TEST_CASE("a folder without a template has none") {
  auto found = templateOfFolder(Folder().file("tokenizer_config.json", R"({"bos_token": "<s>"})").path);
  REQUIRE(found);
  CHECK(!*found);
}

TEST_CASE("chat_template.json is read last") {
  Folder folder;
  folder.file("chat_template.json", R"({"chat_template": "old"})");
  CHECK((*templateOfFolder(folder.path))->plain->text == "old");
  folder.file("tokenizer_config.json", R"({"chat_template": "new"})");
  CHECK((*templateOfFolder(folder.path))->plain->text == "new");
}

TEST_CASE("malformed lists of templates are named") {
  for (const char *value : {"5", "[5]", "[{\"name\": \"a\"}]", "[{\"name\": 1, \"template\": \"\"}]", "{\"a\": 1}"}) {
    INFO(value);
    CHECK(errorOf(Folder().file("tokenizer_config.json", std::string("{\"chat_template\": ") + value + "}"))
              .rfind("tokenizer_config.json: chat_template: expected a ", 0) == 0);
  }
  CHECK(errorOf(Folder().file("tokenizer_config.json", R"({"chat_template": []})")) ==
        "tokenizer_config.json: chat_template: expected a template, found an empty list");
}

TEST_CASE("errors list the names there are") {
  Folder folder;
  folder.file("additional_chat_templates/rag.jinja", "R").file("additional_chat_templates/other.jinja", "O");
  CHECK(errorOf(folder) ==
        "additional_chat_templates: expected a template named 'default', or --chat-template NAME, found 'other', 'rag'");
  CHECK(errorOf(folder, "none") == "--chat-template: expected one of 'other', 'rag', found 'none'");
  CHECK((*templateOfFolder(folder.path, "rag"))->plain->text == "R");
  CHECK(errorOf(Folder().file("chat_template.jinja", "x"), "rag") ==
        "--chat-template: expected no name, as there is one template only, found 'rag'");
}

TEST_CASE("what is neither default nor for tools is counted") {
  Folder folder;
  folder.file("chat_template.jinja", "D").file("additional_chat_templates/rag.jinja", "R");
  auto found = templateOfFolder(folder.path);
  REQUIRE(found);
  CHECK((*found)->others == std::vector<std::string>{"rag"});
  CHECK(!(*found)->tools);
}

TEST_CASE("errors name the file of the template that is to blame") {
  Folder folder;
  folder.file("chat_template.jinja", "{{ a }}").file("additional_chat_templates/tool_use.jinja", "\n{{ a b }}");
  auto section = headrace::compileTemplate(**templateOfFolder(folder.path));
  REQUIRE(!section);
  CHECK(section.error().message().rfind("additional_chat_templates/tool_use.jinja:2: ", 0) == 0);
}

TEST_CASE("GGUF files have templates by name, and tokens by id") {
  Metadata file;
  file.text("tokenizer.chat_template", "D{{ bos_token }}{{ sep_token }}")
      .text("tokenizer.chat_template.tool_use", "T{{ eos_token }}")
      .text("tokenizer.chat_template.rag", "R")
      .texts("tokenizer.chat_templates", {"tool_use", "rag"})
      .texts("tokenizer.ggml.tokens", {"<s>", "</s>", "<sep>"})
      .id("tokenizer.ggml.bos_token_id", 0)
      .id("tokenizer.ggml.eos_token_id", 1)
      .id("tokenizer.ggml.seperator_token_id", 2);
  auto found = templateOfGguf(file.metadata);
  REQUIRE(found);
  CHECK(rendered(**found, "{}") == "D<s><sep>");
  CHECK(rendered(**found, R"({"tools": []})") == "T</s>");
  CHECK(rendered(**found, R"({"tools": null})") == "D<s><sep>");
  CHECK((*found)->others == std::vector<std::string>{"rag"});
  CHECK(rendered(**templateOfGguf(file.metadata, "rag"), R"({"tools": []})") == "R");
  CHECK(templateOfGguf(file.metadata, "x").error().message() ==
        "--chat-template: expected one of 'default', 'rag', 'tool_use', found 'x'");
}

TEST_CASE("a special id of a GGUF file lies in its vocabulary") {
  Metadata file;
  file.text("tokenizer.chat_template", "").texts("tokenizer.ggml.tokens", {"a"}).id("tokenizer.ggml.bos_token_id", 1);
  CHECK(templateOfGguf(file.metadata).error().message() ==
        "model.gguf: key 'tokenizer.ggml.bos_token_id': expected an id below 1, found 1");
}
