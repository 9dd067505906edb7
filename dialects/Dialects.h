// Every dialect of Headrace, for tools and tests that load them all.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace headrace {
/// Registers the dialects of this folder and the upstream ones that occur in Headrace modules above the targets.
void registerDialects(mlir::DialectRegistry &registry);
} // namespace headrace
