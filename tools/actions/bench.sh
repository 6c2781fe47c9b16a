#!/bin/sh
# Runs the emulator's benchmark: each kernel against the same loop in plain C on one core, as ratios within one run.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

source=bench/bench.cu
[ -f "$source" ] || fail "there is no benchmark ($source)."
HOST_OPTIMIZATION=3 sh tools/compile/build.sh "$source" build/bench/bench
# Kernels are compiled before they run: what is timed is not how far a compiler in the background has come.
BACKEND=cpu EMULATOR_TIER="${EMULATOR_TIER:-2}" sh tools/actions/run.sh build/bench/bench
sh tools/actions/watching.sh
