# lit's configuration: tests are .mlir files under test/dialects, test/passes and test/tools; they run headrace-opt and FileCheck.
import os

import lit.formats

config.name = "headrace"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.headrace_build, "test", "lit")
config.excludes = ["Inputs"]
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.headrace_build, "bin"), config.llvm_tools, config.environment.get("PATH", os.environ["PATH"])]
)
config.substitutions.append(("%models", os.path.join(config.headrace_source, "examples", "models")))

# %data is the test data outside the project. Tests that need it say "REQUIRES: test-data": unsupported where it is absent, but in CI they run,
# and fail.
data = os.environ.get("HEADRACE_TEST_DATA") or os.path.join(config.headrace_source, "..", "shared")
config.substitutions.append(("%data", data))
if os.path.isdir(data) or os.environ.get("CI") == "true":
    config.available_features.add("test-data")
