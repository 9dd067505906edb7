#!/usr/bin/env bash
# Configures, builds and runs the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake -G Ninja -S . -B build -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22
ninja -C build
ctest --test-dir build --output-on-failure
