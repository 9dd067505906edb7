// What a compile says when it is done.
#include "compiler/bundle/BundleTexts.h"
#include "compiler/driver/Compile.h"
#include "compiler/support/Format.h"

#include <nlohmann/json.hpp>

namespace headrace {

std::string reportText(const CompileReport &report) {
  std::string text = bundleReportText(report.manifest);
  if (!report.notes.empty())
    text += "\nNotes\n";
  for (const std::string &note : report.notes)
    text += "  " + note + "\n";
  return text;
}

std::string statsText(const CompileReport &report) {
  std::string text;
  double total = 0;
  for (const auto &[phase, seconds] : report.seconds) {
    text += format("  %-10s %7.2f s\n", phase.c_str(), seconds);
    total += seconds;
  }
  return text + format("  %-10s %7.2f s, at most %.0f MiB of memory\n", "total", total, mebibytes(report.peakBytes));
}

std::string reportJson(const CompileReport &report) {
  nlohmann::ordered_json seconds = nlohmann::ordered_json::object();
  for (const auto &[phase, time] : report.seconds)
    seconds[phase] = time;
  nlohmann::ordered_json json = {{"manifest", nlohmann::ordered_json::parse(report.manifest.toText())},
                                 {"notes", report.notes},
                                 {"seconds", seconds},
                                 {"peak_bytes", report.peakBytes}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace headrace
