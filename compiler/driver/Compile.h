// Compile.h - `headrace compile`: from a model folder or GGUF file to a bundle.
#ifndef HEADRACE_DRIVER_COMPILE_H
#define HEADRACE_DRIVER_COMPILE_H
#include "compiler/bundle/Manifest.h"
#include "compiler/support/Result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headrace {

/// The command line of a compile, checked for form. Names of targets have been resolved: no "host".
struct CompileRequest {
  std::string model, output;
  std::vector<std::string> targets; ///< device table names; the first runs the entries' ends
  std::vector<std::string> place;   ///< PATTERN=DEVICE
  std::string quant;                ///< empty: "keep" for what is quantized already, else "w4"
  std::string embed, head;          ///< empty: as quant
  int64_t group = 0;                ///< 0: 32 with "keep", else 64
  std::string act = "a8";
  int64_t context = 0; ///< 0: by the model
  std::string kv;
  std::vector<std::string> taps;
  std::string name;         ///< empty: made from the model's
  std::string chatTemplate; ///< empty: the default one, and that for tools
  std::string dumpIR;       ///< folder; empty: no dumps
  bool noFallback = false;
  unsigned threads = 0; ///< of the compile; 0: all cores
  bool progress = false;
};

/// What a compile says when it is done.
struct CompileReport {
  Manifest manifest;
  std::vector<std::string> notes;                      ///< warnings and remarks, one line each
  std::vector<std::pair<std::string, double>> seconds; ///< per phase
  uint64_t peakBytes = 0;                              ///< resident memory of the process at most
};

Result<CompileReport> compileModel(const CompileRequest &request);

/// "host" becomes the name of this machine's instruction set; the error lists the names there are.
Result<std::vector<std::string>> resolveTargets(const std::string &list);

/// A C identifier made of the name of a folder or GGUF file: "SmolLM2-135M" gives "smollm2_135m";
/// with an "m" before it where a bundle of that name would not work.
std::string identifierFrom(const std::string &folder);

/// Whether a bundle cannot have this name: its header or libraries would take the place of the runtime's or of a
/// header of C, or its CMake targets that of each other.
bool isReservedName(const std::string &name);

/// For people: what was fused, precision, memory, predicted cost; then the notes.
std::string reportText(const CompileReport &report);
/// Phases and memory.
std::string statsText(const CompileReport &report);
/// The manifest, notes and statistics as one JSON object.
std::string reportJson(const CompileReport &report);

} // namespace headrace
#endif
