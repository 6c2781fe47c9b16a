#!/bin/sh
# tables.sh: prints the rows of the page's tables of a GPU, made from h200.txt (which record.sh printed): the kernels alone, and microseconds of
# a run. tests/lessons/tables.test.sh looks whether the page has them, as soon as there is a record.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  section ~ /lesson32, SEED=1/ && $1 == "cudaMemcpy" { printf "| cudaMemcpy | | %s | %.0f | 100.0 |\n", $2, $3 }
  section ~ /lesson32, SEED=1/ && /^(gelu|backward) float/ && NF == 5 { printf "| %s %s | | %s | %.0f | %s |\n", $1, $2, $3, $4, $5 }
  section ~ /calls, SEED=2/ && match($0, /^(1 KB|64 MB) /) {
    name = substr($0, 1, RLENGTH - 1)
    way = substr($0, RLENGTH + 1)
    match(way, /[0-9.]+ us/)
    us = substr(way, RSTART) + 0
    way = substr(way, 1, RSTART - 1)
    gsub(/^ +| +$/, "", way)
    printf "| %s | %s | | %.1f |\n", name, way, us
    taken[name, way] = us
  }
  END {
    ours = taken["64 MB", "CustomGelu, CPU, run"]
    printf "~ 64 MB, at %.0f GB/s\n", 2 * 2 ^ 26 / 1000 / ours
    printf "~ %.1f times as fast\n", ours / taken["64 MB", "Gelu, CPU, run"]
    printf "~ needs %.1f us for a run with one node\n", taken["1 KB", "Gelu, CPU, run"]
  }' h200.txt
