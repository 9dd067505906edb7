// Models, normalizers and decoders, each by what is written out here; fuzz_against_hf.py compares them at large.
#include "Fixtures.h"

#include <catch2/catch.hpp>

using namespace fixtures;
using nlohmann::json;

TEST_CASE("unigram: the best path, unknown characters fused, bytes where there are any") {
  Tokenizer tokenizer(unigramJson());
  CHECK(tokenizer.encode("ab") == Ids{2, 5});            // -2.5 - 4.0 is above -4.5 - 3.25
  CHECK(tokenizer.encode("a") == Ids{6});                // -4.5 is above -2.5 - 3.0
  CHECK(tokenizer.encode("axyb") == Ids{6, 0, 4});       // one <unk> for two characters
  CHECK(tokenizer.encode("", HR_WITH_SPECIAL) == Ids{1});
  CHECK(tokenizer.encode("a</s>a") == Ids{6, 1, 6});
  json bytes = unigramJson();
  bytes["model"]["byte_fallback"] = true;
  for (const char *name : {"<0x78>", "<0x79>"})
    bytes["model"]["vocab"].push_back({name, -20.0});
  CHECK(Tokenizer(bytes).encode("axyb") == Ids{6, 10, 11, 4});
  CHECK(Tokenizer(bytes).encode("axzb") == Ids{6, 0, 4}); // no byte for z
  json twice = unigramJson();
  twice["model"]["vocab"].push_back({"ab", -1.0});
  CHECK(Tokenizer(twice).encode("ab") == Ids{2, 10}); // the last one counts
}

TEST_CASE("character maps: clusters below six bytes as a whole, else single characters") {
  Tokenizer tokenizer(unigramJson());
  CHECK(tokenizer.encode("ﬁ①") == Ids{2, 7, 9});
  CHECK(tokenizer.encode("e\u0301") == Ids{2, 8});
  CHECK(tokenizer.encode("①\u0301b") == Ids{2, 9, 4});                   // five bytes: the accent is dropped with the rest
  CHECK(tokenizer.encode("①\u0301\u0301b") == Ids{2, 9, 0, 4});          // seven bytes: it stays
  CHECK(tokenizer.encode("a\tb") == Ids{6, 2, 4});
}

TEST_CASE("WordPiece: the longest token first, and one unknown for a word that cannot be covered") {
  Tokenizer tokenizer(wordPieceJson());
  CHECK(tokenizer.encode("abbc", HR_WITH_SPECIAL) == Ids{1, 3, 5, 6, 2});
  CHECK(tokenizer.encode("abc!a") == Ids{3, 6, 7, 3});
  CHECK(tokenizer.encode("ax ab") == Ids{0, 3, 5});
  CHECK(tokenizer.encode("abbbbb abbbbbb") == Ids{3, 5, 5, 5, 5, 5, 0}); // six characters at most
  CHECK(tokenizer.encode("ÀB\u200b\x01 a你b") == Ids{3, 5, 3, 8, 4});
  CHECK(tokenizer.decode({1, 3, 5, 7, 4, 2}, 0) == "ab! b");
  CHECK(tokenizer.decodeStream({5, 3, 7}, 0) == "##b a!");
}

TEST_CASE("WordLevel: whole words") {
  json base = wordPieceJson();
  base["model"] = R"({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "[CLS]": 1, "[SEP]": 2, "ab": 3, "b": 4}})"_json;
  base["decoder"] = nullptr;
  CHECK(Tokenizer(base).encode("ab b abb") == Ids{3, 4, 0});
  CHECK(Tokenizer(base).decode({3, 4, 0}) == "ab b ?");
}

TEST_CASE("BPE with affixes: the first character, those inside and the last have their own tokens") {
  json base = wordPieceJson();
  base["model"] = R"({"type": "BPE", "unk_token": "?", "continuing_subword_prefix": "##", "end_of_word_suffix": "/",
    "vocab": {"?": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "##b": 4, "##b/": 5, "a/": 6, "ab": 7, "ab/": 8},
    "merges": [["a", "##b"], ["a", "##b/"]]})"_json;
  base["decoder"] = R"({"type": "BPEDecoder", "suffix": "/"})"_json;
  Tokenizer tokenizer(base);
  CHECK(tokenizer.encode("a ab abb b") == Ids{6, 8, 7, 5, 0});
  CHECK(tokenizer.decode({6, 8, 7, 5}) == "a ab ab##b");
  CHECK(tokenizer.decodeStream({6, 8, 7, 5}) == "a ab ab##b");
}

TEST_CASE("Metaspace puts its mark before every piece, the first, or none") {
  auto encoded = [](const char *scheme, const std::string &text) {
    json base = unigramJson();
    base["pre_tokenizer"]["prepend_scheme"] = scheme;
    return Tokenizer(base).encode(text);
  };
  CHECK(encoded("always", "b</s>b") == Ids{2, 4, 1, 2, 4});
  CHECK(encoded("first", "b</s>b") == Ids{2, 4, 1, 4});
  CHECK(encoded("first", "</s>b") == Ids{1, 4});
  CHECK(encoded("never", "b b") == Ids{4, 2, 4});
  CHECK(encoded("always", "▁b") == Ids{2, 4});
}

TEST_CASE("stages after ByteLevel see the characters that bytes are spelled with") {
  json base = byteLevelJson();
  base["pre_tokenizer"] = R"({"type": "Sequence", "pretokenizers": [{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
                              {"type": "Digits", "individual_digits": false}]})"_json;
  base["model"]["vocab"][spelled("\xc2\xb2")] = 259; // the byte b2 is spelled as a superscript, which is a number
  base["model"]["merges"].push_back({spelled("\xc2"), spelled("\xb2")});
  CHECK(Tokenizer(base).encode("\xc2\xb2") == Ids{0xc2, 0xb2});
  base["pre_tokenizer"] = nullptr;
  base["normalizer"] = {{"type", "ByteLevel"}};
  CHECK(Tokenizer(base).encode("\xc2\xb2 ab") == Ids{259, 258});
}
