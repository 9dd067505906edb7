#include "compiler/bundle/BundleTexts.h"

#include "PackageTemplate.inc"

namespace headrace {

static void replaceAll(std::string &text, const std::string &what, const std::string &with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::string packageText(const Manifest &manifest) {
  std::string text = kPackageTemplate, triples;
  for (const ManifestLibrary &library : manifest.libraries)
    triples += (triples.empty() ? "" : " ") + library.triple;
  replaceAll(text, "@NAME@", manifest.name);
  replaceAll(text, "@COMPILER@", manifest.compiler);
  replaceAll(text, "@TRIPLES@", triples);
  return text;
}

} // namespace headrace
