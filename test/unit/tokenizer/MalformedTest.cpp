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
          {"/version", R"("9.0")", "version: expected '1.0', found the string '9.0'"},
          {"/version", "1", "version: expected a string, found the number 1"},
          {"/model/type", R"("Markov")", "model: expected BPE, Unigram, WordPiece or WordLevel, found 'Markov'"},
          {"/model/type", "5", "model: expected BPE, Unigram, WordPiece or WordLevel, found an object"},
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
           "model.merges[0]: expected two tokens, the second longer than the subword prefix, found 'b'"},
          {"/model/end_of_word_suffix", R"("·")",
           "model.end_of_word_suffix: expected ASCII characters, found the string '·'"},
          {"/model/fuse_unk", "1", "model.fuse_unk: expected true or false, found the number 1"},
          {"/model/byte_fallback", "true",
           "model.byte_fallback: expected false with a ByteLevel pre-tokenizer, found true"},
      });
}

TEST_CASE("malformed models of other kinds") {
  check(unigramJson(),
        {
            {"/model/unk_id", "null", "model.unk_id: expected an id below 10, found null"},
            {"/model/unk_id", "10", "model.unk_id: expected an id below 10, found the number 10"},
            {"/model/vocab", "{}", "model.vocab: expected a list, found an object"},
            {"/model/vocab", "[]", "model.vocab: expected 1 to 4194304 tokens, found 0"},
            {"/model/vocab/3", R"(["a"])", "model.vocab[3]: expected a token and its score, found a list"},
            {"/model/vocab/3", R"(["a", "-1"])", "model.vocab[3]: expected a token and its score, found a list"},
            {"/model/vocab/3", R"([1, -1])", "model.vocab[3]: expected a token and its score, found a list"},
        });
  check(wordPieceJson(),
        {
            {"/model/unk_token", R"("[X]")",
             "model.unk_token: expected a token of the vocabulary, found the string '[X]'"},
            {"/model/unk_token", "", "model.unk_token: expected a string, found null"},
            {"/model/continuing_subword_prefix", "", "model.continuing_subword_prefix: expected a string, found null"},
            {"/model/max_input_chars_per_word", "-1",
             "model.max_input_chars_per_word: expected a count below 1073741824, found the number -1"},
            {"/model/vocab/a", "4", "model.vocab: expected distinct ids, found 4 for both 'a' and 'b'"},
            {"/post_processor/cls", R"("[CLS]")", "post_processor.cls: expected a list, found the string '[CLS]'"},
            {"/post_processor/sep/1", "99", "post_processor: expected ids of the vocabulary, found 99"},
        });
}

TEST_CASE("malformed character maps") {
  std::string map = unigramJson()["normalizer"]["precompiled_charsmap"];
  auto where = "/normalizer/precompiled_charsmap";
  auto quoted = [](const std::string &text) { return json(text).dump(); };
  std::string cut = quoted(map.substr(0, 400)), odd = quoted(map.substr(0, 401)), other = quoted("!" + map.substr(1)),
              few = quoted("AAA="), none = quoted("AAAAAAAA"), bytes = quoted("BAAAAAAAAAD/////");
  check(unigramJson(),
        {
            {where, "5", "normalizer.precompiled_charsmap: expected a string, found the number 5"},
            {where, odd.c_str(),
             "normalizer.precompiled_charsmap: expected base64 in groups of 4 characters, found 401 characters"},
            {where, other.c_str(), "normalizer.precompiled_charsmap: expected base64, found the character '!'"},
            {where, few.c_str(), "normalizer.precompiled_charsmap: expected the size of a double array, found 2 bytes"},
            {where, none.c_str(),
             "normalizer.precompiled_charsmap: expected a double array of 0 bytes, a multiple of 4, "
             "found 2 bytes after its size"},
            {where, cut.c_str(),
             "normalizer.precompiled_charsmap: expected a double array of 12288 bytes, a multiple of "
             "4, found 296 bytes after its size"},
            {where, bytes.c_str(),
             "normalizer.precompiled_charsmap: expected texts in UTF-8, found other bytes at byte 8"},
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
          {"/normalizer", R"({"type": "Sequence", "normalizers": [{"type": "Uppercase"}]})",
           "normalizer.normalizers[0]: expected NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, BertNormalizer, "
           "Replace, Prepend, Precompiled, Nmt, ByteLevel or Sequence, found 'Uppercase'"},
          {"/normalizer", "3",
           "normalizer: expected NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, BertNormalizer, Replace, "
           "Prepend, Precompiled, Nmt, ByteLevel or Sequence, found the number 3"},
          {"/normalizer", R"({"type": "Replace", "pattern": {"Regex": "a*"}, "content": "x"})",
           "normalizer.pattern: expected a regex that matches some text, found one that matches the empty string"},
          {"/normalizer", R"({"type": "Strip", "strip_left": true})",
           "normalizer.strip_right: expected true or false, found null"},
          {"/pre_tokenizer", R"({"type": "UnicodeScripts"})",
           "pre_tokenizer: expected ByteLevel, Split, Digits, Whitespace, WhitespaceSplit, Metaspace, "
           "BertPreTokenizer, Punctuation, CharDelimiterSplit or Sequence, found 'UnicodeScripts'"},
          {"/pre_tokenizer", R"({"type": "Metaspace", "replacement": "ab"})",
           "pre_tokenizer.replacement: expected one character, found the string 'ab'"},
          {"/pre_tokenizer", R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "last"})",
           "pre_tokenizer.prepend_scheme: expected always, first or never, found the string 'last'"},
          {"/pre_tokenizer", R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": false})",
           "pre_tokenizer.add_prefix_space: expected true with prepend_scheme always, found false"},
          {"/pre_tokenizer",
           R"({"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}, {"type": "Metaspace", "replacement": "_"}]})",
           "pre_tokenizer.pretokenizers[1]: expected no ByteLevel and no Metaspace after ByteLevel, found Metaspace"},
          {"/pre_tokenizer", R"({"type": "CharDelimiterSplit", "delimiter": ""})",
           "pre_tokenizer.delimiter: expected one character, found the string ''"},
          {"/pre_tokenizer", R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "Odd"})",
           "pre_tokenizer.behavior: expected Isolated, Removed, Contiguous, MergedWithPrevious or MergedWithNext, "
           "found the "
           "string 'Odd'"},
          {"/pre_tokenizer", R"({"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated"})",
           "pre_tokenizer.pattern: expected a pattern of 1 to 1000 bytes, found 0 bytes"},
          {"/pre_tokenizer", R"({"type": "Split", "pattern": 1, "behavior": "Isolated"})",
           "pre_tokenizer.pattern: expected a String or a Regex, found neither"},
          {"/post_processor", R"({"type": "Pairs"})",
           "post_processor: expected TemplateProcessing, ByteLevel, BertProcessing, RobertaProcessing or Sequence, "
           "found 'Pairs'"},
          {"/post_processor", R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "Q"}}]})",
           "post_processor.single[0].SpecialToken.id: expected a name among special_tokens, found the string 'Q'"},
          {"/post_processor", R"({"type": "TemplateProcessing", "single": []})",
           "post_processor.single: expected one Sequence, found 0"},
          {"/post_processor",
           R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "Q"}}],
         "special_tokens": {"Q": {"ids": [999]}}})",
           "post_processor: expected ids of the vocabulary, found 999"},
          {"/decoder", R"({"type": "CTC"})",
           "decoder: expected ByteLevel, Replace, Metaspace, WordPiece, BPEDecoder, ByteFallback, Fuse, Strip or "
           "Sequence, "
           "found 'CTC'"},
          {"/decoder", R"({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteFallback"}]})",
           "decoder.decoders[1]: expected the order: decoders of one token, ByteFallback, Fuse or ByteLevel, Strip, "
           "found "
           "ByteFallback"},
          {"/decoder",
           R"({"type": "Sequence", "decoders": [{"type": "BPEDecoder", "suffix": "c"}, {"type": "ByteLevel"}]})",
           "decoder.decoders[1]: expected no bytes after BPEDecoder, found ByteLevel"},
          {"/decoder", R"({"type": "BPEDecoder", "suffix": "a"})",
           "decoder: expected the suffix at the end of tokens alone, found 'ab'"},
          {"/decoder",
           R"({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 0, "stop": 1}]})",
           "decoder.decoders[1].stop: expected 0 once tokens are fused, found the number 1"},
      });
}

TEST_CASE("regular expressions that are not supported are named") {
  struct {
    const char *regex, *found;
  } cases[] = {
      {"(?<=a)b", "lookbehind at character 0"},
      {"a+?", "a lazy quantifier at character 2"},
      {"a++*", "a quantifier on a quantifier at character 3"},
      {"(ab)+", "a group repeated without limit"},
      {"(?:ab)?+c", "a possessive quantifier on a group"},
      {"(?!ab)c", "lookahead on more than one character at character 0"},
      {"\\bword", "\\b at character 0"},
      {"(a)\\1", "\\1 at character 3"},
      {"\\p{Hun}+", "the property 'Hun', which is no general category and no script, at character 7"},
      {"[[:alpha:]]", "a POSIX class at character 1"},
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
      {"a\\", "a \\ at the end at character 1"},
      {"(?i:\u00df)", "a letter that folds to several, as \u00df to ss, at character 4"},
      {"(?i:[a\u00c0-\u00ff])", "a letter that folds to several, as \u00df to ss, at character 9"},
      {"fi(?i:gro\u017fs)", "letters that fold together with a single one, as ss with \u00df, at character 9"}};
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

TEST_CASE("a message is one line, whatever the strings of the file hold") {
  for (const json &base : {byteLevelJson(), sentencePieceJson(), unigramJson(), wordPieceJson()}) {
    json values = base.flatten();
    for (const auto &[place, value] : values.items()) {
      if (!value.is_string())
        continue;
      json changed = base;
      changed[json::json_pointer(place)] = value.get<std::string>() + "\n\x1b";
      INFO(place);
      CHECK(errorOf(changed).find_first_of("\n\x1b") == std::string::npos);
    }
  }
  json named = byteLevelJson();
  named["post_processor"] = R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}},
    {"SpecialToken": {"id": "a\nb"}}], "special_tokens": {"a\nb": {"ids": 5}}})"_json;
  CHECK(errorOf(named) ==
        "tokenizer.json: post_processor.special_tokens.'a\\x0ab'.ids: expected a list, found the number 5");
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
