// tokenizer.json files that are refused, each with its message.
#include "Fixtures.h"
#include "compiler/import/tokenizer/Tokenizer.h"

#include <catch2/catch.hpp>

using namespace fixtures;
using nlohmann::json;

namespace {

/// A tokenizer with one value replaced, added or (when the new one is "") removed.
struct Case {
  const char *place;   // JSON pointer
  const char *value;   // JSON text
  const char *message; // after "tokenizer.json: "
};

void check(const json &base, const std::vector<Case> &cases) {
  for (const Case &c : cases) {
    json::json_pointer place(c.place);
    json changed = base;
    if (*c.value)
      changed[place] = json::parse(c.value);
    else
      changed[place.parent_pointer()].erase(place.back());
    INFO(c.place << " = " << c.value);
    CHECK(errorOf(changed) == std::string("tokenizer.json: ") + c.message);
  }
}

json withRegex(const std::string &regex) {
  json base = sentencePieceJson();
  base["pre_tokenizer"] =
      R"({"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": false})"_json;
  base["pre_tokenizer"]["pattern"]["Regex"] = regex;
  return base;
}

} // namespace

TEST_CASE("text that is no JSON object") {
  std::string good = byteLevelJson().dump();
  CHECK(errorOf(good) == "");
  CHECK(errorOf(sentencePieceJson()) == "");
  CHECK(errorOf(std::string("")) == "tokenizer.json: expected valid JSON, found a syntax error at byte 1");
  CHECK(errorOf(good.substr(0, 100)) == "tokenizer.json: expected valid JSON, found a syntax error at byte 101");
  CHECK(errorOf(std::string("[1]")) == "tokenizer.json: expected an object, found a list");
  CHECK(errorOf(std::string("{\"model\":\"\xff\"}")) ==
        "tokenizer.json: expected valid JSON, found a syntax error at byte 11");
}

TEST_CASE("malformed models") {
  check(
      byteLevelJson(),
      {
          {"/model", "", "model: expected an object, found null"},
          {"/model/type", R"("WordPiece")", "model: expected BPE, found WordPiece"},
          {"/model/type", R"("Unigram")", "model: expected BPE, found Unigram"},
          {"/model/type", "5", "model: expected BPE, found an object"},
          {"/model/vocab", "", "model.vocab: expected an object of tokens and ids, found null"},
          {"/model/vocab", "[1]", "model.vocab: expected an object of tokens and ids, found a list"},
          {"/model/vocab/ab", "-1", "model.vocab: expected ids below 4194304, found the number -1 for 'ab'"},
          {"/model/vocab/ab", "4194304", "model.vocab: expected ids below 4194304, found the number 4194304 for 'ab'"},
          {"/model/vocab/ab", R"("7")", "model.vocab: expected ids below 4194304, found the string '7' for 'ab'"},
          {"/model/vocab/ab", "257", "model.vocab: expected distinct ids, found 257 for both 'ab' and 'abc'"},
          {"/model/merges", "", "model.merges: expected a list, found null"},
          {"/model/merges/0", R"("ab")", "model.merges[0]: expected two tokens, found the string 'ab'"},
          {"/model/merges/0", R"("a b c")", "model.merges[0]: expected two tokens, found the string 'a b c'"},
          {"/model/merges/0", R"(["a", "b", "c"])", "model.merges[0]: expected two tokens, found a list"},
          {"/model/merges/1", R"([5, "b"])", "model.merges[1][0]: expected a string, found the number 5"},
          {"/model/merges/2", R"(["x", "y"])", "model.merges[2]: expected tokens of the vocabulary, found 'xy'"},
          {"/model/merges/2", R"(["no", "y"])", "model.merges[2]: expected tokens of the vocabulary, found 'no'"},
          {"/model/merges/1", R"(["", "ab"])",
           "model.merges[1]: expected two tokens that are not empty, found an empty one"},
          {"/model/unk_token", R"("<unk>")",
           "model.unk_token: expected a token of the vocabulary, found the string '<unk>'"},
          {"/model/dropout", "0.1", "model.dropout: expected null, found the number 0.1"},
          {"/model/continuing_subword_prefix", R"("##")",
           "model.continuing_subword_prefix: expected null, found the string '##'"},
          {"/model/fuse_unk", "1", "model.fuse_unk: expected true or false, found the number 1"},
          {"/model/byte_fallback", "true",
           "model.byte_fallback: expected false, or a token for each byte in the vocabulary, found none for '<0x00>'"},
      });
  check(
      sentencePieceJson(),
      {
          {"/model/vocab/<0x1F>", "",
           "model.byte_fallback: expected false, or a token for each byte in the vocabulary, found none for '<0x1F>'"},
          {"/model/ignore_merges", "true",
           "model.ignore_merges: expected false without a ByteLevel pre-tokenizer, found true"},
      });
}

TEST_CASE("malformed added tokens") {
  check(
      byteLevelJson(),
      {
          {"/added_tokens", R"({"a": 1})", "added_tokens: expected a list, found an object"},
          {"/added_tokens/0", R"({"id": 259})", "added_tokens[0].content: expected a string, found null"},
          {"/added_tokens/0", R"({"content": "<x>"})", "added_tokens[0].id: expected an id below 4194304, found null"},
          {"/added_tokens/0", R"({"content": "<x>", "id": 99999999})",
           "added_tokens[0].id: expected an id below 4194304, found the number 99999999"},
          {"/added_tokens/0", R"({"content": "<x>", "id": 300})",
           "added_tokens[0].id: expected the id 259 for '<x>', found 300"},
          {"/added_tokens/0", R"({"content": "ab", "id": 259})",
           "added_tokens[0].id: expected the id 256 for 'ab', found 259"},
          {"/added_tokens/0", R"({"content": "<x>", "id": 259, "special": "yes"})",
           "added_tokens[0].special: expected true or false, found the string 'yes'"},
          {"/added_tokens", R"([{"content": "<x>", "id": 259}, {"content": "<x>", "id": 260}])",
           "added_tokens[1].content: expected a content that no other added token has, found the string '<x>'"},
      });
}

TEST_CASE("an added token whose id the vocabulary has") {
  json base = byteLevelJson(); // without "ab" the next free id by count, 258, is taken
  base["model"]["vocab"].erase("ab");
  base["model"]["merges"] = json::array();
  base["added_tokens"] = R"([{"content": "<x>", "id": 258}])"_json;
  CHECK(errorOf(base) == "tokenizer.json: added_tokens[0].id: expected an id that is free, found 258, which is 'Ġab'");
}

TEST_CASE("components that are not supported are named") {
  check(
      byteLevelJson(),
      {
          {"/normalizer", R"({"type": "NFKC"})", "normalizer: expected NFC, Prepend, Replace or Sequence, found NFKC"},
          {"/normalizer", R"({"type": "Sequence", "normalizers": [{"type": "Lowercase"}]})",
           "normalizer.normalizers[0]: expected NFC, Prepend, Replace or Sequence, found Lowercase"},
          {"/normalizer", R"({"type": "Replace", "pattern": {"Regex": " +"}, "content": "x"})",
           "normalizer.pattern: expected a String, found a Regex"},
          {"/normalizer", "3", "normalizer: expected NFC, Prepend, Replace or Sequence, found the number 3"},
          {"/pre_tokenizer", R"({"type": "Metaspace"})",
           "pre_tokenizer: expected ByteLevel, Split, Digits or Sequence, found Metaspace"},
          {"/pre_tokenizer", R"({"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}, {"type": "Digits"}]})",
           "pre_tokenizer.pretokenizers[1]: expected nothing after ByteLevel, found Digits"},
          {"/pre_tokenizer", R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "Odd"})",
           "pre_tokenizer.behavior: expected Isolated, Removed, Contiguous, MergedWithPrevious or MergedWithNext, "
           "found the "
           "string 'Odd'"},
          {"/pre_tokenizer", R"({"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated"})",
           "pre_tokenizer.pattern: expected a pattern of 1 to 512 bytes, found 0 bytes"},
          {"/pre_tokenizer", R"({"type": "Split", "pattern": 1, "behavior": "Isolated"})",
           "pre_tokenizer.pattern: expected a String or a Regex, found neither"},
          {"/post_processor", R"({"type": "BertProcessing"})",
           "post_processor: expected TemplateProcessing, ByteLevel or Sequence, found BertProcessing"},
          {"/post_processor", R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "Q"}}]})",
           "post_processor.single[0].SpecialToken.id: expected a name among special_tokens, found the string 'Q'"},
          {"/post_processor", R"({"type": "TemplateProcessing", "single": []})",
           "post_processor.single: expected one Sequence, found 0"},
          {"/post_processor",
           R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "Q"}}],
         "special_tokens": {"Q": {"ids": [999]}}})",
           "post_processor: expected ids of the vocabulary, found 999"},
          {"/decoder", R"({"type": "WordPiece"})",
           "decoder: expected ByteLevel, Replace, ByteFallback, Fuse, Strip or Sequence, found WordPiece"},
          {"/decoder", R"({"type": "Fuse"})", "decoder: expected ByteLevel, as the pre-tokenizer, found another"},
          {"/decoder", R"({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteFallback"}]})",
           "decoder.decoders[1]: expected the order Replace, ByteFallback, Fuse, Strip, or ByteLevel alone, found "
           "ByteFallback"},
          {"/decoder",
           R"({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 0, "stop": 1}]})",
           "decoder.decoders[1].stop: expected 0, found the number 1"},
      });
}

TEST_CASE("regular expressions that are not supported are named") {
  struct {
    const char *regex, *found;
  } cases[] = {{"(?<=a)b", "lookbehind at character 0"},
               {"a+?", "a lazy quantifier at character 2"},
               {"a++*", "a quantifier on a quantifier at character 3"},
               {"(ab)+", "a group repeated without limit"},
               {"(?:ab)?+c", "a possessive quantifier on a group"},
               {"(?!ab)c", "lookahead on more than one character at character 0"},
               {"\\bword", "\\b at character 0"},
               {"(a)\\1", "\\1 at character 3"},
               {"\\p{Han}+", "the property 'Han', which is no general category, at character 7"},
               {"[a[b]]", "a class inside a class at character 2"},
               {"[[:alpha:]]", "a POSIX class at character 1"},
               {"[a&&b]", "a class operation at character 2"},
               {"[]", "an empty class at character 1"},
               {"[abc", "a class that is not closed at character 0"},
               {"[z-a]", "a class range out of order at character 4"},
               {"(ab", "a group that is not closed at character 3"},
               {"ab)", "an unmatched ) at character 2"},
               {"*a", "a quantifier without operand at character 0"},
               {"a{3,1}", "a repeat count out of order or over 1000 at character 6"},
               {"a{b}", "an unknown quantifier at character 2"},
               {"^a", "^ at character 0"},
               {"\\x{110000}", "an escape that is no code point at character 10"},
               {"a\\", "a \\ at the end at character 1"}};
  for (const auto &c : cases) {
    CHECK(errorOf(withRegex(c.regex)) ==
          std::string("tokenizer.json: pre_tokenizer.pattern: expected a regex of the supported kind, found ") +
              c.found);
  }
  CHECK(errorOf(withRegex("a*")) == "tokenizer.json: pre_tokenizer.pattern: expected a regex that matches some text, "
                                    "found one that matches the empty string");
  CHECK(errorOf(withRegex("(?:(?:(?:){1000}){1000}){1000}a")) == "");
  CHECK(errorOf(withRegex("(?:(?:(?:ab){100}){100}){100}")) ==
        "tokenizer.json: pre_tokenizer.pattern: expected a regex of at most 96 alternatives and repeats, found a "
        "larger one");
}

TEST_CASE("a file with bytes changed or cut off is refused, or gives a section that opens") {
  std::string good = sentencePieceJson().dump();
  auto check = [](const std::string &json) {
    auto section = headrace::compileTokenizerText(json, "tokenizer.json");
    if (!section) {
      REQUIRE(section.error().message().rfind("tokenizer.json: ", 0) == 0);
      REQUIRE(section.error().message().find('\n') == std::string::npos);
      return;
    }
    hr_tokenizer tokenizer;
    REQUIRE(hr_tokenizer_open(&tokenizer, section->data(), section->size()) == HR_OK);
  };
  for (size_t size = 0; size < good.size(); size += 3)
    check(good.substr(0, size));
  for (size_t place = 0; place < good.size(); place++)
    for (char change : {1, 16, '"' ^ ' '}) {
      std::string json = good;
      json[place] = char(json[place] ^ change);
      check(json);
    }
}
