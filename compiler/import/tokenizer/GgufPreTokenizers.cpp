#include "compiler/import/tokenizer/GgufPreTokenizers.h"

#include <string>
#include <vector>

namespace headrace::tokenizer {

using nlohmann::json;

namespace {

const std::string contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const std::string spaces = R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
const std::string gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Words with what precedes them, `digits` at a time.
std::string words(const std::string &digits) {
  return contractions + R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})" + digits + R"(| ?[^\s\p{L}\p{N}]+[\r\n]*)" + spaces;
}

/// Words told apart by case. `others`: letters of either kind are not of this set.
std::string casedWords(const std::string &ending, const std::string &digits, const std::string &newlines,
                       const std::string &others = "") {
  std::string upper = R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M})" + others + "]", lower = R"([\p{Ll}\p{Lm}\p{Lo}\p{M})" + others + "]",
              before = R"([^\r\n\p{L}\p{N}]?)";
  return before + upper + "*" + lower + "+" + ending + "|" + before + upper + "+" + lower + "*" + ending + R"(|\p{N})" +
         digits + R"(| ?[^\s\p{L}\p{N}]+)" + newlines + spaces;
}

const std::string deepseekWords = R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
                                  R"(| ?[\p{P}\p{S}]+[\r\n]*)" +
                                  spaces;
/// Letters of scripts with case; those that normal form C would replace are escaped.
const std::string deepseekLetters =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\x{1f7d}ᾀ-ᾴᾶ-ᾼ\x{1fbe}ῂ-ῄ)"
    R"(ῆ-ῌῐ-\x{1fd3}ῖ-\x{1fdb}ῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\x{2126}ℨ\x{212a}-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";
const std::string bloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";

enum Option { Plain = 0, IgnoreMerges = 1, AddBos = 2, Nfc = 4, AddSep = 8 };
struct Row {
  std::vector<const char *> names;
  std::vector<std::string> regexes; // one after the other
  int options;
};

const std::vector<Row> &rows() {
  static const std::vector<Row> table = {
      {{"default"}, {R"([\p{P}\$\+<=>\^~\|]+)", gpt2, R"(\p{N}+)", "[0-9][0-9][0-9]"}, Plain},
      {{"gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "gigachat", "a.x-4.0", "mellum", "modern-bert",
        "exaone4", "mpt", "olmo", "jais", "trillion", "granite-docling"},
       {gpt2},
       Plain},
      {{"jina-v1-en", "jina-v2-code", "roberta-bpe"}, {gpt2}, AddSep},
      {{"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"},
       {words("{1,3}")},
       IgnoreMerges | AddBos},
      {{"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}, {words("{1,3}")}, Plain},
      {{"qwen2", "deepseek-r1-qwen", "megrez"}, {words("")}, Nfc},
      {{"stablelm2", "hunyuan"}, {words("")}, Plain},
      {{"qwen35"},
       {contractions + R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*)" + spaces},
       Nfc},
      {{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"}, {R"(\p{N})", gpt2}, Plain},
      {{"deepseek-llm"},
       {"[\r\n]", deepseekLetters, R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)", R"(\s+$)", "[一-龥ࠀ-一가-퟿]+", R"(\p{N}+)"},
       Plain},
      {{"deepseek-coder"}, {"[\r\n]", R"(\s?\p{L}+)", R"(\s?\p{P}+)", "[一-龥ࠀ-一가-퟿]+", R"(\p{N})"}, Plain},
      {{"deepseek-v3", "hunyuan-dense"}, {R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+", deepseekWords}, Plain},
      {{"poro-chat", "bloom", "gpt3-finnish"}, {bloom}, Plain},
      {{"viking"}, {bloom, R"(\p{N})"}, Plain},
      {{"tekken"}, {casedWords("", "", R"([\r\n/]*)")}, IgnoreMerges | AddBos},
      {{"gpt-4o", "llama4", "kanana2"}, {casedWords(contractions + "?", "{1,3}", R"([\r\n/]*)")}, Plain},
      {{"kimi-k2"},
       {R"([\p{Han}]+|)" + casedWords(contractions + "?", "{1,3}", R"([\r\n]*)", R"(&&[^\p{Han}])")},
       Plain},
      {{"bailingmoe", "bailingmoe2", "llada-moe"},
       {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"},
       Plain},
      {{"seed-coder"},
       {contractions + R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+)" + spaces},
       Plain},
  };
  return table;
}

json regexSplit(const std::string &regex) {
  return {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}, {"invert", false}};
}

json byteLevel(bool regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", regex}};
}

/// Falcon's digits are split after bytes are spelled.
json falcon() {
  return {{"type", "Sequence"},
          {"pretokenizers",
           {json{{"type", "Punctuation"}, {"behavior", "Contiguous"}}, byteLevel(true),
            json{{"type", "Digits"}, {"individual_digits", false}}, regexSplit("[0-9][0-9][0-9]")}}};
}

} // namespace

GgufPreTokenizer ggufPreTokenizer(std::string_view name) {
  GgufPreTokenizer result;
  if (name == "falcon")
    result.preTokenizer = falcon();
  for (const Row &row : rows())
    for (const char *known : row.names) {
      if (name != known)
        continue;
      json steps = json::array();
      for (const std::string &regex : row.regexes)
        steps.push_back(regexSplit(regex));
      steps.push_back(byteLevel(false));
      result.preTokenizer = {{"type", "Sequence"}, {"pretokenizers", steps}};
      result.ignoreMerges = row.options & IgnoreMerges;
      result.addBos = row.options & AddBos;
      result.nfc = row.options & Nfc;
      result.addSep = row.options & AddSep;
    }
  return result;
}

} // namespace headrace::tokenizer
