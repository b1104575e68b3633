#!/bin/sh
# Runs the tests of tests/metal on a Mac's own GPU: the same sources, compiled by Metal and compared with the f64
# reference. Needs Xcode's command-line tools and what CONTRIBUTING.md lists (LLVM 19, fmt, …).
#
#   tests/metal/on_a_mac.sh [build folder]
#
# TILEWRIGHT_FUZZ_COUNT sets how many statements are drawn, RC_PARAMS="seed=…" which.
set -eu
if [ "$(uname)" != Darwin ]; then
  echo "this is no Mac: ctest runs the same tests on the processor" >&2
  exit 3
fi
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-"$source/build/metal"}
cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release -DTILEWRIGHT_METAL_DEVICE=ON
cmake --build "$build" --target test_metal
# All but the faults that are planted for the machine to find: a GPU shows few of them.
"$build/tests/test_metal" --gtest_filter='-MetalFaults.*'
