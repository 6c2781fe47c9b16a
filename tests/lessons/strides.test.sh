#!/bin/sh
# Lesson 03's bad examples of "coalesced": what the page says that they move is what the emulator counts.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
page=lessons/lesson03_relu/README.md

WARNINGS=error sh tools/compile/build.sh lessons/lesson03_relu/measured/strides.cu "$scratch/strides"
capture env SIZE=5000 sh tools/actions/run.sh "$scratch/strides"
expect "lesson03's strided loads are right" 0 '^PASS: relu, strides: 5 '
rows=$(printf '%s\n' "$output" | awk '/^stride[0-9]/ { printf "| %d | %s | %g %% |\n", substr($1, 7), $3, 400 / $3 }')
unmarked "$page" >"$scratch/page"
missing=$(printf '%s\n' "$rows" | grep -vxF -f "$scratch/page" || true)
if [ "$(printf '%s\n' "$rows" | wc -l)" = 5 ] && [ -z "$missing" ]; then
  pass "$page has the sectors that they move"
else
  no "$page has the sectors that they move" "these rows are missing:"
  printf '%s\n' "$missing" | sed 's/^/    | /'
fi
