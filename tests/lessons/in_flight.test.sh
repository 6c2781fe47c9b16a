#!/bin/sh
# The program behind the numbers in lesson 03's "Bytes in flight": its variants are right, none is timed on the emulator, and a wrong one is
# noticed.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
source=lessons/lesson03_relu/measured/in_flight.cu

WARNINGS=error sh tools/compile/build.sh "$source" "$scratch/in_flight"
capture env SIZE=5000 sh tools/actions/run.sh "$scratch/in_flight"
expect "lesson03's variants are right" 0 '^PASS: relu, bytes in flight: [0-9]'
if printf '%s\n' "$output" | grep -q -e ' ms  ' -e ' us'; then
  no "none of them is timed on the emulator" "a time was printed" && show_output
else
  pass "none of them is timed on the emulator"
fi

sed 's|int i = first + k \* blockDim.x;|int i = first + k * (blockDim.x - 1);|' "$source" >"$scratch/wrong.cu"
sh tools/compile/build.sh "$scratch/wrong.cu" "$scratch/wrong" -I"$(dirname "$source")"
capture env SIZE=5000 sh tools/actions/run.sh "$scratch/wrong"
expect "a variant that leaves elements out is noticed" error '^FAIL'
