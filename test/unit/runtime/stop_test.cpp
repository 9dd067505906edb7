// stop_test.cpp - stop strings in streamed text: against a search in the whole text, wherever the pieces end.
#include "headrace.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace {

struct Streamed {
  std::string text;
  bool found = false;
  size_t mostHeld = 0;
};

void append(void *user, const char *text, size_t bytes) { static_cast<Streamed *>(user)->text.append(text, bytes); }

Streamed stream(const std::vector<std::string> &pieces, const std::vector<const char *> &strings) {
  Streamed out;
  hr_stop stop = {};
  stop.strings = strings.data();
  stop.count = static_cast<uint32_t>(strings.size());
  for (const std::string &piece : pieces) {
    out.found = hr_stop_feed(&stop, piece.data(), piece.size(), append, &out) != 0;
    if (out.found)
      break;
    out.mostHeld = std::max<size_t>(out.mostHeld, stop.held);
  }
  hr_stop_flush(&stop, append, &out);
  return out;
}

/// What must come out: all before the first place at which a stop string is complete, cut where that string begins.
Streamed expected(const std::string &text, const std::vector<const char *> &strings) {
  Streamed out;
  for (size_t end = 1; end <= text.size(); ++end) {
    size_t from = std::string::npos;
    for (const std::string s : strings)
      if (s.size() <= end && text.compare(end - s.size(), s.size(), s) == 0)
        from = std::min(from, end - s.size());
    if (from != std::string::npos)
      return {text.substr(0, from), true};
  }
  return {text, false};
}

} // namespace

TEST_CASE("a stop string across pieces is not given out, nor what follows it") {
  CHECK(stream({"one EN", "D two"}, {"END"}).text == "one ");
  CHECK(stream({"one E", "N", "x END", "y"}, {"END"}).text == "one ENx ");
  CHECK(stream({"aaa", "ab"}, {"aab"}).text == "aa");
  CHECK(stream({"one EN"}, {"END"}).text == "one EN"); // held back until the end
  CHECK(stream({"\xc3\xa8", "\xc3\xa9"}, {"\xc3\xa9"}).text == "\xc3\xa8");
  CHECK(stream({"abcd"}, {}).text == "abcd");
}

TEST_CASE("text is held back no longer than it has to be") {
  CHECK(stream({"abc", "abd"}, {"abce"}).mostHeld == 3);
  CHECK(stream({"xyz"}, {"abce"}).mostHeld == 0);
}

TEST_CASE("random texts of few letters, in random pieces, with several stop strings") {
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 20000; ++round) {
    auto letters = [&](size_t most) {
      std::string s(1 + random() % most, 'a');
      for (char &c : s)
        c = static_cast<char>('a' + random() % 2);
      return s;
    };
    std::vector<std::string> strings, pieces;
    for (size_t i = 0, n = 1 + random() % 3; i < n; ++i)
      strings.push_back(letters(6));
    std::vector<const char *> pointers;
    for (const std::string &s : strings)
      pointers.push_back(s.c_str());
    std::string text;
    for (size_t i = 0, n = 1 + random() % 8; i < n; ++i)
      text += pieces.emplace_back(letters(5));
    const Streamed want = expected(text, pointers), have = stream(pieces, pointers);
    INFO(text);
    REQUIRE(have.text == want.text);
    REQUIRE(have.found == want.found);
    found += have.found;
  }
  CHECK(found > 5000);
  CHECK(found < 19900);
}
