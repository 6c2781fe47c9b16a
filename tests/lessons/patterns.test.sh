#!/bin/sh
# Lesson 04's tables of what a warp's load moves, by stride and by layout: the page's numbers are those that the emulator counts.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
page=lessons/lesson04_grids/README.md

WARNINGS=error sh tools/compile/build.sh lessons/lesson04_grids/measured/patterns.cu "$scratch/patterns"
capture env SIZE=20000 sh tools/actions/run.sh "$scratch/patterns"
expect "lesson04's strided loads and particles are right" 0 '^PASS: patterns: 10 '
case $output in *' ms'*) no "none of them is timed on the emulator" "a time was printed" && show_output ;; esac
rows=$(printf '%s\n' "$output" | awk '
  BEGIN {
    name["stride1"] = "neighbouring floats, from an aligned address on"
    name["misaligned"] = "the same, one float further on: misaligned by one"
    name["stride2"] = "every second float (stride 2)"
    name["stride8"] = "every eighth float (stride 8)"
    name["stride32"] = "every 32nd float (stride 32)"
    name["weigh_structs"] = "weight, one float of eight | array of structs"
    name["weigh_arrays"] = "weight, one float of eight | struct of arrays"
    name["move_structs"] = "move, six floats of eight | array of structs"
    name["move_arrays"] = "move, six floats of eight | struct of arrays"
    name["move_vectors"] = "move, six floats of eight | array of two `float4` each"
  }
  $1 in name { printf "| %s | %g |\n", name[$1], $3 }')
unmarked "$page" >"$scratch/page"
missing=$(printf '%s\n' "$rows" | grep -vxF -f "$scratch/page" || true)
if [ "$(printf '%s\n' "$rows" | wc -l)" = 10 ] && [ -z "$missing" ]; then
  pass "$page has the sectors that they move"
else
  no "$page has the sectors that they move" "these rows are missing:"
  printf '%s\n' "$missing" | sed 's/^/    | /'
fi

WARNINGS=error sh tools/compile/build.sh lessons/lesson04_grids/measured/layouts.cu "$scratch/layouts"
capture env SIZE=100 sh tools/actions/run.sh "$scratch/layouts"
expect "lesson04's blur is right in each layout" 0 '^PASS: blur, layouts: 4 '
case $output in *' ms'*) no "none of them is timed on the emulator" "a time was printed" && show_output ;; esac
