// SmallCharsmap.h - a precompiled character map as SentencePiece writes them, small and easy to follow: each node of the
// double array has a block of 256 units of its own.
#ifndef HEADRACE_TEST_TOKENIZER_SMALLCHARSMAP_H
#define HEADRACE_TEST_TOKENIZER_SMALLCHARSMAP_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fixtures {

class SmallCharsmap {
public:
  explicit SmallCharsmap(const std::map<std::string, std::string> &entries) {
    for (const auto &[key, text] : entries)
      add(key, text);
  }
  /// u32 size, units, texts.
  std::string bytes() const {
    std::string map;
    auto put = [&](uint32_t word) {
      for (int i = 0; i < 4; i++)
        map.push_back(char(word >> (8 * i)));
    };
    put(uint32_t(4 * units.size()));
    for (uint32_t unit : units)
      put(unit);
    return map + texts;
  }
  std::string base64() const {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string map = bytes(), text;
    for (size_t i = 0; i < map.size(); i += 3) {
      uint32_t bits = 0;
      for (size_t k = 0; k < 3; k++)
        bits = bits << 8 | (i + k < map.size() ? uint8_t(map[i + k]) : 0);
      for (size_t k = 0; k < 4; k++)
        text.push_back(i + k <= map.size() ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
    return text;
  }

private:
  /// First unit of the children of the unit at `at`, made when there are none. Blocks begin at multiples of 256 and
  /// units are in other blocks than their children, so offsets are plain exclusive ors.
  uint32_t childrenOf(uint32_t at) {
    if (!(units[at] >> 10)) {
      units[at] |= (at ^ uint32_t(units.size())) << 10;
      units.resize(units.size() + 256);
    }
    return at ^ units[at] >> 10;
  }
  void add(const std::string &key, const std::string &text) {
    uint32_t at = 0;
    for (char c : key) {
      at = childrenOf(at) ^ uint8_t(c);
      units[at] |= uint8_t(c);
    }
    uint32_t leaf = childrenOf(at);
    units[at] |= 1u << 8;
    units[leaf] = 1u << 31 | uint32_t(texts.size());
    texts += text + '\0';
  }
  std::vector<uint32_t> units = std::vector<uint32_t>(256);
  std::string texts;
};

} // namespace fixtures
#endif
