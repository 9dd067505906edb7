// BundleTexts.h - the text files of a bundle, each a function of its manifest alone (no MLIR).
#ifndef HEADRACE_BUNDLE_BUNDLETEXTS_H
#define HEADRACE_BUNDLE_BUNDLETEXTS_H

#include "compiler/bundle/Manifest.h"

#include <string>
#include <utility>
#include <vector>

namespace headrace {

/// include/NAME.h: sizes as constants and the library's symbol.
std::string headerText(const Manifest &manifest);

/// The runtime's public headers that go beside it: file name and text, as they were when Headrace was built.
const std::vector<std::pair<std::string, std::string>> &publicHeaders();

/// lib/cmake/NAME/NAME-config.cmake: imported targets NAME::NAME (static), NAME::shared and NAME::port_posix.
std::string packageText(const Manifest &manifest);

/// report/report.txt, for people, and report/report.json, the same figures.
std::string bundleReportText(const Manifest &manifest);
std::string bundleReportJson(const Manifest &manifest);

} // namespace headrace
#endif
