#include "compiler/bundle/BundleTexts.h"

#include "PublicHeaders.inc"

#include <algorithm>
#include <cctype>

namespace headrace {

static std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

/// "#define BROOK_VOCAB 2048u /* ... */"
static std::string constant(const std::string &name, uint64_t value, const char *comment) {
  std::string literal = std::to_string(value) + (value <= 0xffffffffu ? "u" : "ull");
  return "#define " + name + " " + literal + " /* " + comment + " */\n";
}

std::string headerText(const Manifest &m) {
  const std::string prefix = upper(m.name) + "_", guard = "HR_BUNDLE_" + prefix + "H", library = m.name + "_library";
  std::string text = "/* " + m.name + ".h - written by " + m.compiler + " for " + m.settings.target +
                     ". Do not edit.\n *\n" + " *   hr_open(&model, &" + library +
                     ", weights, weight_bytes, &port, &options, arena, " + prefix + "ARENA_BYTES);\n" +
                     " *   hr_session_open(&session, model, memory, " + prefix + "SESSION_BYTES);\n *\n" +
                     " * `weights` is weights.bin: mapped from the file, or linked into the program at an address that "
                     "is a multiple of " +
                     prefix + "WEIGHTS_ALIGN.\n */\n";
  text += "#ifndef " + guard + "\n#define " + guard +
          "\n#include \"headrace.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  text += constant(prefix + "ARENA_BYTES", m.arenaBytes,
                   "memory for hr_open: activations and scratch, any number of threads");
  text += constant(prefix + "SESSION_BYTES", m.sessionBytes, "memory for hr_session_open: the KV cache of one session");
  text +=
      constant(prefix + "MEMORY_ALIGN", 64, "of both, so that no byte of the sizes above is lost; any alignment works");
  text += constant(prefix + "WEIGHTS_BYTES", m.weightsBytes, "size of weights.bin");
  text += constant(prefix + "WEIGHTS_ALIGN", 16384, "of weights.bin in memory");
  text += constant(prefix + "CONTEXT", m.model.context, "positions that the KV cache has room for");
  text += constant(prefix + "MAX_POSITIONS", m.model.maxPositions, "positions that may be used");
  text += constant(prefix + "VOCAB", m.model.vocab, "logits of one row");
  text += constant(prefix + "HAS_TOKENIZER", m.model.tokenizer, "1: hr_model_tokenizer works");
  text += "\n/* The generated code and all that the runtime must know of it. */\nextern const hr_library " + library +
          ";\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

const std::vector<std::pair<std::string, std::string>> &publicHeaders() { return kPublicHeaders; }

} // namespace headrace
