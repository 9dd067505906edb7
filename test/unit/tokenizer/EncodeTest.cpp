// The encoder's contract, on tokenizers made here.
#include "Fixtures.h"

#include <catch2/catch.hpp>

using namespace fixtures;
using nlohmann::json;

namespace {

json withSplit(const json &split) {
  json base = byteLevelJson();
  json byteLevel = R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})"_json;
  base["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", json::array({split, byteLevel})}};
  return base;
}

json regexSplit(const std::string &regex, const char *behavior = "Isolated", bool invert = false) {
  return {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", behavior}, {"invert", invert}};
}

/// What the pieces are: every byte is a token, and "ab", "abc" and " ab" merge only within a piece.
std::string pieces(const json &base, const std::string &text) {
  json whole = base;
  whole["model"]["ignore_merges"] = true;
  // Tokens for all substrings: a piece is one token.
  int next = 1000;
  for (size_t i = 0; i < text.size(); i++)
    for (size_t n = 1; i + n <= text.size(); n++)
      if (!whole["model"]["vocab"].contains(spelled(text.substr(i, n))))
        whole["model"]["vocab"][spelled(text.substr(i, n))] = next++;
  Tokenizer tokenizer(whole);
  std::string result;
  for (int32_t id : tokenizer.encode(text))
    result += (result.empty() ? "" : "|") + tokenizer.decode({id});
  return result;
}

} // namespace

TEST_CASE("merges: lowest rank first, then leftmost") {
  Tokenizer tokenizer(byteLevelJson());
  CHECK(tokenizer.encode("") == Ids{});
  CHECK(tokenizer.encode("ab") == Ids{256});
  CHECK(tokenizer.encode("abc") == Ids{257});
  CHECK(tokenizer.encode(" abc") == Ids{' ', 257}); // "abc" ranks before " ab"
  CHECK(tokenizer.encode(" ab") == Ids{258});
  CHECK(tokenizer.encode("aab b") == Ids{'a', 256, ' ', 'b'});
}

TEST_CASE("a pair listed twice has its last rank") {
  json base = byteLevelJson();
  base["model"]["vocab"]["bc"] = 259;
  base["model"]["merges"] = R"([["b", "c"], ["a", "b"]])"_json;
  CHECK(Tokenizer(base).encode("abc") == Ids{'a', 259});
  base["model"]["merges"].push_back("b c");
  CHECK(Tokenizer(base).encode("abc") == Ids{256, 'c'});
}

TEST_CASE("text that is not UTF-8 is refused") {
  Tokenizer tokenizer(byteLevelJson());
  int32_t ids[64];
  size_t n;
  std::vector<uint64_t> scratch(1000);
  for (const char *text :
       {"\x80", "a\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5", "\xe4\xbd", "ab\xff"}) {
    INFO(text);
    CHECK(hr_encode(&tokenizer.get(), text, strlen(text), 0, ids, 64, &n, scratch.data(), scratch.size() * 8) ==
          HR_BAD_TEXT);
  }
}

TEST_CASE("a buffer that is too small gets the count needed") {
  Tokenizer tokenizer(byteLevelJson());
  int32_t ids[2] = {-7, -7};
  size_t n = 0;
  std::vector<uint64_t> scratch(1000);
  CHECK(hr_encode(&tokenizer.get(), "xyz", 3, 0, ids, 1, &n, scratch.data(), scratch.size() * 8) == HR_OUT_OF_MEMORY);
  CHECK(n == 3);
  CHECK(ids[0] == 'x');
  CHECK(ids[1] == -7);
  size_t needed = hr_tokenizer_scratch(&tokenizer.get(), 3);
  CHECK(hr_encode(&tokenizer.get(), "xyz", 3, 0, ids, 2, &n, scratch.data(), needed - 1) == HR_OUT_OF_MEMORY);
  CHECK(hr_encode(&tokenizer.get(), nullptr, 0, 0, nullptr, 0, &n, scratch.data(), needed) == HR_OK);
  CHECK(hr_tokenizer_scratch(&tokenizer.get(), HR_TOKENIZER_MAX_TEXT) == SIZE_MAX);
}

TEST_CASE("byte fallback, fused unknown tokens, unknown bytes dropped") {
  json base = sentencePieceJson();
  CHECK(Tokenizer(base).encode("ab \xc3\xa9") == Ids{263, 259, 3 + 0xc3, 3 + 0xa9});
  base["model"]["byte_fallback"] = false;
  CHECK(Tokenizer(base).encode("axya") == Ids{262, 0, 260});
  base["model"]["fuse_unk"] = false;
  CHECK(Tokenizer(base).encode("axya") == Ids{262, 0, 0, 260});
  base["model"]["unk_token"] = nullptr;
  CHECK(Tokenizer(base).encode("axya") == Ids{262, 260});
}

TEST_CASE("added tokens: longest, stripped, whole words") {
  json base = byteLevelJson();
  base["added_tokens"] = R"([
    {"id": 259, "content": "<x>", "special": true}, {"id": 260, "content": "<x><y>", "normalized": false},
    {"id": 261, "content": "<l>", "lstrip": true}, {"id": 262, "content": "<r>", "rstrip": true},
    {"id": 263, "content": "word", "single_word": true}, {"id": 264, "content": "\t", "lstrip": true, "rstrip": true}
  ])"_json;
  Tokenizer tokenizer(base);
  CHECK(tokenizer.encode("a<x>b") == Ids{'a', 259, 'b'});
  CHECK(tokenizer.encode("<x><y><x>") == Ids{260, 259});
  CHECK(tokenizer.encode("a \xe3\x80\x80<l> a") == Ids{'a', 261, ' ', 'a'});
  CHECK(tokenizer.encode("<r> \n a") == Ids{262, 'a'});
  CHECK(tokenizer.encode("a \t \t\t b\t") == Ids{'a', 264, 'b', 264});
  CHECK(tokenizer.encode("<r>\ta") == Ids{262, 'a'});
  CHECK(tokenizer.encode("word.word") == Ids{263, '.', 263});
  CHECK(tokenizer.encode("words") == Ids{'w', 'o', 'r', 'd', 's'});
  CHECK(tokenizer.decode({259, 'a'}, 0) == "a");
  CHECK(tokenizer.decode({259, 'a'}) == "<x>a");
}

TEST_CASE("the post-processor's template") {
  json base = sentencePieceJson();
  base["post_processor"] = R"({
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "</s>", "type_id": 0}}],
    "special_tokens": {"<s>": {"ids": [1]}, "</s>": {"ids": [2]}}
  })"_json;
  CHECK(Tokenizer(base).encode("a", HR_WITH_SPECIAL) == Ids{1, 262, 2});
  CHECK(Tokenizer(base).encode("", HR_WITH_SPECIAL) == Ids{1, 2});
  CHECK(Tokenizer(base).encode("a") == Ids{262});
}

TEST_CASE("what a split does with its matches") {
  std::string text = "12ab3c44d";
  CHECK(pieces(withSplit(regexSplit("[0-9]")), text) == "1|2|ab|3|c|4|4|d");
  CHECK(pieces(withSplit(regexSplit("[0-9]", "Removed")), text) == "ab|c|d");
  CHECK(pieces(withSplit(regexSplit("[0-9]", "Removed", true)), text) == "1|2|3|4|4");
  CHECK(pieces(withSplit(regexSplit("[0-9]", "Contiguous")), text) == "12|ab|3|c|44|d");
  CHECK(pieces(withSplit(regexSplit("[0-9]", "MergedWithPrevious")), text) == "1|2|ab3|c4|4|d");
  CHECK(pieces(withSplit(regexSplit("[0-9]", "MergedWithNext")), text) == "1|2ab|3c|4|4d");
  CHECK(pieces(withSplit({{"type", "Digits"}, {"individual_digits", false}}), text) == "12|ab|3|c|44|d");
  CHECK(pieces(withSplit({{"type", "Split"}, {"pattern", {{"String", "ab"}}}, {"behavior", "Isolated"}}), text) ==
        "12|ab|3c44d");
}

TEST_CASE("regular expressions") {
  auto split = [](const std::string &regex, const std::string &text) {
    return pieces(withSplit(regexSplit(regex)), text);
  };
  CHECK(split("ab?|c", "abac") == "ab|a|c");
  CHECK(split("a{2,3}", "aaaaaaa") == "aaa|aaa|a");
  CHECK(split("(?:ab){2}c?", "ababcababab") == "ababc|abab|ab");
  CHECK(split("(?i:x)y", "XyxyxY") == "Xy|xy|xY");
  CHECK(split("x+(?=y)", "xxyxx") == "xx|yxx");
  CHECK(split(R"(\s+(?!\S)|\s+)", "a   b  ") == "a|  | |b|  ");
  CHECK(split("x*+xy", "xxy") == "xxy"); // a possessive loop gives nothing back: no match
  CHECK(split("[^a-c\\]]+", "xyabz]") == "xy|ab|z|]");
  CHECK(split("\\x41\\u0042|\\.", "AB.") == "AB|.");
  CHECK(split("x$", "xx\nx") == "x|x|\n|x");
  CHECK(split("(?i:[i\u00e9])", "I\u0131\u0130\u00c9") == "I|\u0131\u0130|\u00c9"); // a dotless i has no other case
  CHECK(split(R"((?i:\p{Lu}))", "aAb") == "a|A|b"); // the case of a property matters, of a class not
  CHECK(split(R"((?i:[\p{Lu}]))", "aAb") == "a|A|b");
}

TEST_CASE("a long run that what follows refuses takes time in proportion to its length") {
  CHECK(pieces(withSplit(regexSplit("\\s+$|y")), "a  y  ") == "a  |y|  ");
  std::string text = std::string(500000, ' ') + "x";
  CHECK(Tokenizer(withSplit(regexSplit("\\s+$"))).encode(text).size() == text.size()); // squared: a minute
  CHECK(pieces(withSplit(regexSplit("\\s{2,}y")), "    y   ") == "    y|   ");
  CHECK(pieces(withSplit(regexSplit("a+b")), "aaaaaab aab") == "aaaaaab| |aab");
}

TEST_CASE("characters newer than the host's tables: regexes know Unicode 16, digits Unicode 17") {
  auto split = [](const std::string &regex, const std::string &text) {
    return pieces(withSplit(regexSplit(regex)), text);
  };
  CHECK(split(R"(\p{Lu}+)", "\U00010d50\U00010d70") == "\U00010d50|\U00010d70"); // Garay, of Unicode 16
  CHECK(split(R"((?i:[\x{10d50}])+)", "\U00010d50\U00010d70") == "\U00010d50\U00010d70");
  CHECK(split(R"(\p{Garay}+)", "a\U00010d40b") == "a|\U00010d40|b");
  CHECK(split(R"(\p{Nd})", "1\U00011de0") == "1|\U00011de0"); // Tolong Siki, of Unicode 17
  CHECK(split(R"(\p{Cn})", "1\U00011de0") == "1|\U00011de0");
  json digits = {{"type", "Digits"}, {"individual_digits", true}};
  CHECK(pieces(withSplit(digits), "a\U00011de0\U00010d40b") == "a|\U00011de0|\U00010d40|b");
}
