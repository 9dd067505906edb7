#include "compiler/pipeline/Diagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

namespace headrace {

std::string locationText(mlir::Location location) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location))
    return name.getName().str();
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location))
    return (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine())).str();
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (std::string text = locationText(part); !text.empty())
        return text;
  return "";
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        take(diagnostic);
        return mlir::success();
      }) {}

void DiagnosticCollector::take(mlir::Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  llvm::replace(message, '\n', ' ');
  // A message that names its place already needs no second mention.
  std::string place = locationText(diagnostic.getLocation());
  if (!place.empty() && !llvm::StringRef(message).contains(place))
    message = place + ": " + message;
  std::lock_guard<std::mutex> lock(mutex);
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
    remarks.push_back(message);
  else if (!first)
    first = message;
}

Error DiagnosticCollector::error(const std::string &otherwise) const { return Error(first ? *first : otherwise); }

} // namespace headrace
