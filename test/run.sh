#!/usr/bin/env bash
# Installs what the tests need, builds into build/, and runs every test.
# usage: run.sh [--full]      --full adds the long tests and fuzzes longer
# Test data outside the project lies in $HEADRACE_TEST_DATA (default: ../shared). Tests that need it are skipped where it is absent,
# and fail where CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."
source test/setup/stages.sh

full=0
case ${1:-} in
"") ;;
--full) full=1 ;;
*)
  echo "usage: test/run.sh [--full]" >&2
  exit 2
  ;;
esac
export HEADRACE_TEST_DATA=${HEADRACE_TEST_DATA:-$PWD/../shared}
werror=OFF
[[ ${CI:-} != true ]] || werror=ON
fuzz_seconds=60
labels=(-LE full)
if [[ $full == 1 ]]; then
  fuzz_seconds=180
  labels=()
fi

stage "packages"
bash test/setup/install.sh build test
bash test/setup/venv.sh "$PWD/build"

stage "build"
configure build -DHEADRACE_TESTS=ON -DHEADRACE_WERROR=$werror -DPython3_EXECUTABLE="$PWD/build/venv/bin/python"
ninja -C build --quiet

stage "tests"
run_ctest build "${labels[@]}"

stage "sanitizers"
configure build/sanitize -DHEADRACE_COMPILER=OFF -DHEADRACE_SANITIZE=ON -DHEADRACE_FUZZ=ON -DHEADRACE_WERROR=$werror \
  -DPython3_EXECUTABLE="$PWD/build/venv/bin/python" -DHEADRACE_E2E_COMPILER="$PWD/build/bin/headrace-compile"
ninja -C build/sanitize --quiet
run_ctest build/sanitize "${labels[@]}"

stage "fuzzing, $fuzz_seconds s a target"
run_fuzzers build/sanitize/bin $fuzz_seconds build/sanitize/fuzz

finish
