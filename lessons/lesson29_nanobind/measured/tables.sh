#!/bin/sh
# tables.sh: prints the rows of the page's table of a GPU, made from h200.txt (which record.sh printed): microseconds of a call, and how many
# times that is what pybind11 takes. tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  section ~ /calls, SEED=1/ && match($0, /^(nothing|1 KB|64 MB) +/) {
    name = substr($0, 1, RLENGTH)
    sub(/ +$/, "", name)
    rest = substr($0, RLENGTH + 1)
    way = rest
    sub(/  .*/, "", way)
    match(rest, / [0-9.]+ us /)
    time[name, way] = substr(rest, RSTART + 1, RLENGTH - 5)
    names[++rows] = name; ways[rows] = way
  }
  END {
    for (i = 1; i <= rows; i++) {
      peer = ways[i] ~ /there/ ? "pybind11, there" : "pybind11"
      mine = time[names[i], ways[i]]
      printf "| %s | %s | | %.*f | %.3f |\n", names[i], ways[i], mine < 1 ? 3 : 1, mine, mine / time[names[i], peer]
    }
  }' h200.txt
