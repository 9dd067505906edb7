#!/usr/bin/env bash
# From a bare Debian 12 to a talking model: installs the packages, builds the compiler, compiles the model that ships with the project
# for this machine in INT4, shows the report, and streams text.
# usage: run.sh [PROMPT]
set -euo pipefail
cd "$(dirname "$0")/../.."
prompt=${1:-In the beginning}
bundle=build/quickstart/brook.bundle

echo "== 1/4 packages"
bash test/setup/install.sh build

echo "== 2/4 build (some minutes the first time, nothing the second)"
if [[ ! -f build/build.ninja ]]; then
  mkdir -p build
  if ! cmake -G Ninja -S . -B build -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DHEADRACE_TESTS=OFF >build/configure.log 2>&1; then
    tail -n 30 build/configure.log >&2
    exit 1
  fi
fi
if [[ -t 1 ]]; then
  ninja -C build headrace headrace-compile
else
  ninja -C build --quiet headrace headrace-compile
fi

echo "== 3/4 compile examples/models/brook for this machine, INT4"
rm -rf "$bundle"
mkdir -p "$(dirname "$bundle")"
build/bin/headrace compile examples/models/brook -o "$bundle" --target host --quant w4

echo
echo "== 4/4 run"
build/bin/headrace run "$bundle" -p "$prompt" -n 64
echo
