#!/bin/sh
# The program behind the numbers in lesson 06's "What limits versions 2 to 5?": its variants are right, and a wrong one is noticed.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
source=lessons/lesson06_shuffles/measured/more_rows.cu

WARNINGS=error sh tools/compile/build.sh "$source" "$scratch/more_rows"
capture env SIZE=5000 sh tools/actions/run.sh "$scratch/more_rows"
expect "lesson06's variants are right" 0 '^PASS: shuffles, more rows: 24 '

sed 's|int first = (blockIdx.x \* BLOCK + threadIdx.x - lane) \* COUNT|int first = (blockIdx.x * BLOCK + threadIdx.x) * COUNT|' "$source" >"$scratch/wrong.cu"
sh tools/compile/build.sh "$scratch/wrong.cu" "$scratch/wrong" -I"$(dirname "$source")"
capture env SIZE=5000 sh tools/actions/run.sh "$scratch/wrong"
expect "a variant that leaves elements out is noticed" error '^FAIL'
